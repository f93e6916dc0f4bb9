// A turn that waits for the vector of what was said holds up its own session, and nothing else.

import test from 'ava'

import { router } from '../helpers/router.mjs'

const tools = (count) =>
  Array.from({ length: count }, (_, at) => ({ name: `thing_${at}`, description: `Reads thing number ${at}` }))
const settings = { threshold: 0, deadlineMs: 60_000, initialK: 4 }

/** Vectors of queries come when `release` is called; those of tools at once. */
async function heldEmbedder() {
  let isHeld = false
  let release
  const held = new Promise((resolve) => {
    release = resolve
  })
  let asked
  const wasAsked = new Promise((resolve) => {
    asked = resolve
  })
  await router.setEmbedder(async (texts) => {
    if (isHeld) {
      asked()
      await held
    }
    return texts.map((text) => [text.length % 7, 1, text.length % 3])
  })
  await router.ready()
  isHeld = true
  return { release, wasAsked }
}

test.beforeEach(async () => {
  await router.setServers([{ name: 's', tools: tools(40) }], { replace: true })
})
test.afterEach.always(() => router.setEmbedder(null))

test.serial('calls of one session take effect in their order behind a turn that waits', async (t) => {
  const { release, wasAsked } = await heldEmbedder()
  const session = router.openSession({ sessionId: 'ordered', settings })
  const calls = [
    session.start('use thing_2'),
    session.load({ query: 'mcp--s--thing_20' }),
    session.unload(['mcp--s--thing_20']),
    session.turn('now thing 11'),
    session.recordUse('mcp--s--thing_11'),
    router.contextUsage({}, { sessionId: 'ordered' }),
  ]
  const order = []
  calls.forEach((call, at) => void call.then(() => order.push(at)))
  await wasAsked
  t.deepEqual(order, [])
  release()
  const [started, loaded, unloaded, turned, , usage] = await Promise.all(calls)
  t.deepEqual(order, [0, 1, 2, 3, 4, 5])
  t.deepEqual([started.turn, turned.turn], [1, 2])
  t.deepEqual([loaded.loaded.map(({ name }) => name), unloaded.unloaded], [['mcp--s--thing_20'], ['mcp--s--thing_20']])
  t.false(turned.attached.includes('mcp--s--thing_20'))
  t.true(usage.servers.length > 0)
})

test.serial('a call sees the tools that were set when it was made', async (t) => {
  const { release, wasAsked } = await heldEmbedder()
  const [first, second] = [router.openSession({ settings }), router.openSession({ settings })]
  const before = first.start('use thing_2')
  await wasAsked
  await router.setServers([{ name: 'other', tools: tools(3) }], { replace: true })
  const after = second.start('use thing_2')
  release()
  const serversOf = ({ attached }) => new Set(attached.map((name) => name.split('--')[1]))
  t.deepEqual([serversOf(await before), serversOf(await after)], [new Set(['s']), new Set(['other'])])
})

test.serial('a session that is closed while its turn waits refuses what lined up, and another goes on', async (t) => {
  const { release, wasAsked } = await heldEmbedder()
  const [closed, open] = [router.openSession({ settings }), router.openSession({ settings })]
  const first = closed.start('use thing_2')
  await wasAsked
  const next = closed.turn('and thing 12')
  const other = open.start('read thing 12')
  closed.close()
  release()
  await first
  await t.throwsAsync(next, { code: 'ERR_SESSION_NOT_FOUND' })
  t.is((await other).turn, 1)
})
