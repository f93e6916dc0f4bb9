// What of a session another gateway needs to go on with it: who the client is, and the names of what is attached. What a mode
// fixes stays in the configuration.

/**
 * @typedef {object} AttachedTool
 * @property {string} name by which it is listed
 * @property {string} serverName
 * @property {string} toolName
 * @property {string} by who asked for it
 * @property {boolean} [compact]
 * @property {string} [mode] the one that fixes parameters
 *
 * @typedef {object} SessionState
 * @property {{ protocolVersion: string, capabilities: object, clientInfo: object }} client as it said itself
 * @property {string} [logLevel]
 * @property {AttachedTool[]} attached in their order, without those that the configuration pins
 * @property {string[]} introduced servers whose instructions the client knows
 * @property {string[]} subscribed addresses of resources
 *
 * @typedef {import('./client-session.mjs').ClientSession} ClientSession
 */

/**
 * @param {ClientSession} session
 * @param {SessionState['client']} client
 * @returns {SessionState}
 */
export function stateOf(session, client) {
  const attached = [...session.attached].filter(([, { pinned }]) => !pinned)
  return {
    client,
    ...(session.logLevel !== undefined && { logLevel: session.logLevel }),
    attached: attached.map(([name, { serverName, toolName, by, shape }]) => ({
      name,
      serverName,
      toolName,
      by,
      ...(shape && { compact: shape.compact, ...(shape.parameters && { mode: shape.mode }) }),
    })),
    introduced: [...session.introduced],
    subscribed: [...session.subscribed],
  }
}

/**
 * Makes a session what another gateway has made of it.
 *
 * @param {ClientSession} session
 * @param {SessionState} state
 * @returns {AttachedTool[]} those that cannot be attached here
 */
export function takeState(session, { logLevel, attached, introduced, subscribed }) {
  session.logLevel = logLevel
  for (const server of introduced) session.introduced.add(server)
  const wanted = new Map(attached.map((tool) => [tool.name, tool]))
  session.detach([...session.attached.keys()].filter((name) => !wanted.has(name)))
  const left = []
  for (const [name, tool] of wanted) {
    if (session.attached.has(name)) continue
    const shape = shapeOf(session, tool)
    // Without what its mode fixes a tool would be another one.
    if (tool.mode !== undefined && shape?.parameters === undefined) {
      left.push(tool)
      continue
    }
    const { serverName, toolName, by } = tool
    session.attached.set(name, { serverName, toolName, pinned: false, shape, by, at: Date.now() })
  }
  // The list differs now, or does not.
  session.attach([])
  session.subscribed = new Set(subscribed)
  return left
}

/** @param {ClientSession} session @param {AttachedTool} tool */
function shapeOf({ config }, { compact, mode, serverName, toolName }) {
  if (compact === undefined) return undefined
  return { compact, mode, parameters: config.modes.get(mode)?.parameters.get(`${serverName}/${toolName}`) }
}

/**
 * What two gateways have made of one session, together.
 *
 * @param {SessionState} base from which ours was made
 * @param {SessionState} ours
 * @param {SessionState} theirs
 * @returns {SessionState}
 */
export function merged(base, ours, theirs) {
  const logLevel = ours.logLevel === base.logLevel ? theirs.logLevel : ours.logLevel
  return {
    client: theirs.client,
    ...(logLevel !== undefined && { logLevel }),
    attached: mergedBy(({ name }) => name, base.attached, ours.attached, theirs.attached),
    introduced: mergedBy(String, base.introduced, ours.introduced, theirs.introduced),
    subscribed: mergedBy(String, base.subscribed, ours.subscribed, theirs.subscribed),
  }
}

/**
 * @template T
 * @param {(each: T) => string} keyOf
 * @param {T[]} base
 * @param {T[]} ours
 * @param {T[]} theirs
 */
function mergedBy(keyOf, base, ours, theirs) {
  const keys = (all) => new Set(all.map(keyOf))
  const [before, here, there] = [keys(base), keys(ours), keys(theirs)]
  const stays = theirs.filter((each) => here.has(keyOf(each)) || !before.has(keyOf(each)))
  return [...stays, ...ours.filter((each) => !before.has(keyOf(each)) && !there.has(keyOf(each)))]
}
