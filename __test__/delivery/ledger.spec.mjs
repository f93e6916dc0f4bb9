// What a task has cost by the rule of its delivery, through a compaction and a restart.
import test from 'ava'
import { refused } from '../helpers/router.mjs'
import { started, router } from '../helpers/delivered.mjs'

test.serial('the ledger counts by the rule of the delivery, and a compaction begins it again', async (t) => {
  const context = { contextTokens: 20_000 }
  const of = async (settings) => {
    const { session } = await started({ provider: 'anthropic', ...settings })
    await session.turn('post a message to the team channel: mcp--Chat_Room--postMessage', context)
    return { session, ledger: session.selection.tokens.ledger }
  }
  const append = await of({ delivery: 'append' })
  t.is(append.ledger.rewriteCount, 1)
  t.true(append.ledger.rewrites >= 1.15 * 20_000)
  t.is(append.ledger.total, append.ledger.definitions + append.ledger.reads + append.ledger.rewrites)
  for (const delivery of ['defer', 'changes', 'call']) t.is((await of({ delivery })).ledger.rewriteCount, 0, delivery)
  t.is((await append.session.compact('done')).tokens.ledger.rewriteCount, 0)
})

test.serial('a host that says how long its context is has tools appended only where they are worth it', async (t) => {
  const added = async (contextTokens, delivery = 'append', message = 'post a message to the team channel') => {
    const { session } = await started({ provider: 'anthropic', delivery })
    return (await session.turn(message, { contextTokens })).added
  }
  const window = await added(undefined)
  t.true(window.length > 0 && window.length <= 3)
  // A rewrite that is worth it takes more tools at once.
  const worth = await added(5_000)
  t.true(worth.length <= 15)
  t.deepEqual(await added(50_000_000), [])
  // Where a tool costs no rewrite the context counts for nothing, and a tool that is named always comes.
  t.true((await added(50_000_000, 'changes')).length > 0)
  t.is(
    (await added(50_000_000, 'append', 'use mcp--Chat_Room--postMessage'))[0],
    'mcp--Chat_Room--postMessage_61efa002',
  )
  const { session } = await started({ provider: 'anthropic' })
  t.true((await session.load({ query: 'Chat Room' }, { contextTokens: 50_000_000 })).loaded.length > 0)
  for (const contextTokens of [-1, 1.5, NaN, Infinity, 1e12, '5', null])
    for (const call of [
      () => session.turn('x', { contextTokens }),
      () => session.load({ query: 'x' }, { contextTokens }),
      () => session.sync({ contextTokens }),
    ]) {
      const error = await refused(t, 'ERR_INVALID_ARGUMENT', call)
      t.regex(error.message, /contextTokens: expected an integer from 0 to 100000000/)
    }
  await refused(t, 'ERR_INVALID_ARGUMENT', () => session.turn('x', { context: 5 }))
})

test.serial('the ledger is saved with the state; older states have none, a damaged one is refused', async (t) => {
  const { session } = await started({ provider: 'anthropic', delivery: 'append' })
  await session.turn('use mcp--Chat_Room--postMessage', { contextTokens: 30_000 })
  const { ledger } = session.selection.tokens
  t.is(ledger.rewriteCount, 1)
  const saved = JSON.parse(JSON.stringify(session))
  session.close()
  const restored = await router.restoreSession(JSON.stringify(saved))
  t.deepEqual(restored.selection.tokens.ledger, ledger)
  // It knows what a rewrite costs as before.
  t.true((await restored.load({ query: 'deploy a service' })).loaded.length > 0)
  t.true(restored.selection.tokens.ledger.rewrites > ledger.rewrites + 1.15 * 30_000)
  restored.close()
  const { ledger: _, ...older } = saved
  const old = await router.restoreSession(JSON.stringify(older))
  t.is(old.selection.tokens.ledger.rewriteCount, 0)
  old.close()
  for (const damage of [{ reads: -1 }, { rewriteCount: 0.5 }, { rewrites: 'x' }, { contextTokens: 1e9 }, { more: 1 }]) {
    const text = JSON.stringify({ ...saved, ledger: { ...saved.ledger, ...damage } })
    await refused(t, 'ERR_STATE_INVALID', () => router.restoreSession(text))
  }
})
