// 40 tasks over the servers of examples/servers, done twice with the same calls of tools: one by one, as a model without
// programs makes them, and in a program. Counts the tokens that pass the model, and compares what was changed.
//
// Servers stand in: definitions are the real ones, results are ours (25 records of some 400 characters), and so are
// the scripts of both ways. No model runs: both ways make no mistake, and neither pays for definitions.
//
//   node research/measure/programs/tasks.mjs [--rows]

import { parseArgs } from 'node:util'

import { ToolRouter } from '../../../index.js'
import { closePrograms, runProgram } from '../../../packages/programs/index.mjs'
import { liveServers } from '../catalogue.mjs'

const { values: flags } = parseArgs({ options: { rows: { type: 'boolean', default: false } } })
const RECORDS = 25
const WORDS =
  'the build of this page waits for a part that nobody has looked at since the last change of the cache'.split(' ')

/** By shape: what is done with a list of records, and what is asked for. */
const COUNT = 'count'
const FIND = 'find'
const DETAIL = 'detail'
const CHANGE = 'change'
const JOIN = 'join'

/** Shape, and `server/tool` of the list and of what follows it. */
const TASKS = [
  [COUNT, 'github/list_issues'],
  [CHANGE, 'github/list_issues', 'github/add_issue_comment'],
  [DETAIL, 'github/list_pull_requests', 'github/get_pull_request'],
  [FIND, 'github/search_code'],
  [COUNT, 'gitlab/list_merge_requests'],
  [DETAIL, 'gitlab/list_merge_requests', 'gitlab/get_merge_request'],
  [CHANGE, 'gitlab/list_issues', 'gitlab/update_issue'],
  [DETAIL, 'linear/linear_getIssues', 'linear/linear_getIssueById'],
  [COUNT, 'jira/jira_search_issues'],
  [CHANGE, 'jira/jira_search_issues', 'jira/jira_add_comment'],
  [DETAIL, 'jira/jira_search_issues', 'jira/jira_get_issue'],
  [JOIN, 'jira/jira_search_issues', 'github/search_issues'],
  [COUNT, 'slack/slack_get_users'],
  [DETAIL, 'slack/slack_get_users', 'slack/slack_get_user_profile'],
  [CHANGE, 'slack/slack_get_channel_history', 'slack/slack_add_reaction'],
  [FIND, 'slack/slack_list_channels'],
  [COUNT, 'airtable/list_records'],
  [CHANGE, 'airtable/list_records', 'airtable/update_records'],
  [DETAIL, 'airtable/search_records', 'airtable/get_record'],
  [JOIN, 'airtable/list_records', 'hubspot/hubspot-list-objects'],
  [COUNT, 'hubspot/hubspot-list-objects'],
  [CHANGE, 'hubspot/hubspot-list-objects', 'hubspot/hubspot-update-engagement'],
  [FIND, 'hubspot/hubspot-search-objects'],
  [DETAIL, 'notion/API-post-search', 'notion/API-retrieve-a-page'],
  [COUNT, 'notion/API-query-data-source'],
  [CHANGE, 'notion/API-post-search', 'notion/API-patch-page'],
  [DETAIL, 'filesystem/search_files', 'filesystem/read_text_file'],
  [COUNT, 'filesystem/list_directory_with_sizes'],
  [FIND, 'memory/read_graph'],
  [CHANGE, 'memory/search_nodes', 'memory/add_observations'],
  [COUNT, 'chrome-devtools/list_console_messages'],
  [DETAIL, 'chrome-devtools/list_network_requests', 'chrome-devtools/get_network_request'],
  [FIND, 'playwright/browser_network_requests'],
  [COUNT, 'supabase/list_migrations'],
  [DETAIL, 'supabase/list_projects', 'supabase/get_project'],
  [FIND, 'brave-search/brave_web_search'],
  [FIND, 'context7/query-docs'],
  [FIND, 'figma/get_figma_data'],
  [COUNT, 'hostinger/hosting_listJsDeployments'],
  [JOIN, 'everything/echo', 'sequential-thinking/sequentialthinking'],
]

/** Numbers that are the same in each run. */
function numbers(seed) {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

/** What a tool answers: records, or one of them for a call that names one. */
function recorded(name, args) {
  const seed = [...name].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) % 1_000_003
  const records = Array.from({ length: RECORDS }, (_, at) => {
    const next = numbers(seed + at)
    const text = Array.from({ length: 60 }, () => WORDS[Math.floor(next() * WORDS.length)]).join(' ')
    return {
      id: 1000 + at,
      title: `${text.slice(0, 40)} ${at}`,
      state: at % 3 === 0 ? 'open' : 'closed',
      size: at,
      text,
    }
  })
  const named = /\b10\d\d\b/.exec(JSON.stringify(args))?.[0]
  const one = records.find(({ id }) => String(id) === named)
  return one ?? { items: records, total: RECORDS }
}

/** Arguments that fit a schema, with `id` in the first text or number of them. */
function argumentsOf(schema, id) {
  let isUsed = id === undefined
  const make = (each = {}, depth = 0) => {
    if (each.const !== undefined) return each.const
    if (each.enum) return each.enum[0]
    const alternative = each.anyOf?.[0] ?? each.oneOf?.[0]
    if (alternative) return make(alternative, depth)
    const type = Array.isArray(each.type) ? each.type[0] : each.type
    if (type === 'integer' || type === 'number') {
      if (isUsed) return Math.max(1, each.minimum ?? 1)
      isUsed = true
      return id
    }
    if (type === 'boolean') return false
    if (type === 'array') return [make(each.items, depth + 1)]
    if (type === 'object' || each.properties) {
      const wanted = new Set(each.required ?? [])
      if (depth === 0 && !isUsed && wanted.size === 0) wanted.add(Object.keys(each.properties ?? {})[0])
      return Object.fromEntries([...wanted].map((key) => [key, make(each.properties?.[key], depth + 1)]))
    }
    if (isUsed) return 'main'
    isUsed = true
    return String(id)
  }
  return make(schema)
}

const router = ToolRouter.shared()
const servers = await liveServers()
await router.setServers(servers, { replace: true })
const session = router.openSession()
await session.start('go through what there is')
const schemas = new Map(
  servers.flatMap(({ name, tools }) => tools.map((tool) => [`${name}/${tool.name}`, tool.inputSchema])),
)
const tokens = (text) => router.countTokens(text)
const spelt = (name) => {
  const [server, tool] = name.split('/')
  return `tools${/^\w+$/.test(server) ? `.${server}` : `.${server.replaceAll('-', '_')}`}${/^\w+$/.test(tool) ? `.${tool}` : `['${tool}']`}`
}

/** One task: the calls that both ways make, what changes, and the program. */
function planOf([shape, list, second]) {
  if (!schemas.has(list) || (second && !schemas.has(second))) throw new Error(`no tool ${list} or ${second}`)
  const args = (name, id) => argumentsOf(schemas.get(name), id)
  const open = recorded(list, {}).items.filter(({ state }) => state === 'open')
  const first = { name: list, args: args(list) }
  const some = open.slice(0, 6)
  const fetch = `const { items } = await ${spelt(list)}(${JSON.stringify(first.args)})`
  const each = (id) => JSON.stringify(args(second, id)).replace(`"${id}"`, 'String(id)').replace(String(id), 'id')
  const rest = second ? some.map(({ id }) => ({ name: second, args: args(second, id) })) : []
  const programs = {
    [COUNT]: () => [[], `${fetch}\nreturn items.filter((each) => each.state === 'open').length`],
    [FIND]: () => [
      [],
      `${fetch}\nreturn items.filter((each) => each.size > 22).map(({ id, title }) => ({ id, title }))`,
    ],
    [DETAIL]: () => [
      rest,
      `${fetch}\nconst open = items.filter((each) => each.state === 'open').slice(0, 6)\n` +
        `const all = await Promise.all(open.map(({ id }) => ${spelt(second)}(${each(1000)})))\nreturn all.map(({ title }) => title)`,
    ],
    [CHANGE]: () => [
      rest,
      `${fetch}\nconst open = items.filter((each) => each.state === 'open').slice(0, 6)\n` +
        `for (const { id } of open) await ${spelt(second)}(${each(1000)})\nreturn open.length`,
    ],
    [JOIN]: () => [
      [{ name: second, args: args(second) }],
      `${fetch}\nconst other = await ${spelt(second)}(${JSON.stringify(args(second))})\n` +
        `return items.filter(({ id, state }) => state === 'open' && other.items.some((each) => each.id === id)).map(({ id }) => id)`,
    ],
  }
  const [later, code] = programs[shape]()
  return { shape, calls: [first, ...later], code }
}

/** Tokens of calls that a model makes one by one, and what they did. */
async function direct({ calls }) {
  const made = []
  let all = 0
  for (const { name, args } of calls) {
    made.push(`${name} ${JSON.stringify(args)}`)
    const asked = await tokens(JSON.stringify({ name, arguments: args }))
    const answered = await tokens(JSON.stringify(recorded(name, args)))
    all += asked + answered
  }
  return { all, made }
}

async function inProgram({ code }) {
  const made = []
  const call = async ({ serverName, toolName }, args) => {
    const name = `${serverName}/${toolName}`
    made.push(`${name} ${JSON.stringify(args)}`)
    return { content: [{ type: 'text', text: JSON.stringify(recorded(name, args)) }] }
  }
  const { ok, text } = await runProgram(session, code, { call, approve: () => true })
  if (!ok) throw new Error(`${text}\n${code}`)
  return {
    all: (await tokens(JSON.stringify({ name: 'run_program', arguments: { code } }))) + (await tokens(text)),
    made,
  }
}

const sums = { direct: 0, program: 0, same: 0, third: 0 }
for (const task of TASKS) {
  const plan = planOf(task)
  const [one, other] = [await direct(plan), await inProgram(plan)]
  const isSame = JSON.stringify(one.made.toSorted()) === JSON.stringify(other.made.toSorted())
  sums.direct += one.all
  sums.program += other.all
  sums.same += isSame ? 1 : 0
  sums.third += other.all * 3 <= one.all ? 1 : 0
  if (flags.rows) console.log(task.join(' '), one.all, other.all, isSame ? '' : 'OTHER CALLS')
}
await closePrograms()
const served = new Set(TASKS.flatMap(([, ...names]) => names.map((name) => name.split('/')[0])))
console.log(`${TASKS.length} tasks over ${served.size} of ${servers.length} servers; the same calls in ${sums.same}`)
const share = ((100 * sums.program) / sums.direct).toFixed(1)
console.log(`tokens that pass the model: ${sums.direct} by direct calls, ${sums.program} by programs (${share} %)`)
console.log(`at most a third in ${sums.third} tasks`)
process.exitCode = sums.same === TASKS.length ? 0 : 1
