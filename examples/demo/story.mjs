// The demo: one task of a coding assistant with many MCP servers, from what all of their tools
// would cost to what the task is billed. Each chapter prints what the router answered.

import fs from 'node:fs'
import path from 'node:path'

import {
  bar,
  bold,
  count,
  cut,
  dim,
  green,
  heading,
  percent,
  plural,
  Progress,
  say,
  table,
  warn,
  wrap,
} from './format.mjs'

export const DEFAULT_TASK =
  'Read the text files in the notes directory and open a GitHub issue in acme/web for each open point.'
/** Later messages of the user, each about something that the task did not speak of. */
const FOLLOW_UPS = [
  'Post a summary to the Slack channel #team-web.',
  'The login page looks broken too. Take a screenshot of it in the browser and note the console errors.',
]
/** What the model finds out that it needs, in its own words: some of it is attached by then. */
const MISSING = 'reply in a thread on Slack'

/** The context window that costs are compared with. */
const CONTEXT_WINDOW = 200_000
/** Under these the demo says little about many servers. */
const ENOUGH = { servers: 8, tools: 300 }
/** Rows of the longest table. */
const ROWS = 15
/** Tools that are ranked to say why some are attached. */
const RANKED = 1000
/** What a ranker goes by. */
const HOW = { lexical: 'by terms', semantic: 'by meaning', hybrid: 'by terms and by meaning' }
/** What the file holds that the model reads. */
const TODO = [
  '# Web',
  '',
  '- [ ] login page: the button does nothing',
  '- [ ] footer: wrong year',
  '- [x] new logo',
  '',
]

/**
 * Plays the demo: the task with the later messages and the search of its story, or a task of the user's own with theirs.
 *
 * @param {import('../../index.js').ToolRouter} router
 * @param {import('./servers.mjs').RunningServers} running
 * @param {import('./servers.mjs').ServerDefinition[]} definitions
 * @param {{ taskText?: string, later?: string[], signal: AbortSignal }} options `signal` stops it between two chapters
 */
export async function play(router, running, definitions, { taskText, later = [], signal }) {
  let number = 0
  const chapter = (title, work) => {
    signal.throwIfAborted()
    number += 1
    heading(number, title)
    return work()
  }
  const [task, messages] = taskText ? [taskText, later] : [DEFAULT_TASK, FOLLOW_UPS]
  const clients = await chapter(`Starting ${plural(definitions.length, 'MCP server')}`, () =>
    connect(router, running, definitions),
  )
  await chapter('Loading the model', () => prepareRanking(router))
  await chapter('What static loading would cost', () => showStaticCost(router))

  const session = router.openSession()
  try {
    const first = await chapter('A task', () => startTask(router, session, task))
    const firstTools = session.tools()
    for (const [at, message] of messages.entries())
      await chapter(`Turn ${at + 2}`, () => followUp(router, session, message))
    if (!taskText) {
      await chapter('The model asks for more', () => loadMissing(session))
      await chapter('A real tools/call', () => callReadTool(session, running, clients))
    }
    await chapter('Receipt', () => showReceipt(session, first, firstTools))
  } finally {
    session.close()
  }
}

async function connect(router, running, definitions) {
  const columns = [
    { title: 'server', width: 20 },
    { title: 'tools', width: 6, right: true },
    { title: 'ms', width: 6, right: true },
    { title: 'remark', width: 58 },
  ]
  const [titles] = table(columns, []).split('\n')
  say(titles)
  const clients = new Map()
  let tools = 0
  await running.startAll(definitions, async (server) => {
    const row = (...cells) => say(table(columns, [cells]).split('\n')[1])
    if (server.reason !== undefined) {
      row(server.name, '-', server.elapsedMs, `skipped: ${server.reason}`)
      return
    }
    const { name, client, instructions } = server
    const change = await router.setServer({ name, tools: server.tools, instructions })
    clients.set(name, client)
    tools += change.added.length
    const refused =
      change.refused.length === 0 ? '' : `${plural(change.refused.length, 'tool')} refused: ${change.refused[0].reason}`
    row(name, change.added.length, server.elapsedMs, refused)
  })
  say(`  ${plural(clients.size, 'server')}, ${plural(tools, 'tool')} in the catalogue`)
  if (clients.size === 0) throw new Error('no MCP server could be started; the table says why')
  if (clients.size < ENOUGH.servers || tools < ENOUGH.tools) {
    warn(
      `fewer than ${ENOUGH.servers} servers or ${ENOUGH.tools} tools: the numbers below say little about many servers. ` +
        'The table says what could not be started.',
    )
  }
  return clients
}

async function prepareRanking(router) {
  let model
  try {
    model = await router.loadModel()
  } catch (error) {
    warn(`${error.code}: ${error.message}.`)
    say(
      wrap(
        'Ranking is lexical: words of the query against words of the tools. `node scripts/assets.mjs` fetches the model.',
      ),
    )
    return
  }
  say(`  ${model.modelId}, ${model.dimensions} dimensions, on this machine`)
  const progress = new Progress()
  const show = () => {
    const { vectorCount, toolCount } = router.status
    progress.show(`vectors ${count(vectorCount)} of ${count(toolCount)}`)
  }
  const timer = setInterval(show, 200)
  try {
    await router.ready()
  } finally {
    clearInterval(timer)
    progress.end()
  }
  const { state, ranker, vectorCount, toolCount, degraded, lastError } = router.status
  say(
    `  vectors for ${count(vectorCount)} of ${plural(toolCount, 'tool')}, kept on disk for the next run; ranker: ${ranker}`,
  )
  if (state !== 'ready') warn(`the model is ${state}: ${lastError ?? degraded?.message ?? 'no reason given'}`)
}

async function showStaticCost(router) {
  const usage = await router.contextUsage({}, { contextWindow: CONTEXT_WINDOW })
  const { toolCount, serverCount } = router.status
  const window = `${count(CONTEXT_WINDOW / 1000)}k window`
  say(
    `  ${bold(`${count(usage.total)} tokens`)} for ${plural(toolCount, 'tool')} of ${plural(serverCount, 'server')} in every request: ` +
      `${percent(usage.total / CONTEXT_WINDOW)} of a ${window}`,
  )
  const largest = usage.servers.toSorted((a, b) => b.tokens - a.tokens).slice(0, 8)
  const columns = [
    { title: 'largest servers', width: 20 },
    { title: 'tokens', width: 9, right: true },
    { title: window, width: 12, right: true },
    { title: '', width: 40 },
  ]
  const row = ({ name, tokens, share }) => [name, count(tokens), percent(share), bar(tokens, largest[0].tokens, 40)]
  say(table(columns, largest.map(row)))
}

async function startTask(router, session, taskText) {
  say(wrap(`user: ${taskText}`))
  const selection = await session.start(taskText)
  sayDegraded(selection)
  const tools = await reasons(router, taskText, selection, selection.attached)
  if (selection.mode === 'all') {
    say(`\n  ${plural(selection.scopedCount, 'tool')} are few enough: all are attached, and nothing is ranked`)
  } else {
    showWhy(tools, selection)
    sayNamed('named in a line each', selection.directory, session)
    say(`  not sent: ${count(costOf(selection).unsent)}, which the model finds with mcp_load`)
  }
  const { tokens } = selection
  const { sent, saved } = costOf(selection)
  say(
    `\n  static loading ${count(tokens.scoped)} tokens, now ${bold(count(sent))} (${count(tokens.attached)} of ` +
      `definitions, ${count(tokens.directory)} of lines, ${count(tokens.mcpLoad)} of mcp_load)`,
  )
  say(`  before ${bar(tokens.scoped, tokens.scoped, 60)}`)
  say(`  now    ${bar(sent, tokens.scoped, 60)}`)
  say(`  ${green(`saved ${percent(saved)}`)} of the tokens of tool definitions, in every request`)
  return selection
}

/** What a model sees, and what that costs in each request: every figure of the story comes from here. */
function costOf({ attached, directory, scopedCount, tokens }) {
  const sent = tokens.attached + tokens.directory + tokens.mcpLoad
  const unsent = scopedCount - attached.length - directory.length
  return { whole: attached.length, named: directory.length, unsent, sent, saved: tokens.saved / tokens.scoped }
}

/** Why each of some attached tools is there, and what made its score in a ranking of the text. */
async function reasons(router, text, selection, names) {
  const ranking = await router.rank(text, { topK: RANKED })
  const ranked = new Map(ranking.tools.map((tool) => [tool.name, tool]))
  const companions = new Map(selection.companions.map((companion) => [companion.name, companion]))
  return names.map((name) => {
    const { rank, score, lexicalShare = 0, semanticShare = 0, entryShare = 0, boost = 0 } = ranked.get(name) ?? {}
    const companion = companions.get(name)
    const found = rank === undefined ? 'pinned' : `rank ${rank}`
    const why = companion ? `needed by ${companion.of.split('--').at(-1)} (${companion.by})` : found
    return { name, why, score, parts: { words: lexicalShare, meaning: semanticShare, rest: entryShare + boost } }
  })
}

function showWhy(tools, selection) {
  const total = `${count(selection.attached.length)} of ${plural(selection.scopedCount, 'tool')}`
  const sure = selection.evidence === undefined ? '' : `, evidence ${selection.evidence.toFixed(2)}`
  say(`\n  sent whole ${bold(total)}, ranked ${HOW[selection.ranker]}${sure}:`)
  const columns = [
    { title: 'tool, as the model sees it', width: 40 },
    { title: 'score', width: 5, right: true },
    { title: 'words', width: 5, right: true },
    { title: 'meaning', width: 7, right: true },
    { title: 'rest', width: 5, right: true },
    { title: 'why', width: 26 },
  ]
  const part = (value) => (value === 0 ? '-' : value.toFixed(2))
  const rows = tools.map(({ name, why, score, parts }) => {
    return [
      name,
      score === undefined ? '-' : score.toFixed(2),
      part(parts.words),
      part(parts.meaning),
      part(parts.rest),
      why,
    ]
  })
  say(table(columns, rows.slice(0, ROWS)))
  if (rows.length > ROWS) say(dim(`  … and ${count(rows.length - ROWS)} more`))
}

async function followUp(router, session, message) {
  say(wrap(`user: ${message}`))
  const before = new Set(session.selection.directory)
  const selection = await session.turn(message)
  sayDegraded(selection)
  const added = await reasons(router, message, selection, selection.added)
  sayNames(`sent whole besides, ${count(selection.attached.length)} by now`, added)
  const fresh = selection.directory.filter((name) => !before.has(name))
  sayNamed('named in a line besides', fresh, session)
}

async function loadMissing(session) {
  if (session.selection.mode === 'all') {
    say('  everything is attached, so there is no mcp_load')
    return
  }
  const args = JSON.stringify({ query: MISSING })
  say(`  model: mcp_load ${args}`)
  const result = await session.load(args)
  sayDegraded(result)
  const rows = result.loaded.map(({ name, description }) => [name, description])
  const columns = [
    { title: `loaded ${plural(rows.length, 'tool')} of ${count(result.matched)} that match`, width: 50 },
    { title: 'what the model is told', width: 44 },
  ]
  say(table(columns, rows))
  const there = result.alreadyAttached.map((name) => ({ name, why: 'sent before' }))
  sayNames('sent whole already', there)
}

async function callReadTool(session, running, clients) {
  const name = 'mcp--filesystem--read_text_file'
  if (!clients.has('filesystem')) {
    say('  skipped: the filesystem server did not start')
    return
  }
  if (!session.tools().includes(`"${name}"`)) {
    await session.load({ query: name })
    say(`  model: mcp_load {"query":"${name}"}, since the task did not attach it`)
  }
  const folder = path.join(running.folderOf('filesystem'), 'notes')
  fs.mkdirSync(folder, { recursive: true })
  fs.writeFileSync(path.join(folder, 'todo.md'), TODO.join('\n'))

  const tool = session.resolveTool(name)
  const args = { path: 'notes/todo.md' }
  say(`  model: ${name} ${JSON.stringify(args)}`)
  say(`  router: tool ${tool.toolName} of server ${tool.serverName}`)
  const answer = await clients.get(tool.serverName).callTool({ name: tool.toolName, arguments: args })
  if (answer.isError) throw new Error(`${name} answered with an error`)
  await session.recordUse(tool)
  const text = answer.content.map((part) => part.text ?? `(${part.type})`).join('\n')
  for (const line of text.split('\n').filter(Boolean)) say(dim(`  | ${cut(line, 94)}`))
}

function showReceipt(session, first, firstTools) {
  const tools = session.tools()
  const stable = tools.startsWith(firstTools.slice(0, -1))
  if (!stable) throw new Error('tools() of turn 1 is no prefix of tools() now: a defect of the router')
  say(`  prompt cache: the ${count(firstTools.length)} characters of tools() of turn 1 still begin tools() now`)

  const columns = [
    { title: '', width: 25 },
    { title: 'sent whole', width: 10, right: true },
    { title: 'named', width: 7, right: true },
    { title: 'not sent', width: 8, right: true },
    { title: 'tokens', width: 9, right: true },
    { title: 'saved', width: 7, right: true },
  ]
  const row = (title, selection) => {
    const { whole, named, unsent, sent, saved } = costOf(selection)
    return [title, count(whole), count(named), count(unsent), count(sent), percent(saved)]
  }
  const { scopedCount, tokens } = first
  const every = ['static loading', count(scopedCount), '-', '-', count(tokens.scoped), '-']
  say(table(columns, [every, row('at the start of the task', first), row('at the end', session.selection)]))
  say(dim(`  tokens of ${tokens.encoding}, with mcp_load and the lines of named tools`))
}

function sayDegraded({ degraded }) {
  if (degraded) say(dim(`  ranked by terms only: ${degraded.code}`))
}

/** Tools that the model is told of in a line each, by server. */
function sayNamed(title, names, session) {
  /** @type {Map<string, string[]>} */
  const servers = new Map()
  for (const { serverName, toolName } of names.map((name) => session.resolveTool(name)))
    servers.set(serverName, [...(servers.get(serverName) ?? []), toolName])
  say(`  ${title}: ${count(names.length)}`)
  for (const [server, tools] of servers) say(dim(wrap(`${server}: ${tools.join(', ')}`, { indent: 4 })))
}

function sayNames(title, names) {
  say(`  ${title}:${names.length === 0 ? ' none' : ''}`)
  for (const { name, why } of names) say(`    ${cut(name, 60)}${why ? dim(`  ${cut(why, 34)}`) : ''}`)
}
