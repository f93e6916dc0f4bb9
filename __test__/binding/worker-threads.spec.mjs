// Worker threads share one router, and one that ends harms nobody.
import { Worker } from 'node:worker_threads'
import test from 'ava'
import { run } from '../helpers/child.mjs'
import { servers } from '../helpers/catalogue.mjs'
import { ADDON, fresh, router } from '../helpers/router.mjs'

const PRELUDE = `
const { parentPort, workerData } = require('node:worker_threads')
const { ToolRouter } = require(${JSON.stringify(ADDON)})
const router = ToolRouter.shared()
const say = (value) => parentPort.postMessage(value)
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
`

function worker(source, workerData) {
  const thread = new Worker(
    `${PRELUDE}\n;(async () => {\n${source}\n})().catch(({ name, code, message }) => say({ name, code, message }))`,
    { eval: true, workerData },
  )
  const said = []
  thread.on('message', (value) => said.push(value))
  const ended = new Promise((resolve, reject) => {
    thread.on('error', reject)
    thread.on('exit', (code) => resolve({ code, said }))
  })
  const first = new Promise((resolve) => thread.once('message', resolve))
  return { thread, ended, first }
}

test.serial('a worker ranks what the main thread set, and the other way round', async (t) => {
  await fresh(servers())
  const { ended } = worker(`
    say((await router.rank('list_issues', { topK: 1 })).tools[0].name)
    await router.setServer({ name: 'from_worker', tools: [{ name: 'walrus', description: 'Feeds the walrus' }] })
  `)
  t.deepEqual(await ended, { code: 0, said: ['mcp--codehub--list_issues'] })
  t.is((await router.rank('walrus')).tools[0].name, 'mcp--from_worker--walrus')
})

test.serial('several workers share one router and give the same answers', async (t) => {
  await fresh(servers())
  const expected = JSON.stringify((await router.rank('search the issues', { topK: 50 })).tools)
  const workers = Array.from({ length: 4 }, (_, at) =>
    worker(
      `
    for (let round = 0; round < 20; round += 1) {
      say(JSON.stringify((await router.rank('search the issues', { topK: 50 })).tools))
      await router.recordUse('mcp--weatherly--marine')
      const session = router.openSession({ sessionId: 'w' + workerData + '-' + round })
      await session.start('x')
      session.close()
    }
  `,
      at,
    ),
  )
  for (const { ended } of workers) {
    const { code, said } = await ended
    t.is(code, 0)
    t.deepEqual([...new Set(said)], [expected])
  }
})

test.serial('a session is found by its id from another thread, and its turns add up', async (t) => {
  await fresh(servers())
  const session = router.openSession({ sessionId: 'shared', settings: { initialK: 2 } })
  await session.start('deploy')
  const { ended } = worker(`
    const session = router.session('shared')
    say((await session.turn('weather forecast')).turn)
    say(session.tools())
    say((await session.load({ query: 'vacuum' })).loaded.length)
  `)
  const {
    said: [turn, text, loaded],
  } = await ended
  t.deepEqual([turn, loaded], [2, 1])
  t.true(session.tools().startsWith(text.slice(0, -1)))
  t.is((await session.turn('merge')).turn, 3)
  session.close()
})

const MID_CALL = {
  ranking: `const loop = async () => { for (;;) await router.rank('thing ' + Math.random(), { topK: 5 }) }; loop(); loop(); await router.rank('x'); say('going')`,
  'with many calls waiting': `say('going'); for (let at = 0; at < 300; at += 1) router.countTokens('word '.repeat(5000))`,
  'taking turns': `const session = router.openSession(); await session.start('x'); say('going'); for (;;) await session.turn('weather ' + Math.random())`,
}

for (const [what, source] of Object.entries(MID_CALL)) {
  test.serial(`workers terminated while ${what} harm nobody`, async (t) => {
    await fresh(servers())
    for (let round = 0; round < 6; round += 1) {
      const { thread, first, ended } = worker(source)
      await first
      if (round % 3 > 0) await new Promise((resolve) => setTimeout(resolve, round))
      await thread.terminate()
      await ended
    }
    await fresh(servers())
    t.is((await router.rank('list_issues')).tools[0].toolName, 'list_issues')
  })
}

test.serial('a worker that calls process.exit in the middle of a call ends alone', async (t) => {
  await fresh(servers())
  for (let round = 0; round < 5; round += 1) {
    const { ended } = worker(`
      await router.setEmbedder((texts) => texts.map((text) => [1, text.length]))
      router.onTelemetry(() => {})
      for (let at = 0; at < 50; at += 1) router.rank('thing ' + at)
      router.openSession().start('x')
      process.exit(${round})
    `)
    t.is((await ended).code, round)
    t.is((await router.rank(`weather ${round}`, { ranker: 'lexical' })).candidateCount, 58)
  }
  await router.setEmbedder((texts) => texts.map((text) => [1, text.length]))
  t.is((await router.ready()).state, 'ready')
})

test.serial(
  'when the worker that set the embedder ends, rankings are lexical and say so, and a new embedder works',
  async (t) => {
    for (const isTerminated of [false, true]) {
      await fresh(servers())
      const { thread, first, ended } = worker(`
      await router.setEmbedder((texts) => texts.map((text) => [1, text.length]), { modelId: 'of a worker' })
      await router.ready()
      say(router.status.state)
      ${isTerminated ? 'await new Promise((resolve) => setTimeout(resolve, 1e6))' : ''}
    `)
      t.is(await first, 'ready')
      if (isTerminated) await thread.terminate()
      await ended
      const answer = await router.rank(`weather ${isTerminated}`, { deadlineMs: 30_000 })
      t.deepEqual([answer.ranker, answer.degraded?.code], ['lexical', 'embedding-failed'])
      t.true(router.status.lastError.includes('ended'), router.status.lastError)
      await router.setServer({ name: 'late', tools: [{ name: 'x', description: 'y' }] })
      await router.ready()
      await router.setEmbedder((texts) => texts.map((text) => [1, text.length]))
      t.is((await router.ready()).state, 'ready')
      t.is((await router.rank(`weather again ${isTerminated}`, { deadlineMs: 30_000 })).ranker, 'hybrid')
    }
  },
)

test.serial('when the worker that set the telemetry listener ends, nobody is told and sessions go on', async (t) => {
  for (const isTerminated of [false, true]) {
    await fresh(servers())
    const { thread, first, ended } = worker(`
      router.onTelemetry(({ event }) => say(event))
      await router.openSession().start('weather')
      ${isTerminated ? 'setInterval(() => {}, 1000)' : 'await sleep(100)'}
    `)
    t.is(await first, 'dynamic_tools.task_start')
    if (isTerminated) await thread.terminate()
    await ended
    const session = router.openSession()
    t.is((await session.start('weather')).mode, 'dynamic')
    t.truthy(await session.load({ query: 'vacuum' }))
    const told = []
    router.onTelemetry((event) => told.push(event))
    await session.load({ query: 'marine' })
    await new Promise((resolve) => setTimeout(resolve, 50))
    t.true(told.length > 0)
    session.close()
  }
})

const ONE_TOOL = JSON.stringify({ name: 'a', tools: [{ name: 'x', description: 'Does x' }] })

const LOADS = `const { ToolRouter } = require(ADDON); const router = ToolRouter.shared()`

const IN_WORKERS = {
  'one after another': `for (let at = 0; at < 4; at += 1) await inWorker(LOADS)`,
  'a server is set in one and ranked in the next': `await inWorker(LOADS + '; router.setServer(${ONE_TOOL})'); await inWorker(LOADS + '; router.rank("x")')`,
  'two at once, and then a third': `await Promise.all([inWorker(LOADS), inWorker(LOADS)]); await inWorker(LOADS)`,
  'a model in each of two': `const model = LOADS + '; router.loadModel({ cacheDir: false })'; await inWorker(model); await inWorker(model)`,
  'a session in a worker that is ended, twice': `for (let at = 0; at < 2; at += 1) await inWorker(LOADS + '; router.openSession().start("x"); setInterval(() => {}, 50)', 300)`,
}

for (const [shape, body] of Object.entries(IN_WORKERS)) {
  test(`the addon is loaded by workers alone: ${shape}`, async (t) => {
    const source = `
      const { Worker } = require('node:worker_threads')
      const ADDON = ${JSON.stringify(ADDON)}
      const LOADS = ${JSON.stringify(LOADS)}
      const inWorker = (code, endsAfter) => new Promise((ends, fails) => {
        const worker = new Worker('const ADDON = ' + JSON.stringify(ADDON) + ';' + code, { eval: true })
        worker.on('error', fails).on('exit', ends)
        if (endsAfter) worker.on('online', () => setTimeout(() => worker.terminate(), endsAfter))
      })
      ;(async () => { ${body} })().then(() => process.stdout.write('done'))
    `
    const { code, signal, hung, stdout, stderr } = await run(['-e', source])
    t.deepEqual({ code, signal, hung, stdout }, { code: 0, signal: null, hung: false, stdout: 'done' }, stderr)
  })
}
