// What the meta tools do. Their answers are JSON for the model.

import { stringify } from '@zoo-code/tool-router/exact-json'

import { calledBy } from '../names/call-kinds.mjs'
import { invalid, plain } from '../base/errors.mjs'
import { selectMode } from './modes.mjs'
import { listModules, loadModule, unloadModule } from './modules.mjs'
import { nothingFitsAnswer, nothingFitsAside } from './nothing-fits.mjs'
import { rankServers } from './rank-servers.mjs'
import { oncePerServer } from '../listing/accounts.mjs'
import { describe, SUMMARY } from '../listing/rendering.mjs'
import { describeTools, sign, signaturesOf } from '../listing/signatures.mjs'
import { toolSpelt, withheldTwin } from '../listing/tool-names.mjs'
import { awayServers, isDown, offTools } from '../listing/unavailable.mjs'

/** Signals of one task that are looked for, as the router counts them. */
const MAX_REROUTES = 3
const HANDLE = /^reroute-(\d{1,2})$/
/** Best tools named for each server that search_mcps finds; of so many it says what a call needs. */
const NAMED_TOOLS = 5
const SIGNED_TOOLS = 2
/** Names of tools that a search found behind those that it attached. */
const NAMED_NEXT = 5

/**
 * @param {import('../protocol/requests.mjs').Desk} session
 * @param {string} name a meta tool that is offered, other than call_tool
 * @param {Record<string, any>} args as `readArguments` gave them
 */
export async function answerMetaTool(session, name, args) {
  const { catalogue } = session
  const isKnown = (each) => isName(each) && toolSpelt(catalogue, each.trim()) !== undefined
  // Where exact names of known tools are asked for, no server that is starting can change the answer.
  const isEnough = () => name === 'mcp_load' && args.query.split(/[,\n]/).every(isKnown)
  const starting = isEnough()
    ? catalogue.starting
    : await catalogue.caughtUp(catalogue.patienceMs, catalogue.serverNames, isEnough)
  const answer = await ANSWERS[name](session, args)
  const instructions = session.introduce()
  if (Object.keys(instructions).length > 0) answer.server_instructions = instructions
  if (starting.length > 0) answer.still_starting = starting
  return { content: [{ type: 'text', text: stringify(answer) }] }
}

const isName = (text) => !/\s/.test(text.trim())

const ANSWERS = {
  mcp_load: load,
  search_mcps: search,
  describe_tool: describeTools,
  select_mode: selectMode,
  report_missing_capability: reroute,
  manage_modules: (session, { action, module }) =>
    ({ list: listModules, load: loadModule, unload: unloadModule })[action](session, module),
}

async function load(session, { query }) {
  // A name that two servers have means neither while one of them is withheld: that one says why.
  const result = await session.search.load(
    query.replaceAll(/[^,\n]+/g, (each) => (isName(each) && withheldTwin(session.catalogue, each.trim())) || each),
  )
  const { alreadyAttached, unavailable, degraded, evidence, doubt, nothingFits } = result
  const { loaded, next, others } = evidence === undefined ? { ...result, others: [] } : withoutDoubles(session, result)
  const unloaded = session.isModern ? [] : session.detach(result.unloaded)
  // What the router's session has and the client's list has not is new to the client.
  const hidden = alreadyAttached
    .filter((name) => !session.attached.has(name))
    .map((name) => session.catalogue.find(name))
  const { added, overLimit } = session.attach([...found(session, loaded), ...hidden.filter(Boolean)], {
    by: 'mcp_load',
  })
  const asked = result.modules.length === 0 && result.unloaded.length === 0
  const foundNothing = asked && loaded.length === 0 && alreadyAttached.length === 0
  const away = await awayServers(session, query, unavailable, { foundNothing })
  return {
    loaded: await sign(session, added, { wereSearched: evidence !== undefined }),
    ...(!session.isModern && { alreadyAttached: alreadyAttached.filter((name) => !added.includes(name)) }),
    unavailable: [
      ...away,
      ...(evidence === undefined ? [] : await offTools(session, query)),
      ...overLimit.map((name) => withoutRoom(session, name)),
    ],
    ...(doubt && { doubt }),
    ...(nothingFits && { nothingFits: await nothingFitsAnswer(session, query, nothingFits, degraded) }),
    ...(result.modules.length > 0 && {
      modules: result.modules.map(({ name, description }) => ({ name, description })),
    }),
    ...(result.others.length > 0 && { others: result.others }),
    ...(next.length > 0 && { next: next.slice(0, NAMED_NEXT).map(({ name }) => name) }),
    ...(others.length > 0 && { other_accounts: others }),
    ...(unloaded.length > 0 && { unloaded }),
  }
}

/** What a search found, where two accounts of one server have each tool twice: the places of the second go to what comes next. */
function withoutDoubles({ catalogue, search }, { loaded, alreadyAttached, next }) {
  const listed = (names) => names.flatMap((name) => catalogue.find(name) ?? [])
  const here = listed(alreadyAttached)
  const { once, again } = oncePerServer(catalogue, [...here, ...loaded, ...listed(next.map(({ name }) => name))])
  const found = once.filter((tool) => !here.includes(tool))
  const doubled = again.filter((tool) => loaded.includes(tool))
  search.detach(doubled)
  return {
    loaded: found.slice(0, loaded.length),
    next: found.slice(loaded.length),
    others: doubled.flatMap((tool) => catalogue.tool(tool)?.name ?? []),
  }
}

/** A tool that the list has no room for, and how it is called without. */
function withoutRoom(session, name) {
  const tool = session.catalogue.find(name)
  const by = tool && calledBy(session, tool)
  return { name, reason: 'over-limit', ...(by && { call_by: by }) }
}

/** The missing-capability loop. Signals of a task are counted, so that it ends. */
async function reroute(session, { handle, ...signal }) {
  if (session.isModern) return rerouteModern(session, signal, handle)
  const result = await session.search.reroute(signal)
  const { added, overLimit } = session.attach(found(session, result.loaded), { by: 'report_missing_capability' })
  return {
    ...rerouted(result),
    loaded: describe(session, added),
    already_attached: result.alreadyAttached,
    ...(overLimit.length > 0 && { over_limit: overLimit }),
  }
}

/** Of a modern client nothing is kept: the count is in the handle, and what it has tried is in the signal. */
async function rerouteModern(session, signal, handle) {
  const count = handle === undefined ? 0 : Number(HANDLE.exec(handle)?.[1])
  if (Number.isNaN(count)) throw invalid('report_missing_capability.handle', 'the handle of an answer before', handle)
  if (count >= MAX_REROUTES) {
    return {
      status: 'MAX_REROUTES_EXCEEDED',
      message: `This task has signalled ${MAX_REROUTES} times. Tell the user what is missing.`,
      missing_capability: signal.missingCapability,
    }
  }
  const result = await session.search.reroute(signal)
  const fresh = result.loaded.filter(({ serverName }) => !signal.attemptedServers.includes(serverName))
  const { added } = session.attach(found(session, fresh))
  const nothing = result.status === 'CONTINUE' && added.length === 0
  return {
    ...rerouted(result),
    ...(nothing && { status: 'INCOMPLETE', message: 'No other server has it. Tell the user what is missing.' }),
    servers: result.servers.filter((name) => fresh.some(({ serverName }) => serverName === name)),
    loaded: describe(session, added),
    handle: `reroute-${count + 1}`,
  }
}

function rerouted({ status, message, checkpoint, missingCapability, completedSteps, servers }) {
  const own = { missing_capability: missingCapability, completed_steps: completedSteps }
  return { status, message, checkpoint, ...own, servers }
}

/** Tools that the router loaded, as the catalogue has them. */
function found({ catalogue }, loaded) {
  return loaded.map((tool) => catalogue.tool(tool)).filter(Boolean)
}

async function search(session, { query, topK }) {
  const { catalogue } = session
  const nothingFits = await nothingFitsAside(session, query)
  const unavailable = await offTools(session, query)
  const off = unavailable.length > 0 && { unavailable }
  if (nothingFits) return { servers: [], nothingFits, ...off }
  const ranked = await rankServers(session, query, { topK, toolsPerServer: NAMED_TOOLS })
  const known = ranked.servers.filter(({ serverName }) => catalogue.entries.has(serverName))
  const signatureOf = await signaturesOf(
    session,
    known.flatMap(({ tools }) => found(session, tools.slice(0, SIGNED_TOOLS))),
    false,
  )
  // A server may have gone meanwhile.
  const servers = known.flatMap(({ serverName, score, toolCount, tools }) => {
    const entry = catalogue.entries.get(serverName)
    if (!entry) return []
    const { definition, downstream } = entry
    return {
      server: serverName,
      score: Number(score.toFixed(3)),
      ...(definition.description && { description: plain(definition.description, SUMMARY) }),
      tool_count: toolCount,
      best_tools: found(session, tools).map((tool) => ({ name: tool.name, signature: signatureOf(tool) })),
      ...(isDown(downstream) && { state: 'unavailable', reason: downstream.reason }),
    }
  })
  return {
    servers,
    ...off,
    ...(ranked.others.length > 0 && { other_accounts: ranked.others }),
    next_step: session.isModern
      ? 'call a tool by its signature; describe_tool answers schemas; mcp_load with names or a need finds more'
      : 'mcp_load with tool names or a need attaches tools; manage_modules loads a whole server',
  }
}
