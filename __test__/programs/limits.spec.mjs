// Programs that fail, reach a limit or run side by side, and what is said of them.
import { Worker } from 'node:worker_threads'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { closePrograms, DEFAULT_LIMITS, programTool, runProgram, warmPrograms } from '../../packages/programs/index.mjs'
import { fresh, refused, router } from '../helpers/router.mjs'
import { SERVERS, task, text } from '../helpers/program-servers.mjs'

test.beforeEach(() => fresh(SERVERS))
test.after.always(closePrograms)

/** In order: calls run one after the other in one process. */
const serial = test.serial

serial('a tool that answers with an error throws it in the program, which may go on', async (t) => {
  const { run, session } = await task(() => ({ ...text('no such repository'), isError: true }))
  const used = []
  session.recordUse = async (tool) => used.push(tool)
  const { value, calls } = await run(`
    try { await tools.github.create_issue({ title: 'a' }) } catch (error) { return [error.name, error.message, error.code] }`)
  t.deepEqual(value, ['ToolError', 'no such repository', 'tool-error'])
  t.is(calls[0].state, 'failed')
  t.deepEqual(used, [], 'what failed is no use')
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
    [session, 'return 1', {}, /runProgram\.call: expected a function/],
    [session, 'return 1', { call, approve: true }, /runProgram\.approve: expected a function/],
    [session, 'return 1', { call, limits: { wishes: 3 } }, /runProgram\.limits: expected only the keys timeMs/],
    [
      session,
      'return 1',
      { call, limits: { calls: 0 } },
      /runProgram\.limits\.calls: expected an integer from 1 to 10000, got 0/,
    ],
    [session, 'return 1', { call, parameters: 'x'.repeat(2e6) }, /runProgram\.parameters: expected at most/],
  ]
  for (const [of, code, options, message] of cases) {
    const error = await refused(t, 'ERR_INVALID_ARGUMENT', () => runProgram(of, code, options), String(message))
    t.regex(error.message, message)
  }
})

serial('a process with warm threads ends by itself', async (t) => {
  const url = new URL('../../packages/programs/index.mjs', import.meta.url).href
  const worker = new Worker(`import(${JSON.stringify(url)}).then(({ warmPrograms }) => warmPrograms())`, { eval: true })
  t.is(await new Promise((resolve) => worker.once('exit', resolve)), 0)
  await warmPrograms()
})

serial('the definition for a model is short, and the limits are those of the types', (t) => {
  t.true(JSON.stringify(programTool()).length < 700)
  t.deepEqual(Object.keys(DEFAULT_LIMITS).length, 10)
  t.is(programTool('go').name, 'go')
})
