// Ids, handles and settings of sessions, from opening to close.
import test from 'ava'
import { fresh, refused, router, started } from '../helpers/router.mjs'
import { servers } from '../helpers/catalogue.mjs'

const TOTAL = 58

const TASK = 'deploy the service and fetch its logs'

test.serial('closing twice is fine, and every other call fails afterwards', async (t) => {
  await fresh(servers())
  const { session, selection } = await started(TASK)
  t.truthy(session.resolveTool(selection.attached[0]))
  const { sessionCount } = router.status
  session.close()
  session.close()
  t.is(router.status.sessionCount, sessionCount - 1)
  t.true(session.closed)
  t.deepEqual([session.selection, session.resolveTool(selection.attached[0])], [null, null])
  const calls = [
    () => session.start('x'),
    () => session.turn('x'),
    () => session.load({ query: 'x' }),
    () => session.recordUse('mcp--postgrid--vacuum'),
    () => session.tools(),
    () => session.toJSON(),
    () => JSON.stringify(session),
    () => router.session(session.id),
    () => router.contextUsage({}, { sessionId: session.id }),
  ]
  for (const call of calls) {
    const error = await refused(t, 'ERR_SESSION_NOT_FOUND', call, String(call))
    t.true(error.message.includes(session.id), error.message)
  }
})

test.serial('an id of the host is taken, found again, refused while open, and free after the close', async (t) => {
  await fresh(servers())
  const session = router.openSession({ sessionId: 'task 7/α' })
  t.is(session.id, 'task 7/α')
  await session.start(TASK)
  t.is(router.session('task 7/α').tools(), session.tools())
  const error = await refused(t, 'ERR_INVALID_ARGUMENT', () => router.openSession({ sessionId: 'task 7/α' }))
  t.true(error.message.includes('task 7/α'))
  session.close()
  router.openSession({ sessionId: 'task 7/α' }).close()
})

test.serial('settings of the router apply to open sessions, except those that a session has of its own', async (t) => {
  await fresh(servers(), { initialK: 3 })
  const session = router.openSession()
  const own = router.openSession({ settings: { initialK: 4 } })
  router.configure({ initialK: 9 })
  t.is((await session.start(TASK)).attached.length, 9)
  t.is((await own.start(TASK)).attached.length, 4)
  router.configure({ initialK: 9, searchTurns: 0 })
  const all = await session.turn('go on')
  t.deepEqual([all.mode, all.rule, all.attached.length], ['all', 'kill-switch', TOTAL])
  t.deepEqual([(await own.sync()).rule, own.selection.mode], ['kill-switch', 'all'])
})
