// What is there of a server for whoever has only a part of it. The rest does not exist for him: it is not switched off.

import { resolved } from '../config/tool-spelling.mjs'
import { kindOf } from '../names/tool-kind.mjs'

/**
 * The tools of a server that one of its parts has.
 *
 * @template {{ name?: unknown }} T
 * @param {Pick<import('../config/server.mjs').ServerDefinition, 'name' | 'parts' | 'toolKinds'>} definition
 * @param {T[]} tools all that it lists
 * @returns {T[]}
 */
export function thereOf({ name, parts, toolKinds }, tools) {
  if (parts === undefined) return tools
  const names = tools.map((tool) => tool?.name).filter((each) => typeof each === 'string')
  const meant = (spellings) => new Set(resolved(name, spellings, names))
  const wanted = parts.map((part) => ({ ...part, only: part.only && meant(part.only), off: meant(part.off) }))
  const isOf = ({ only, off, readOnly = false }, tool) =>
    (only?.has(tool.name) ?? true) && !off.has(tool.name) && (!readOnly || kindOf(tool, toolKinds) === 'read')
  return tools.filter((tool) => typeof tool?.name === 'string' && wanted.some((part) => isOf(part, tool)))
}
