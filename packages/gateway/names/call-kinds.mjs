// Which meta tool calls a tool. Clients ask their users by the name of what is called, so each kind of tool has one of its
// own, and takes no tool of another kind.

import { kindOf } from './tool-kind.mjs'

const DOES = { read: 'only reads', write: 'writes', destructive: 'may destroy' }
const BY = 'call_tool_'

/** What a tool of the catalogue does to the world. */
export function kindIn({ entry, toolName }) {
  return kindOf(entry.tools.get(toolName) ?? { name: toolName }, entry.kinds)
}

/**
 * @param {{ isMetaTool: (name: string) => boolean }} desk
 * @param {{ entry: import('../catalogue/catalogue.mjs').Entry, toolName: string }} tool of the catalogue
 * @returns {string | undefined} the meta tool that calls it, where it is offered
 */
export function calledBy(desk, tool) {
  const by = BY + kindIn(tool)
  return desk.isMetaTool(by) ? by : undefined
}

/**
 * Why a meta tool does not call a tool; undefined where it does. `call_tool` calls tools of all kinds.
 *
 * @param {string | undefined} by the meta tool; undefined for a tool that is called by its own name
 */
export function wrongCall(desk, by, tool) {
  if (by === undefined || !by.startsWith(BY)) return undefined
  const kind = kindIn(tool)
  if (by === BY + kind) return undefined
  const next = desk.isMetaTool(BY + kind) ? `call it with ${BY + kind}` : `${BY + kind} is not offered here`
  return `${tool.name} ${DOES[kind]}; ${next}. Nothing was called.`
}
