// All that a replay says, as numbers, names and places: what its two reports print. No text of a transcript is in it.

import { DEFAULT_META_TOOLS, metaTools } from '../names/meta-tools.mjs'
import { KnownNames, shownName } from './called-names.mjs'
import { PROGRAMS } from './programs.mjs'
import { Tally } from './tally.mjs'
import { taskOf } from './task.mjs'
import { billsOf, opened, shownBefore } from './would.mjs'

/** How long one wait for vectors may take. */
const VECTORS_MS = 60_000

/** @typedef {Awaited<ReturnType<typeof recordOf>>} Record */

/**
 * Reads a history to its end.
 *
 * @param {import('./read.mjs').History} history
 * @param {number} most sessions that are kept to be played, the newest
 */
export async function tallyOf(history, most) {
  const tally = new Tally({ most })
  for await (const session of history.sessions()) tally.add(session)
  return tally
}

/**
 * Puts lists of tools into the router, which forgets its own.
 *
 * @param {import('@zoo-code/tool-router/internal').ToolRouter} router
 * @param {import('./lists.mjs').Listed[]} servers
 * @param {{ lexical?: boolean, say: (line: string) => void }} options
 */
export async function openLists(router, servers, { lexical, say }) {
  await router.setServers(servers, { replace: true })
  if (!lexical) {
    await router.loadModel().catch(({ message }) => say(`${message}; ranking is by terms only`))
    await router.ready({ timeoutMs: VECTORS_MS })
  }
  const tools = await definitionsOf(router)
  return { tools, scoped: tools.reduce((sum, { tokens }) => sum + tokens, 0) }
}

/** Each tool with what its definition costs. */
async function definitionsOf(router) {
  const session = router.openSession({ settings: { searchTurns: 0, initialK: 'auto' } })
  try {
    const definitions = JSON.parse(session.tools())
    const tools = []
    for (const definition of definitions) {
      const id = session.resolveTool(definition.function.name)
      if (id !== null) tools.push({ ...id, tokens: await router.countTokens(JSON.stringify(definition)) })
    }
    return tools
  } finally {
    session.close()
  }
}

/** @typedef {{ serverName: string, toolName: string, tokens: number }} Definition */

/**
 * @param {object} given
 * @param {import('./read.mjs').History} given.history read to its end
 * @param {Tally} given.tally
 * @param {import('./lists.mjs').Lists} given.lists
 * @param {Definition[]} given.tools
 * @param {number} given.scoped
 * @param {import('@zoo-code/tool-router/internal').ToolRouter | undefined} given.router none without lists: nothing is played then
 * @param {(line: string) => void} given.say
 */
export async function recordOf({ history, tally, lists, tools, scoped, router, say }) {
  const known = new KnownNames(tools)
  const open = router && opened(router)
  const tasks = open ? await tasksOf(tally, known, { count: open.count, scoped }) : []
  const isPlayed = open && tasks.length > 0
  return {
    programs: history.counted
      .filter(({ files }) => files > 0)
      .map((each) => ({ ...each, title: PROGRAMS[each.program].title })),
    unread: history.problems.files,
    unknownKinds: history.problems.kinds,
    sessions: tally.sessions,
    subtasks: tally.subtasks,
    messages: tally.messages,
    requests: tally.requests,
    searches: tally.searches,
    parts: tally.parts,
    ...(tally.last > 0 && { first: dayOf(tally.first), last: dayOf(tally.last) }),
    bill: { ...tally.bill, sessions: tally.withCosts },
    caches: { causes: [...tally.causes].map(([cause, each]) => ({ cause, ...each })), breaks: tally.breaks },
    lists: { from: lists.from, servers: lists.servers.length, tools: tools.length, scoped, missing: lists.missing },
    ...callsOf(tally, known, tools),
    ranker: router?.status.state === 'ready' ? 'words and meaning' : 'words',
    played: tasks.length,
    ...(isPlayed && (await shownBefore(open, tasks, scoped))),
    ...(isPlayed && { bills: await billsOf(open, tasks, { scoped, own: await ownTokens(open, lists), say }) }),
  }
}

/** What a gateway before these servers lists by itself. */
const ownTokens = ({ count }, { servers }) =>
  count(
    JSON.stringify(
      metaTools(
        DEFAULT_META_TOOLS,
        servers.map(({ name }) => name),
      ),
    ),
  )

const dayOf = (ms) => new Date(ms).toISOString().slice(0, 10)

/** The kept sessions as tasks, the oldest first. Sessions without a word are none. */
export async function tasksOf(tally, known, how) {
  const tasks = []
  for (const session of tally.newest) tasks.push(await taskOf(session, known, how))
  return tasks
}

/** How often each tool was called, and which never were. */
function callsOf(tally, known, tools) {
  const counts = new Map(tools.map((tool) => [`${tool.serverName}/${tool.toolName}`, 0]))
  const elsewhere = new Map()
  for (const called of tally.calls) {
    const tool = known.find(called)
    const [into, name] = tool ? [counts, `${tool.serverName}/${tool.toolName}`] : [elsewhere, shownName(called)]
    into.set(name, (into.get(name) ?? 0) + called.count)
  }
  const list = (map) =>
    [...map]
      .filter(([, count]) => count > 0)
      .map(([name, count]) => ({ name, count }))
      .toSorted((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
  const isUnused = (tool) => counts.get(`${tool.serverName}/${tool.toolName}`) === 0
  return { calls: list(counts), callsElsewhere: list(elsewhere), unused: unusedOf(tools, isUnused) }
}

function unusedOf(tools, isUnused) {
  const servers = new Map()
  for (const tool of tools) {
    const row = servers.get(tool.serverName) ?? {
      name: tool.serverName,
      tools: 0,
      tokens: 0,
      unused: 0,
      unusedTokens: 0,
    }
    servers.set(tool.serverName, row)
    row.tools += 1
    row.tokens += tool.tokens
    if (!isUnused(tool)) continue
    row.unused += 1
    row.unusedTokens += tool.tokens
  }
  const own = tools.filter(isUnused).toSorted((a, b) => b.tokens - a.tokens)
  return {
    count: own.length,
    tokens: own.reduce((sum, { tokens }) => sum + tokens, 0),
    servers: [...servers.values()].toSorted((a, b) => b.unusedTokens - a.unusedTokens),
    tools: own.map(({ serverName, toolName, tokens }) => ({ name: `${serverName}/${toolName}`, tokens })),
  }
}
