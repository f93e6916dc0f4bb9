// A model judges over the loopback interface: what counts as right, what a budget holds back, and what of a person it is sent.
import http from 'node:http'
import path from 'node:path'

import test from 'ava'

import { budgetOf, Endpoint } from '../../../packages/gateway/history/endpoint.mjs'
import { judgedBy } from '../../../packages/gateway/history/judge.mjs'
import { opened } from '../../../packages/gateway/history/would.mjs'
import { servers } from '../../helpers/catalogue.mjs'
import { run } from '../../helpers/child.mjs'
import { putConversation, putLists } from '../../helpers/histories.mjs'
import { fresh, router } from '../../helpers/router.mjs'
import { tempDir } from '../../helpers/temp.mjs'

const CLI = path.join(import.meta.dirname, '../../..', 'packages', 'gateway', 'cli.mjs')
const seed = 1
const say = () => {}
const LEAST = { prompt_tokens: 900, completion_tokens: 20 }

/** A stand-in for a model: `choose` answers the name and arguments of a call, or nothing. */
async function standIn(t, choose, { usage = LEAST, status = 200, said = '' } = {}) {
  const seen = []
  const server = http.createServer(async (request, response) => {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const body = JSON.parse(Buffer.concat(chunks).toString())
    seen.push({ path: request.url, key: request.headers.authorization, body })
    const code = typeof status === 'function' ? status(body) : status
    response.writeHead(code, { 'content-type': 'application/json', location: 'http://127.0.0.1:9/' })
    if (code !== 200) return void response.end(said)
    const call = choose(body)
    const calls = call && [
      {
        id: `c${seen.length}`,
        type: 'function',
        function: { name: call[0], arguments: JSON.stringify(call[1] ?? {}) },
      },
    ]
    const message = { role: 'assistant', content: call ? null : 'no idea', ...(call && { tool_calls: calls }) }
    return void response.end(JSON.stringify({ choices: [{ message }], ...(usage && { usage }) }))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { base: `http://127.0.0.1:${server.address().port}/v1`, seen }
}

const namesOf = ({ tools = [] }) => tools.map((tool) => tool.function.name)
const ISSUES = 'mcp--codehub--list_issues'
const TASKS = Array.from({ length: 12 }, (_, at) => ({
  text: `list the open issues, number ${at}`,
  needs: [['codehub::list_issues']],
  steps: [],
}))

async function judged(t, choose, { how = {}, budget = '100000000', price, tasks = TASKS } = {}) {
  const model = await standIn(t, choose, how)
  await fresh(servers(), {})
  const open = opened(router)
  const endpoint = new Endpoint({
    base: model.base,
    name: 'stand-in',
    budget: budgetOf(budget, price),
    count: open.count,
  })
  return { ...model, found: await judgedBy(open, endpoint, tasks, { seed, say }) }
}

test.serial('the first call of a tool that the session called is right, in as many steps as it took', async (t) => {
  const { found, seen } = await judged(t, ({ messages, ...body }) => {
    const names = namesOf(body)
    // With all tools it takes the first one; otherwise it searches, and then takes what it needs.
    if (!names.includes('mcp_load')) return [names[0]]
    return messages.length === 1 ? ['mcp_load', { query: 'list issues' }] : [ISSUES, { repo: 'a/b' }]
  })
  t.deepEqual([found.messages, found.of, found.stopped], [12, 12, undefined])
  const [all, thirty, tiers] = found.arms
  t.deepEqual([all.right.share, thirty.right.share, tiers.right.share], [0, 1, 1])
  t.deepEqual([all.steps.share, thirty.steps.share], [1, 2])
  t.deepEqual([thirty.more.share, thirty.more.interval], [1, [1, 1]])
  t.is(all.tokens.share, 920)
  t.is(found.spent, 920 * 12 * 5)
  t.true(seen.every(({ path: at, body }) => at === '/v1/chat/completions' && body.model === 'stand-in'))
  t.true(namesOf(seen[0].body).length > namesOf(seen[1].body).length)
})

test.serial(
  'an answer without a call, of another tool, or of one that is not there is not right, and ends',
  async (t) => {
    for (const call of [
      undefined,
      ['mcp--filesystem--read_file'],
      ['no_such_tool'],
      ['mcp_load', { query: 'x' }],
      ['mcp_load', 7],
    ]) {
      const { found } = await judged(t, () => call, { tasks: TASKS.slice(0, 1) })
      t.deepEqual(
        found.arms.map(({ right }) => right.share),
        [0, 0, 0],
      )
      t.true(found.arms.every(({ steps }) => steps.share >= 1 && steps.share <= 5))
    }
  },
)

test.serial('a budget is never passed, and what was begun then does not count', async (t) => {
  for (const budget of [0, 3_000, 40_000, 60_000]) {
    const { found, seen } = await judged(t, () => [ISSUES], {
      budget: String(budget),
      how: { usage: { prompt_tokens: 6_000, completion_tokens: 50 } },
    })
    t.true(found.spent <= budget, `${found.spent} of ${budget}`)
    t.is(found.stopped, 'the budget would have been passed')
    t.is(found.spent, seen.length * 6_050)
    t.is(found.messages, Math.floor(seen.length / 3))
  }
})

test.serial('a budget in dollars is one at the prices that were given', async (t) => {
  const { found } = await judged(t, () => [ISSUES], { budget: '$0.5', price: '10/50' })
  t.true(found.spent <= 0.5 && found.unit === 'dollars')
  t.throws(() => budgetOf('$2', undefined), { message: /--price: expected dollars for a million tokens/ })
  t.throws(() => budgetOf('much', '1/2'), {
    message: /--budget: expected tokens, as 200000, or dollars, as \$2\.50, got "much"/,
  })
})

test.serial('a model that does not say its tokens is counted here, and told', async (t) => {
  const { found } = await judged(t, () => [ISSUES], { how: { usage: null }, tasks: TASKS.slice(0, 2) })
  t.is(found.uncounted, 6)
  t.true(found.spent > 0)
})

test.serial('what a model refuses is told by its status alone, and nothing follows to another address', async (t) => {
  for (const status of [401, 404]) {
    const { found } = await judged(t, () => undefined, {
      how: { status, said: 'wrong key sk-live-4eC39HqLyjWDarjtT1zdp7dc' },
    })
    t.is(found.stopped, `the model answered with HTTP status ${status}`)
    t.deepEqual(found.arms, [])
  }
  const { found } = await judged(t, () => undefined, { how: { status: 307 } })
  t.regex(found.stopped, /--model: it cannot be reached/)
})

test.serial('a model that wants another word for the length of its answer gets it', async (t) => {
  const status = (body) => (body.max_tokens === undefined ? 200 : 400)
  const { found } = await judged(t, () => [ISSUES], {
    how: { status, said: 'use max_completion_tokens' },
    tasks: TASKS.slice(0, 1),
  })
  t.is(found.messages, 1)
})

test('the command wants a name and a budget, sends the key of the variable that it was told, and shows no figure without a model', async (t) => {
  const home = tempDir(t)
  for (let at = 0; at < 3; at++)
    putConversation(home, {
      id: `s${at}`,
      day: at,
      turns: [
        { text: 'list the open issues', steps: [{ calls: ['mcp__codehub__list_issues'] }] },
        { text: 'never sent, PIN 4711', steps: [{}] },
      ],
    })
  const model = await standIn(t, () => [ISSUES])
  const env = {
    HOME: home,
    XDG_CONFIG_HOME: path.join(home, '.config'),
    CLAUDE_CONFIG_DIR: path.join(home, '.claude'),
    OWN_KEY: 'key-of-own',
    OPENAI_API_KEY: 'key-of-another',
  }
  const replay = (...args) =>
    run([CLI, 'replay', '--tools', putLists(home), '--lexical', ...args], { env, cwd: home, limit: 120_000 })
  const without = await replay()
  t.deepEqual([without.code, /judged/i.test(without.stdout)], [0, false])
  for (const [args, words] of [
    [['--model', model.base], /the name of a model behind --name/],
    [['--model', model.base, '--name', 'm'], /what it may cost behind --budget/],
    [['--model', 'nowhere', '--name', 'm', '--budget', '1'], /the address of a model/],
    [['--model', model.base, '--name', 'm', '--budget', '1', '--key', 'NO_SUCH'], /the name of a variable that is set/],
  ]) {
    const { code, stderr } = await replay(...args)
    t.is(code, 1)
    t.regex(stderr, words)
  }
  const done = await replay('--model', model.base, '--name', 'm', '--budget', '900000', '--key', 'OWN_KEY')
  t.is(done.code, 0, done.stderr)
  t.regex(done.stdout, /Judged by m: 3 of 3 first messages, drawn with seed 1, for [\d,]+ tokens/)
  t.true(model.seen.length > 0 && model.seen.every(({ key }) => key === 'Bearer key-of-own'))
  t.false(JSON.stringify(model.seen).includes('4711'))
  t.false((done.stdout + done.stderr).includes('key-of'))
})
