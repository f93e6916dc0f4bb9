// What processes do at their end: nothing hangs, nothing crashes, nothing is kept alive.
import test from 'ava'
import { endedWell, runScript } from '../helpers/child.mjs'
import { bulk } from '../helpers/catalogue.mjs'
import { fresh, router } from '../helpers/router.mjs'

const ENDS = {
  'having done nothing': '',
  'with a session open': `await router.setServer(thousand('s', 60)); const session = router.openSession(); await session.start('x'); say(session.selection.mode)`,
  'with an embedder set and texts pending': `await router.setEmbedder(async (texts) => { await sleep(5); return texts.map(() => [1, 2]) }, { batchSize: 1 }); await router.setServer(thousand('s', 2000)); say(1)`,
  'with a listener, an embedder and a model': `router.onTelemetry(() => {}); await router.loadModel({ cacheDir: false }); await router.setEmbedder((texts) => texts.map(() => [1, 2])); say(1)`,
  'with an embedder that hangs on a query': `let isHung = false; await router.setEmbedder((texts) => isHung ? new Promise(() => {}) : texts.map(() => [1, 2])); await router.ready(); isHung = true; say((await router.rank('x', { deadlineMs: 5 })).ranker)`,
  'after errors of every kind': `for (const call of [() => router.rank(5), () => router.session('x'), () => router.loadModel({ modelDir: '/nowhere' }), () => router.setEmbedder(() => { throw 1 })]) { try { await call() } catch ({ code }) { say({ code }) } }`,
  'after a panic of ours': `const { stderr } = process; const addon = require(Object.keys(require.cache).find((file) => file.endsWith('.node'))); await addon.__panic().catch(({ code }) => say({ code })); say((await router.rank('x')).candidateCount)`,
}

for (const [what, source] of Object.entries(ENDS)) {
  test(`a process ends by itself ${what}`, async (t) => {
    const { code, signal, hung, said, stderr } = await runScript(source)
    t.deepEqual({ code, signal, hung }, { code: 0, signal: null, hung: false }, stderr)
    t.is(said.length > 0, source !== '')
  })
}

test('a call that nobody awaits is still done before the process ends', async (t) => {
  t.deepEqual(
    endedWell(
      t,
      await runScript(`
    router.setServer(thousand('s', 500))
    router.rank('number 7', { topK: 1 }).then(({ candidateCount }) => say(candidateCount))
  `),
    ),
    [500],
  )
})

test('an embedder that nobody waits for ends no process when it fails, and status says why', async (t) => {
  const source = `
    router.loadModel({ modelDir: '/nowhere' })
    router.setEmbedder(5)
    await router.loadModel({ modelDir: '/nowhere/else' }).catch(({ code }) => say({ code }))
    say(router.status.lastError)
    await router.setServer(thousand('s', 2))
    say((await router.rank('number 1')).ranker)
    await router.setEmbedder((texts) => texts.map(() => [1, 2]))
    say({ after: router.status.lastError ?? null })
  `
  const [rejected, lastError, ranker, after] = endedWell(t, await runScript(source))
  t.deepEqual([rejected, ranker, after], [{ code: 'ERR_MODEL_NOT_FOUND' }, 'lexical', { after: null }])
  t.regex(lastError, /^ERR_MODEL_NOT_FOUND: no model file at /)
})

const UNDER_WAY = {
  'a ranking': `await router.setServers([thousand('a', 4000), thousand('b', 4000)]); for (let at = 0; at < 200; at += 1) router.rank('thing of number ' + at)`,
  'a model being loaded': `router.loadModel({ cacheDir: false }); await sleep(Number(process.env.WAIT))`,
  'vectors being made': `await router.setServer(thousand('s', 2000)); await router.loadModel({ cacheDir: false }); router.ready(); await sleep(Number(process.env.WAIT))`,
  'a wait for an embedder': `await router.setEmbedder((texts) => texts.length > 0 && global.isHung ? new Promise(() => {}) : texts.map(() => [1, 2])); await router.ready(); global.isHung = true; router.rank('x', { deadlineMs: 60000 }); router.setServer(thousand('s', 10)); router.ready(); await sleep(50)`,
  'an embedder being asked for the first time': `router.setEmbedder(() => new Promise(() => {}), { timeoutMs: 600000 }); await sleep(50)`,
  'an embedder that blocks': `router.setEmbedder((texts) => { process.exit(0) })
    await sleep(10000)`,
  'tokens being counted': `router.countTokens('word '.repeat(3000000)); await sleep(5)`,
  'a session taking turns': `await router.setServer(thousand('s', 3000)); const session = router.openSession(); session.start('x'); for (let at = 0; at < 100; at += 1) session.turn('thing ' + at); session.load({ query: 'thing' })`,
}

for (const [what, source] of Object.entries(UNDER_WAY)) {
  for (const WAIT of what.includes('being made') || what.includes('loaded') ? ['0', '300'] : ['']) {
    test(`process.exit during ${what} ends well${WAIT && `, ${WAIT} ms in`}`, async (t) => {
      t.deepEqual(
        endedWell(t, await runScript(`${source}\nsay('exit'); process.exit(0)`, { env: { WAIT } })),
        what.includes('blocks') ? [] : ['exit'],
      )
    })
  }
}

test('an uncaught error during a call ends the process with its own code, not with a crash', async (t) => {
  const { code, signal } = await runScript(
    `await router.setServer(thousand('s', 2000)); router.rank('x'); setImmediate(() => { throw new Error('of the host') }); await sleep(100000)`,
  )
  t.deepEqual([code, signal], [1, null])
})

test('two copies of the loader in one process share one router', async (t) => {
  t.deepEqual(
    endedWell(
      t,
      await runScript(`
    await router.setServer(thousand('s', 5))
    delete require.cache[ADDON]
    const again = require(ADDON).ToolRouter.shared()
    say(again.status.toolCount)
  `),
    ),
    [5],
  )
})

test.serial('while much is being done the JavaScript thread goes on', async (t) => {
  await fresh()
  let beats = 0
  const timer = setInterval(() => (beats += 1), 1)
  const [first, ...rest] = [
    router.setServers(Array.from({ length: 4 }, (_, at) => bulk(`server${at}`, 2500))),
    router.rank('invoice', { topK: 5 }),
    router.countTokens('word '.repeat(500_000)),
  ]
  const { status } = router
  t.truthy(status)
  beats = 0
  await Promise.all([first, ...rest])
  clearInterval(timer)
  t.true(beats > 3, `${beats} beats`)
  await fresh()
})
