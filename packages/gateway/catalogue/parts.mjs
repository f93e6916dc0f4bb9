// What is there of a server for whoever has only a part of it. The rest does not exist for him: it is not switched off.

import { switchedTools } from '../config/tool-spelling.mjs'
import { kindOf } from '../names/tool-kind.mjs'
import { kindsOf } from './kinds.mjs'

/**
 * The tools of a server that one of its parts has.
 *
 * @template {{ name?: unknown }} T
 * @param {Pick<import('../config/server.mjs').ServerDefinition, 'name' | 'parts' | 'toolKinds'>} definition
 * @param {T[]} tools all that it lists
 */
export function thereOf(definition, tools) {
  const { name, parts } = definition
  if (parts === undefined) return tools
  const names = tools.map((tool) => tool?.name).filter((each) => typeof each === 'string')
  const kinds = parts.some(({ readOnly }) => readOnly) ? kindsOf(definition, tools) : undefined
  const wanted = parts.map(({ only = [], off, readOnly = false }) => ({
    ...switchedTools({ name, disabledTools: off, onlyAllow: only }, names),
    readOnly,
  }))
  const isOf = ({ only, off, readOnly }, tool) =>
    (only?.has(tool.name) ?? true) && !off.has(tool.name) && (!readOnly || kindOf(tool, kinds) === 'read')
  return tools.filter((tool) => typeof tool?.name === 'string' && wanted.some((part) => isOf(part, tool)))
}
