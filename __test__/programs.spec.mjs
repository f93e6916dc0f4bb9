// Programs: what they may call, what of them reaches the model, and what is said where they end early.
import { Worker } from 'node:worker_threads'
import { setTimeout as sleep } from 'node:timers/promises'

import test from 'ava'

import { closePrograms, DEFAULT_LIMITS, programTool, runProgram, warmPrograms } from '../packages/programs/index.mjs'
import { fresh, refused, router } from './helpers/router.mjs'

const schema = (properties, required = []) => JSON.stringify({ type: 'object', properties, required })
const text = (value) => ({
  content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }],
})
const READS = { readOnlyHint: true }

const SERVERS = [
  {
    name: 'github',
    tools: [
      { name: 'list_issues', description: 'List the issues of a repository', annotations: READS },
      {
        name: 'create_issue',
        description: 'Create an issue',
        inputSchema: schema({ title: { type: 'string' }, labels: { type: 'array' } }, ['title']),
      },
      { name: 'delete_repo', description: 'Delete a repository' },
      { name: 'sync_all', description: 'Synchronise everything', annotations: { destructiveHint: true } },
    ],
  },
  { name: 'my shop', tools: [{ name: 'find-order.v2', description: 'Find an order' }] },
  { name: 'my.shop', tools: [{ name: 'pay', description: 'Pay an order' }] },
  { name: 'search', tools: [{ name: 'web', description: 'Search the web' }] },
  { name: 'vault', tools: [{ name: 'read_secret', description: 'Read a secret of the vault' }] },
]

test.beforeEach(() => fresh(SERVERS))
test.after.always(closePrograms)

const SCOPE = ['github', 'my shop', 'my.shop', 'search']

/** A task, and a host that notes what it calls. */
async function task(answer = () => text([]), options = { servers: SCOPE }) {
  const session = router.openSession(options)
  await session.start('list the issues of the repository')
  const made = []
  const call = async ({ serverName, toolName }, args, more) => {
    made.push([`${serverName}/${toolName}`, args])
    return answer({ serverName, toolName }, args, more)
  }
  const run = (code, more = {}) => runProgram(session, code, { call, ...more })
  return { session, made, run }
}

/** In order: calls run one after the other in one process. */
const serial = test.serial

serial('only what a program returns or prints reaches the model', async (t) => {
  const issues = Array.from({ length: 500 }, (_, at) => ({ id: at, title: `issue ${at}`, open: at % 2 === 0 }))
  const { run, made } = await task(() => text(issues))
  const result = await run(`
    const issues = await tools.github.list_issues({ repo: 'acme/web' })
    print('of', issues.length)
    return { open: issues.filter((issue) => issue.open).length }`)
  t.true(result.ok)
  t.is(result.text, 'of 500\n{"open":250}')
  t.deepEqual(result.value, { open: 250 })
  t.deepEqual(made, [['github/list_issues', { repo: 'acme/web' }]])
  t.deepEqual(result.calls, [{ serverName: 'github', toolName: 'list_issues', kind: 'read', state: 'done' }])
})

serial('a result is a value: structured content, its text as JSON, or its text', async (t) => {
  const results = {
    structured: { structuredContent: { a: 1 }, content: [{ type: 'text', text: 'ignored' }] },
    json: text('  [1, 2]'),
    number: text('5'),
    broken: text('[1, 2'),
    lines: {
      content: [
        { type: 'text', text: 'one' },
        { type: 'text', text: 'two' },
      ],
    },
    resource: { content: [{ type: 'resource', resource: { uri: 'x:y', text: 'inside' } }] },
    picture: { content: [{ type: 'image', mimeType: 'image/png', data: 'AAAA' }] },
    plain: 'of the host',
    nothing: undefined,
  }
  const { run } = await task((_, { of }) => results[of])
  const { value } = await run(
    `
    const found = {}
    for (const of of parameters.names) found[of] = await tools.github.list_issues({ of })
    return found`,
    { parameters: { names: Object.keys(results) } },
  )
  t.deepEqual(value, {
    structured: { a: 1 },
    json: [1, 2],
    number: '5',
    broken: '[1, 2',
    lines: 'one\ntwo',
    resource: 'inside',
    picture: [{ type: 'image', mimeType: 'image/png', characters: 4 }],
    plain: 'of the host',
    nothing: null,
  })
})

serial('servers are named as in signatures, tools by their own names in whatever spelling', async (t) => {
  const { run, made } = await task()
  const { ok, text: said } = await run(`
    await tools.my_shop['find-order.v2']()
    await tools['my shop']['find-order.v2']()
    await tools.my_shop_2.pay()
    await tools.search.web()
    await tools.github['list-issues']()`)
  t.true(ok, said)
  t.deepEqual(
    made.map(([name]) => name),
    ['my shop/find-order.v2', 'my shop/find-order.v2', 'my.shop/pay', 'search/web', 'github/list_issues'],
  )
  const { text: written } = await router.signatures({ servers: ['my shop', 'my.shop'] })
  t.regex(written, /interface my_shop \{[\s\S]*interface my_shop_2 \{/)
})

serial('a search answers what can be called, as signatures with evidence, and attaches nothing', async (t) => {
  const { run, session } = await task()
  const before = session.selection.attached.length
  const { value } = await run(`return await tools.search('create an issue')`)
  t.deepEqual(value.tools[0], {
    call: 'tools.github.create_issue',
    signature: '{title: string, labels?: unknown[]} // Create an issue',
  })
  t.true(value.evidence > 0 && value.evidence <= 1)
  const { value: odd } = await run(`return (await tools.search('find an order')).tools[0].call`)
  t.is(odd, 'tools.my_shop["find-order.v2"]')
  t.is(session.selection.attached.length, before)
})

const ORDERS = Array.from({ length: 2_000 }, (_, id) => ({ id, city: id === 1_207 ? 'Oslo' : 'Rome' }))

serial('what fits a need in a long value is found with its place, and lists keep their own find', async (t) => {
  const { run } = await task(() => ({ structuredContent: { orders: ORDERS } }))
  const { value } = await run(`
    const value = await tools.github.list_issues()
    const passages = await tools.find(value, 'orders to Oslo')
    const unawaited = await tools.find(tools.github.list_issues(), 'orders to Oslo')
    return { passages, unawaited, own: value.orders.find(({ city }) => city === 'Oslo') }`)
  t.regex(value.passages[0].place, /^\$\.orders\[\d+(:\d+)?\]$/)
  t.regex(value.passages[0].text, /"id":1207,"city":"Oslo"/)
  t.deepEqual(value.unawaited, value.passages)
  t.deepEqual(value.own, { id: 1_207, city: 'Oslo' })
  const { value: short } = await run(`return tools.find('a few words', 'anything')`)
  t.deepEqual(short, [{ place: 'all', text: 'a few words' }])
})

serial('what cannot be found is an error with a code that a program catches', async (t) => {
  const { run } = await task(() => ({ structuredContent: { orders: ORDERS } }))
  const failing = async (code, limits) => (await run(`return ${code}.catch((error) => error.code)`, { limits })).value
  t.is(await failing(`tools.find(tools.github.list_issues(), 'zebra')`), 'not-found')
  t.is(await failing(`tools.find('a', ' ')`), 'invalid-arguments')
  t.is(await failing(`tools.find('a', 7)`), 'invalid-arguments')
  t.is(await failing(`tools.find('a', 'x'.repeat(2401))`), 'invalid-arguments')
  t.is(await failing(`tools.find('a'.repeat(99), 'a')`, { resultCharacters: 100 }), 'too-long')
})

serial(
  'an outcome that is too long for the model is held for the session of the program, and for no other',
  async (t) => {
    const { run, session } = await task(() => ({ structuredContent: { orders: ORDERS } }))
    const long = await run('print("before"); return tools.github.list_issues()')
    t.true(long.ok)
    t.is(long.value.orders.length, 2_000)
    t.true(long.text.includes(long.handle) && long.text.length < 4_000)
    const { text: read } = await session.readResult(long.handle, { need: 'orders to Oslo' })
    t.regex(read, /1207/)
    await t.throwsAsync(router.openSession().readResult(long.handle, { need: 'Oslo' }), {
      code: 'ERR_RESULT_NOT_FOUND',
    })
    const failed = await run('for (let at = 0; at < 9999; at++) print("line", at); throw new Error("late")')
    t.false(failed.ok)
    t.regex(failed.text, /The program ended early: late/)
    t.regex((await session.readResult(failed.handle, { range: '5000-5000' })).text, /line 499\d/)
    const small = { outputCharacters: 1_000 }
    for (const code of ['return " ".repeat(1e5) + "x"', 'print("\u00e9".repeat(1e5))', 'return "x".repeat(1e5)']) {
      const { text: said, handle } = await run(code, { limits: small })
      t.true(said.length <= 1_000 && said.includes(handle), code)
    }
    t.is((await run('return 1')).handle, undefined)
  },
)

serial('a description has the schema, by any name that a program has for a tool', async (t) => {
  const { run } = await task()
  const { value } = await run(`
    return Promise.all(['tools.github.create_issue', 'github.create_issue', 'github/create_issue'].map(tools.describe))`)
  for (const each of value) {
    t.is(each.call, 'tools.github.create_issue')
    t.deepEqual(each.inputSchema.required, ['title'])
  }
})

serial('a tool out of scope is not called, found or described', async (t) => {
  const { run, made } = await task()
  const { value } = await run(`
    const codes = []
    for (const attempt of [() => tools.vault.read_secret(), () => tools.describe('vault.read_secret')])
      await attempt().catch((error) => codes.push(error.code))
    const { tools: found } = await tools.search('read a secret of the vault')
    return { codes, found: found.filter(({ call }) => call.includes('vault')) }`)
  t.deepEqual(value, { codes: ['out-of-scope', 'out-of-scope'], found: [] })
  t.deepEqual(made, [])
})

serial('the scope is that of the moment of each call', async (t) => {
  router.configure({ hostModes: { ask: { allowedMcpServers: ['search'] } } })
  const { run, session, made } = await task(() => {
    session.setHostMode('ask')
    return text('x')
  })
  const { problem, text: said } = await run('await tools.github.list_issues(); await tools.github.list_issues()')
  t.is(problem.reason, 'threw')
  t.is(made.length, 1)
  t.regex(said, /github/)
})

serial('arguments that do not fit the schema are refused before the call, with what would fit', async (t) => {
  const { run, made } = await task()
  const { value } = await run(`
    return tools.github.create_issue({ name: 'x' }).catch(({ code, message, tool }) => ({ code, message, tool }))`)
  t.is(value.code, 'invalid-arguments')
  t.is(value.tool, 'github/create_issue')
  t.regex(value.message, /title/)
  t.deepEqual(made, [])
})

serial('what destroys is asked for, one call after the other, with the arguments that will be sent', async (t) => {
  const { run, made } = await task()
  const asked = []
  let open = 0
  const approve = async ({ serverName, toolName, kind, arguments: args }) => {
    open += 1
    asked.push([serverName, toolName, kind, args, open])
    await sleep(5)
    open -= 1
    return true
  }
  const code = `await Promise.all([tools.github.delete_repo({ repo: 'a' }), tools.github.sync_all(), tools.github.list_issues()])`
  const { ok, text: said } = await run(code, { approve })
  t.true(ok, said)
  t.deepEqual(
    asked.toSorted(([, one], [, other]) => one.localeCompare(other)),
    [
      ['github', 'delete_repo', 'destructive', { repo: 'a' }, 1],
      ['github', 'sync_all', 'destructive', {}, 1],
    ],
  )
  t.is(made.length, 3)
})

serial(
  'a refusal ends the program, and so does the lack of anybody to ask; the answer says what has taken effect',
  async (t) => {
    for (const approve of [undefined, () => false, () => 'yes', () => Promise.reject(new Error('closed'))]) {
      const { run, made } = await task()
      const {
        ok,
        problem,
        text: said,
        calls,
      } = await run(
        `await tools.github.create_issue({ title: 'a' })
       try { await tools.github.delete_repo() } catch {}
       await tools.github.create_issue({ title: 'b' })`,
        { approve },
      )
      t.false(ok)
      t.is(problem.reason, 'refused')
      t.deepEqual(
        made.map(([name]) => name),
        ['github/create_issue'],
      )
      t.deepEqual(
        calls.map(({ state }) => state),
        ['done', 'refused'],
      )
      t.regex(said, /delete_repo may destroy something/)
      t.regex(said, /Calls made: 1 \(github\/create_issue\)\. Took effect: github\/create_issue\./)
    }
  },
)

serial('a tool that says in the midst of a program that it destroys is asked for', async (t) => {
  const [github] = SERVERS
  const tools = github.tools.map((tool) => ({ ...tool, annotations: { destructiveHint: true } }))
  const { run, made } = await task(async ({ toolName }) => {
    if (toolName === 'list_issues') await router.setServer({ name: 'github', tools })
    return text([])
  })
  const code = `await tools.github.create_issue({ title: 'a' })
    await tools.github.list_issues()
    await tools.github.create_issue({ title: 'b' })`
  const { ok, problem } = await run(code, { approve: () => false })
  t.false(ok)
  t.is(problem.reason, 'refused')
  t.is(made.length, 2)
})

serial('a tool that is called as promises and JSON are asked is told by a spelling that can be called', async (t) => {
  fresh([
    { name: 'later', tools: [{ name: 'then', description: 'Does the next thing' }] },
    { name: 'toJSON', tools: [{ name: 'convert', description: 'Converts a document' }] },
  ])
  const { run } = await task(() => text('called'), { servers: ['later', 'toJSON'] })
  const { value } = await run(`
    const [next, convert] = [await tools.describe('later/then'), await tools.describe('toJSON/convert')]
    return [next.call, convert.call]`)
  t.deepEqual(value, ['tools["later/then"]', 'tools["toJSON/convert"]'])
  for (const call of value) {
    const { value: said, text: why } = await run(`return ${call}()`)
    t.is(said, 'called', why)
  }
})

serial('the time in which somebody is asked does not count', async (t) => {
  const { run } = await task()
  const { ok } = await run('await tools.github.delete_repo()', {
    approve: async () => sleep(1_500, true),
    limits: { timeMs: 1_000 },
  })
  t.true(ok)
})

serial('who is asked and does not answer ends the program in a time of its own', async (t) => {
  const { run, made } = await task()
  let signal
  const approve = (request) => new Promise(() => (signal = request.signal))
  const { problem, text: said } = await run(`await tools.github.delete_repo()`, { approve, limits: { askMs: 200 } })
  t.is(problem.reason, 'refused')
  t.regex(said, /github\/delete_repo may destroy something, and nobody answered within 200 ms/)
  t.true(signal.aborted)
  t.deepEqual(made, [])
})

serial('programs whose person is asked take no place of those that run, up to 24 of them', async (t) => {
  const asked = []
  const approve = () => new Promise((resolve) => asked.push(resolve))
  const waiting = []
  for (let at = 0; at < 24; at += 4) {
    const { run } = await task()
    for (let of = 0; of < 4; of += 1) waiting.push(run(`await tools.github.delete_repo()`, { approve }))
  }
  while (asked.length < 24) await sleep(5)
  const { run } = await task()
  t.is((await run('return 1')).text, '1')
  const { text: said } = await run(`await tools.github.delete_repo()`, { approve })
  t.regex(said, /nobody can be asked now/)
  for (const answer of asked) answer(true)
  t.true((await Promise.all(waiting)).every(({ ok }) => ok))
  t.is((await run('return 2')).text, '2')
})

serial('a tool that answers with an error throws it in the program, which may go on', async (t) => {
  const { run } = await task(() => ({ ...text('no such repository'), isError: true }))
  const { value, calls } = await run(`
    try { await tools.github.create_issue({ title: 'a' }) } catch (error) { return [error.name, error.message, error.code] }`)
  t.deepEqual(value, ['ToolError', 'no such repository', 'tool-error'])
  t.is(calls[0].state, 'failed')
})

serial('a program that threw half way says what has taken effect, what is unknown, and where', async (t) => {
  const { run } = await task(({ toolName }, { title }) => {
    if (title === 'c') throw new Error('the connection ended')
    return text(toolName)
  })
  const { text: said, problem } = await run(`
    await tools.github.list_issues()
    print('so far')
    for (const title of ['a', 'b', 'c', 'd']) await tools.github.create_issue({ title })`)
  t.is(problem.reason, 'threw')
  t.regex(said, /the connection ended \(line 4\)/)
  t.regex(said, /Took effect: github\/create_issue 2 times\./)
  t.regex(said, /Whether these took effect is unknown: github\/create_issue\./)
  t.regex(said, /It printed:\nso far/)
})

serial('calls run side by side, at most as many as the limit, all of them in the end', async (t) => {
  let running = 0
  let most = 0
  const { run } = await task(async () => {
    running += 1
    most = Math.max(most, running)
    await sleep(10)
    running -= 1
    return text('x')
  })
  const { value } = await run(
    'return (await Promise.all(Array.from({ length: 20 }, () => tools.github.list_issues()))).length',
    { limits: { concurrentCalls: 3 } },
  )
  t.is(value, 20)
  t.is(most, 3)
})

serial('calls that a program did not wait for are waited for', async (t) => {
  const { run } = await task(() => sleep(30, text('x')))
  const { ok, calls } = await run(`tools.github.create_issue({ title: 'a' }); return 1`)
  t.true(ok)
  t.is(calls[0].state, 'done')
})

serial('each limit ends a program with its reason, and a report that fits the output', async (t) => {
  const cases = [
    ['time', 'await tools.github.create_issue({ title: "slow" })', { timeMs: 200 }],
    ['compute', 'for (;;);', { computeMs: 50 }],
    ['memory', 'const a = []; for (;;) a.push({ a })', { memoryBytes: 16 << 20 }],
    ['stack', '(function f() { f() })()', {}],
    ['calls', 'for (;;) await tools.github.list_issues()', { calls: 3 }],
    ['output', 'for (;;) print("x".repeat(1000))', { outputCharacters: 1_000 }],
    ['output', 'return "x".repeat(4000001)', { outputCharacters: 1_000 }],
    ['stalled', 'await new Promise(() => {})', {}],
    ['syntax', 'return (', {}],
    ['too-long', `return "${'x'.repeat(131_072)}"`, {}],
  ]
  const slow = async (_, { title }) => (title === 'slow' ? sleep(60_000, text('x'), { ref: false }) : text('x'))
  for (const [reason, code, limits] of cases) {
    const { run } = await task(slow)
    const { ok, problem, text: said, value } = await run(code, { limits })
    t.false(ok, code)
    t.is(problem.reason, reason, `${code}: ${problem.message}`)
    t.is(value, undefined)
    t.regex(said, /(^|\n)The program ended early: /)
    t.regex(said, /Calls made: \d/)
    t.true(said.length < 2_000, code)
  }
})

serial('a program that is cancelled stops its calls and says which were under way', async (t) => {
  const controller = new AbortController()
  let stopped = false
  const { run } = await task(async (_, __, { signal }) => {
    setTimeout(() => controller.abort(), 10)
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    stopped = true
    throw new Error('aborted')
  })
  const {
    problem,
    text: said,
    calls,
  } = await run('await tools.github.create_issue({ title: "a" })', {
    signal: controller.signal,
  })
  t.is(problem.reason, 'cancelled')
  t.is(calls[0].state, 'under-way')
  t.regex(said, /unknown: github\/create_issue/)
  await sleep(10)
  t.true(stopped)
  t.is((await run('return 1', { signal: AbortSignal.abort() })).problem.reason, 'cancelled')
})

serial('programs share nothing: the next one begins in a fresh world', async (t) => {
  const { run } = await task()
  await run('globalThis.kept = 1; Object.prototype.kept = 1; Array.prototype.map = null; tools.x = 1; return 1')
  const { value } = await run('return [typeof globalThis.kept, ({}).kept ?? null, typeof [].map]')
  t.deepEqual(value, ['undefined', null, 'function'])
})

serial('programs run side by side, each with its own calls', async (t) => {
  const { run } = await task(async (_, { n }) => sleep(5, text({ n })))
  const code =
    'const got = []; for (let i = 0; i < 5; i++) got.push((await tools.github.list_issues({ n: parameters.n })).n); return got'
  const all = await Promise.all(Array.from({ length: 20 }, (_, n) => run(code, { parameters: { n } })))
  t.deepEqual(
    all.map(({ value }) => value),
    Array.from({ length: 20 }, (_, n) => Array(5).fill(n)),
  )
})

serial('a call is remembered as a use, and told of before it is made', async (t) => {
  const { run } = await task()
  const told = []
  router.onTelemetry(null)
  await run('await tools.github.list_issues(); await tools.search.web()', { progress: (each) => told.push(each) })
  t.deepEqual(told, [
    { calls: 1, tool: { serverName: 'github', toolName: 'list_issues' } },
    { calls: 2, tool: { serverName: 'search', toolName: 'web' } },
  ])
})

serial('what the host says about a tool counts before what its name says', async (t) => {
  const { run } = await task()
  const asked = await run('await tools.github.list_issues()', { kindOf: () => 'destructive' })
  t.is(asked.problem.reason, 'refused')
  const free = await run('await tools.github.delete_repo()', { kindOf: () => 'read' })
  t.true(free.ok)
})

serial('a mistake of the host is an error that names the field, and runs nothing', async (t) => {
  const { session } = await task()
  const call = async () => 'x'
  const cases = [
    [undefined, 'return 1', { call }, /runProgram\.session: expected a Session/],
    [session, '', { call }, /runProgram\.code: expected JavaScript/],
    [session, 'return 1', {}, /runProgram\.call: expected a function/],
    [session, 'return 1', { call, approve: true }, /runProgram\.approve: expected a function/],
    [session, 'return 1', { call, limits: 5 }, /runProgram\.limits: expected an object/],
    [session, 'return 1', { call, limits: { wishes: 3 } }, /runProgram\.limits: expected only the keys timeMs/],
    [
      session,
      'return 1',
      { call, limits: { calls: 0 } },
      /runProgram\.limits\.calls: expected an integer from 1 to 10000, got 0/,
    ],
    [session, 'return 1', { call, limits: { timeMs: 1.5 } }, /runProgram\.limits\.timeMs: .* got 1\.5/],
    [session, 'return 1', { call, parameters: 'x'.repeat(2e6) }, /runProgram\.parameters: expected at most/],
  ]
  for (const [of, code, options, message] of cases) {
    const error = await refused(t, 'ERR_INVALID_ARGUMENT', () => runProgram(of, code, options), String(message))
    t.regex(error.message, message)
  }
})

serial('a process with warm threads ends by itself', async (t) => {
  const url = new URL('../packages/programs/index.mjs', import.meta.url).href
  const worker = new Worker(`import(${JSON.stringify(url)}).then(({ warmPrograms }) => warmPrograms())`, { eval: true })
  t.is(await new Promise((resolve) => worker.once('exit', resolve)), 0)
  await warmPrograms()
})

serial('the definition for a model is short, and the limits are those of the types', (t) => {
  t.true(JSON.stringify(programTool()).length < 700)
  t.deepEqual(Object.keys(DEFAULT_LIMITS).length, 10)
  t.is(programTool('go').name, 'go')
})
