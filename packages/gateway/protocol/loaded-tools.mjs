// What a session has loaded, by name, so that another one can have it again. What a mode fixes stays in the configuration.

/**
 * @typedef {object} LoadedTool
 * @property {string} name by which it is listed
 * @property {string} serverName
 * @property {string} toolName
 * @property {string} by who asked for it
 * @property {boolean} [compact]
 * @property {string} [mode] the one that fixes parameters
 *
 * @typedef {import('./client-session.mjs').ClientSession} ClientSession
 */

/**
 * The tools of a session in their order, without those that the configuration pins.
 *
 * @param {ClientSession} session
 * @returns {LoadedTool[]}
 */
export function loadedTools({ attached }) {
  return [...attached]
    .filter(([, { pinned }]) => !pinned)
    .map(([name, { serverName, toolName, by, shape }]) => ({
      name,
      serverName,
      toolName,
      by,
      ...(shape && { compact: shape.compact, ...(shape.parameters && { mode: shape.mode }) }),
    }))
}

/** Attaches what another session of the client had loaded. @param {ClientSession} session @param {LoadedTool[]} tools */
export function loadAgain(session, tools) {
  for (const tool of tools.filter(isTool)) {
    const { name, serverName, toolName, by, mode } = tool
    const shape = shapeOf(session, tool)
    // Without what its mode fixes a tool would be another one.
    const isAnother = mode !== undefined && shape?.parameters === undefined
    if (isAnother || session.attached.has(name)) continue
    session.attached.set(name, { serverName, toolName, pinned: false, shape, by, at: Date.now() })
  }
}

/** Other programs may have written a row. @param {LoadedTool | null} tool */
function isTool(tool) {
  return [tool?.name, tool?.serverName, tool?.toolName, tool?.by].every((each) => typeof each === 'string')
}

/** @param {ClientSession} session @param {LoadedTool} tool */
function shapeOf({ config }, { compact, mode, serverName, toolName }) {
  if (compact === undefined) return undefined
  return { compact, mode, parameters: config.modes.get(mode)?.parameters.get(`${serverName}/${toolName}`) }
}
