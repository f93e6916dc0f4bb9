// select_mode: from the description of a task to the mode that suits it, and to that mode's focused tools. Where nothing
// is configured the servers that suit the task are its mode, as many as it needs.

import { modulesOf, toolsOf } from './modules.mjs'
import { nothingFitsAside, OFF } from './nothing-fits.mjs'
import { rankServers } from './rank-servers.mjs'
import { oncePerServer } from '../listing/accounts.mjs'
import { describe } from '../listing/rendering.mjs'
import { offTools } from '../listing/unavailable.mjs'

/** How wide the set of tools is, in parts of `focusK`: who knows the task well needs fewer. */
const WIDTH = { exploring: 2, low: 1.33, medium: 1, high: 0.67 }
/**
 * Evidence below which no server suits a task. At 0.1, of the tuning half of the labelled texts, 343 of 400 that need no
 * tool and 270 of 400 that none serves get none, and all described tasks theirs (by terms 304 and 220). Who is exploring
 * is shown what comes near.
 */
const MIN_EVIDENCE = { exploring: 0.03, low: 0.1, medium: 0.1, high: 0.1 }
/** Parts of a file's path that say something: its folder and its name. */
const TOLD_PARTS = 2
/** Servers of one task at most: of 58 labelled tasks two need more. */
const MAX_SERVERS = 3
/** A server belongs to the task if it scores at least this share of the best; from 0.5 to 0.7 as many tasks are served. */
const NEAR_BEST = 0.6
/** The share of the set that is best of all servers; the rest is shared among the task's. Half to four fifths are alike. */
const BEST_OF_ALL = 0.8
/** The best tools whose servers are named in the answer: as many as a task has needs. */
const TELLING = 3
/** Tools of one need of a mode that are looked at, the evidence below which nothing has it, and their share of the set. */
const OF_A_NEED = 2
const NEED_EVIDENCE = 0.2
const OF_NEEDS = 0.4
/** Tools that are ranked to choose from: enough that each server of a task has its best among them. */
const RANKED = 200

/**
 * @param {import('../protocol/requests.mjs').Desk} session
 * @param {{ task: string, confidence: keyof typeof WIDTH, files: string[] }} request
 */
export async function selectMode(session, { task, confidence, files }) {
  const query = withFiles(task, files)
  const most = Math.max(1, Math.round(session.config.settings.focusK * WIDTH[confidence]))
  const servers = session.catalogue.scopeOf()
  const { evidence, tools: all } =
    servers.length === 0 ? { evidence: 0, tools: [] } : await session.router.rank(query, { servers, topK: RANKED })
  const ranked = oncePerServer(session.catalogue, all).once
  const fits = evidence >= MIN_EVIDENCE[confidence]
  const mode =
    (await boundMode(session, await chosenMode(session, query, fits))) ??
    (fits ? await serversAsMode(session, query, most, ranked) : undefined)
  const off = await offTools(session, query)
  const unavailable = off.length > 0 && { unavailable: off }
  if (mode === undefined) return none(session, { query, confidence, unavailable })
  const tools = mode.found ?? (await focusedTools(session, mode, { query, most, ranked }))
  const shapeOf = ({ serverName, toolName }) => ({
    compact: mode.compact,
    mode: mode.name,
    parameters: mode.parameters.get(`${serverName}/${toolName}`),
  })
  const { added, already, overLimit } = session.attach(tools, { shapeOf, by: `select_mode: ${mode.name}` })
  const names = [...added, ...already]
  return {
    selected_mode: mode.name,
    reasoning: mode.reasoning,
    tools: describe(session, names),
    next_step: nextStep(session, mode, names),
    ...unavailable,
    ...(overLimit.length > 0 && { over_limit: overLimit }),
  }
}

/** No mode: in words, with what is nearest. */
async function none(session, { query, confidence, unavailable }) {
  const nothingFits = await nothingFitsAside(session, query)
  return {
    selected_mode: null,
    reasoning: unavailable ? OFF : 'No server has a tool for this task; nothing was attached.',
    ...unavailable,
    ...(nothingFits && { nearest_servers: nothingFits.servers }),
    next_step:
      confidence === 'exploring'
        ? 'If the task needs no MCP tool, go on without; otherwise say what is to be done.'
        : 'If the task needs no MCP tool, go on without. Otherwise say what is to be done, or call again with ' +
          'confidence_level exploring for what comes near.',
  }
}

function nextStep({ isModern }, { name, compact, parameters }, names) {
  if (names.length === 0) return 'It has no tools now; use mcp_load.'
  const fixes = isModern && parameters.size > 0
  const how = `Call one of its tools${fixes ? `, with mode: ${JSON.stringify(name)}` : ''}: ${names.slice(0, 3).join(', ')}`
  return compact ? `${how}. Definitions are short; mcp_load with a name answers the whole one.` : how
}

/** Files are never opened; the ends of their paths are words like others. */
function withFiles(task, files) {
  const words = files.map((file) => file.split(/[\\/]/).filter(Boolean).slice(-TOLD_PARTS).join(' '))
  return [task, ...new Set(words)].join('\n')
}

/** The mode of the configuration that suits best; undefined where none is to serve. `fits`: whether any tool may. */
async function chosenMode({ config, router }, query, fits) {
  const modes = [...config.modes.values()]
  if (modes.length === 0) return undefined
  const texts = modes.map(({ name, description, examples }) => ({ name, text: [description, ...examples].join('. ') }))
  const { texts: ranked } = await router.rankTexts(query, texts)
  const best = ranked.find(({ supported }) => supported)
  if (best) {
    const mode = config.modes.get(best.name)
    return { ...mode, reasoning: `Of ${modes.length} modes, ${mode.name} suits the task best.` }
  }
  const { defaultMode } = config
  // The nearest mode serves what some tool may do; a default that the user has named serves everything.
  if (defaultMode === null || (defaultMode === undefined && !fits)) return undefined
  const mode = config.modes.get(defaultMode ?? ranked[0].name)
  const why = defaultMode === undefined ? `the nearest of ${modes.length}` : 'the default'
  return { ...mode, reasoning: `Nothing in the task matches a mode; ${mode.name} is ${why}.` }
}

/**
 * The servers that suit the task, and their tools that do: first the best of all servers, then by turns those of each
 * of them. A named group that holds the best tool comes first, as far as there is room.
 */
async function serversAsMode(session, query, most, tools) {
  const { catalogue } = session
  const { servers: ranked } = await rankServers(session, query, { topK: MAX_SERVERS })
  if (ranked.length === 0) return undefined
  const chosen = ranked.filter(({ score }) => score >= NEAR_BEST * ranked[0].score).map(({ serverName }) => serverName)
  const best = tools.map((tool) => catalogue.tool(tool)).filter(Boolean)
  const groups = modulesOf(session).filter(({ kind }) => kind === 'group')
  const group = groups
    .map((each) => toolsOf(session, each))
    .find((each) => each.some(({ name }) => name === best[0]?.name))
  const byServer = chosen.map((name) => best.filter(({ serverName }) => serverName === name))
  const byTurns = Array.from({ length: most }, (_, at) => byServer.map((each) => each[at])).flat()
  const all = [...(group ?? []), ...best.slice(0, Math.round(most * BEST_OF_ALL)), ...byTurns.filter(Boolean)]
  const found = [...new Map(all.map((tool) => [tool.name, tool])).values()].slice(0, most)
  // The set is called by the servers that suit, and by those of the very best tools.
  const telling = [...chosen, ...best.slice(0, TELLING).map(({ serverName }) => serverName)]
  const told = [...new Set(telling)].slice(0, MAX_SERVERS)
  return {
    name: told.join(' + '),
    found,
    compact: true,
    parameters: new Map(),
    reasoning: `Of ${catalogue.serverNames.length} servers, ${told.join(' and ')} ${told.length === 1 ? 'suits' : 'suit'} the task best.`,
  }
}

/** A mode with the tools that do what it needs; undefined where no server offers any of them. */
async function boundMode({ catalogue, router }, mode) {
  if (mode === undefined || mode.needs.length === 0) return mode
  const servers = catalogue.scopeOf()
  const rankings = await Promise.all(mode.needs.map((need) => router.rank(need, { servers, topK: OF_A_NEED })))
  const found = rankings
    .filter(({ evidence }) => evidence >= NEED_EVIDENCE)
    .map(({ tools }) => tools.map((tool) => catalogue.tool(tool)))
  // By turns: the best of each need before the second best of any.
  const byTurns = Array.from({ length: OF_A_NEED }, (_, at) => found.map((tools) => tools[at]))
  const bound = oncePerServer(catalogue, byTurns.flat().filter(Boolean)).once
  const isEmpty = [bound, mode.tools, mode.servers, mode.modules].every((each) => each.length === 0)
  return isEmpty ? undefined : { ...mode, bound }
}

/** What the mode names and needs, then the tools of its servers, or of all, that suit the task, up to `most`. */
async function focusedTools(session, mode, { query, most, ranked: best }) {
  const { catalogue, router } = session
  const { bound = [] } = mode
  const ofModules = modulesOf(session).filter(({ name }) => mode.modules.includes(name))
  const named = toolsOf(session, { servers: [], tools: [...mode.tools, ...ofModules.flatMap(({ tools }) => tools)] })
  const servers = [...new Set([...mode.servers, ...ofModules.flatMap((module) => module.servers)])]
  if (bound.length > 0) {
    const all = [...named, ...bound.slice(0, Math.round(most * OF_NEEDS)), ...best.map((tool) => catalogue.tool(tool))]
    return [...new Map(all.filter(Boolean).map((tool) => [tool.name, tool])).values()].slice(0, most)
  }
  if (servers.length === 0 || named.length >= most) return named
  const known = new Set(named.map(({ name }) => name))
  const { tools } = await router.rank(query, { servers: catalogue.scopeOf(servers), topK: most + known.size })
  const ranked = tools.map((tool) => catalogue.tool(tool)).filter((tool) => tool && !known.has(tool.name))
  return [...named, ...ranked.slice(0, most - named.length)]
}
