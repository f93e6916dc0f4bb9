// SPDX-License-Identifier: Apache-2.0
//
// What the meta tools do. Their answers are JSON for the model.

import { plain } from './errors.mjs'
import { selectMode } from './modes.mjs'
import { listModules, loadModule, unloadModule } from './modules.mjs'
import { rankServers } from './rank-servers.mjs'
import { describe, SUMMARY } from './rendering.mjs'

/** How long after its start a server is waited for; one that takes longer is named in the answer. */
const STARTING_MS = 10_000
/** Best tools named for each server that search_mcps finds. */
const NAMED_TOOLS = 5

/**
 * @param {import('./client-session.mjs').ClientSession} session
 * @param {string} name a meta tool that is offered, other than call_tool
 * @param {object} args as `readArguments` gave them
 */
export async function answerMetaTool(session, name, args) {
  const starting = await session.catalogue.caughtUp(STARTING_MS)
  const answer = await ANSWERS[name](session, args)
  const instructions = session.introduce()
  if (Object.keys(instructions).length > 0) answer.server_instructions = instructions
  if (starting.length > 0) answer.still_starting = starting
  return { content: [{ type: 'text', text: JSON.stringify(answer) }] }
}

const ANSWERS = {
  mcp_load: load,
  search_mcps: search,
  select_mode: selectMode,
  report_missing_capability: reroute,
  manage_modules: (session, { action, module }) =>
    ({ list: listModules, load: loadModule, unload: unloadModule })[action](session, module),
}

async function load(session, { query, schemas }) {
  const { loaded, alreadyAttached, unavailable, matched, truncated, degraded } = await session.search.load(query)
  // What the router's session has and the client's list has not is new to the client.
  const hidden = alreadyAttached.filter((name) => !session.attached.has(name)).map((name) => session.catalogue.find(name))
  const { added, overLimit } = session.attach([...found(session, loaded), ...hidden.filter(Boolean)])
  return {
    loaded: describe(session, added, { schemas }),
    alreadyAttached: alreadyAttached.filter((name) => !added.includes(name)),
    unavailable: [...unavailable, ...overLimit.map((name) => ({ name, reason: 'over-limit' }))],
    matched,
    truncated,
    ...(degraded && { degraded: degraded.code }),
  }
}

/** The missing-capability loop: the router counts the signals of a session, so that it ends. */
async function reroute(session, signal) {
  const result = await session.search.reroute(signal)
  const { added, overLimit } = session.attach(found(session, result.loaded))
  return {
    status: result.status,
    message: result.message,
    checkpoint: result.checkpoint,
    missing_capability: result.missingCapability,
    completed_steps: result.completedSteps,
    servers: result.servers,
    loaded: describe(session, added),
    already_attached: result.alreadyAttached,
    ...(overLimit.length > 0 && { over_limit: overLimit }),
  }
}

/** Tools that the router loaded, as the catalogue has them. */
function found({ catalogue }, loaded) {
  return loaded.map((tool) => catalogue.tool(tool)).filter(Boolean)
}

async function search(session, { query, topK }) {
  const { catalogue, router } = session
  const ranked = await rankServers(router, query, { topK, servers: catalogue.serverNames, toolsPerServer: NAMED_TOOLS })
  const servers = ranked
    .filter(({ serverName }) => catalogue.entries.has(serverName))
    .map(({ serverName, score, toolCount, tools }) => {
      const { definition, downstream } = catalogue.entries.get(serverName)
      return {
        server: serverName,
        score: Number(score.toFixed(3)),
        ...(definition.description && { description: plain(definition.description, SUMMARY) }),
        tool_count: toolCount,
        best_tools: tools.map(({ name }) => name),
        ...(downstream.state === 'waiting' && { state: 'unavailable' }),
      }
    })
  return { servers, next_step: 'mcp_load with tool names or a need attaches tools; manage_modules loads a whole server' }
}
