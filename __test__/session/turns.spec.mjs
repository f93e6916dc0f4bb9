// Later turns: what they attach, and when the window closes.
import test from 'ava'
import fc from 'fast-check'
import { fresh, provider, refused, router, started, stateOf } from '../helpers/router.mjs'
import { servers } from '../helpers/catalogue.mjs'

const TASK = 'deploy the service and fetch its logs'

test.serial('a later turn attaches at most three new tools, for the latest message', async (t) => {
  await fresh(servers())
  const { session, selection } = await started(TASK, { initialK: 5 })
  const next = await session.turn('what is the air quality and the forecast for the city')
  t.deepEqual(next.attached.slice(0, 5), selection.attached)
  t.is(next.added.length, 3)
  t.deepEqual(next.attached, [...selection.attached, ...next.added])
  t.true(next.added.every((name) => name.startsWith('mcp--weatherly--')))
  t.is(next.turn, 2)
})

test.serial('a message that names tools attaches them beside its three', async (t) => {
  await fresh(servers())
  const { session } = await started('the weather forecast', { initialK: 1 })
  const { added } = await session.turn('fetch_logs, restart_pod and listTables')
  const wanted = [...provider('cloudops', 'fetch_logs', 'restart_pod'), ...provider('postgrid', 'list_tables')]
  t.deepEqual([...added.slice(0, 3)].sort(), wanted.sort())
  t.true(added.length <= 6)
})

test.serial(
  "with initialK 'auto' a later turn adds at most three tools, pins and the first selection aside",
  async (t) => {
    const list = servers()
    list[8].alwaysLoad = ['export_frame', 'comment']
    await fresh(list)
    const unnamed = [
      'what was deployed, and does it rain in Lisbon?',
      'who was escalated to',
      'bring the two branches together',
      'zzzz qqqq',
      '',
      'how much is left on the shelf',
      'tell the team that the table is gone',
    ]
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...unnamed), { minLength: 1, maxLength: 9 }), async (messages) => {
        const { session, selection } = await started(messages[0], { threshold: 0, searchTurns: 9 })
        const chosen = ({ attached }) => attached.length - list[8].alwaysLoad.length
        let before = chosen(selection)
        for (const message of messages.slice(1)) {
          const now = chosen(await session.turn(message))
          // A first text that says too little leaves the choice to the next one.
          t.true(before === 0 || now - before <= 3, `${before} to ${now} for ${message}`)
          before = now
        }
        session.close()
      }),
      { numRuns: 60 },
    )
  },
)

test.serial('selection is the last selection, on every handle', async (t) => {
  await fresh(servers())
  const session = router.openSession({ sessionId: 'seen' })
  const other = router.session('seen')
  t.deepEqual([session.selection, other.selection], [null, null])
  const first = await session.start(TASK)
  t.deepEqual(session.selection, first)
  t.deepEqual(other.selection, first)
  t.deepEqual(router.session('seen').selection, first)
  const second = await other.turn('weather forecast')
  t.deepEqual(session.selection, second)
  await session.load({ query: 'vacuum' })
  t.true(session.selection.attached.includes('mcp--postgrid--vacuum'))
  t.deepEqual(other.selection, session.selection)
})

test.serial('starting twice, and a turn before the start, are errors that change nothing', async (t) => {
  await fresh(servers())
  const session = router.openSession()
  await refused(t, 'ERR_INVALID_ARGUMENT', () => session.turn('early'))
  t.is(session.selection, null)
  await session.start(TASK)
  const before = stateOf(session)
  await refused(t, 'ERR_INVALID_ARGUMENT', () => session.start(TASK))
  t.deepEqual(stateOf(session), before)
})
