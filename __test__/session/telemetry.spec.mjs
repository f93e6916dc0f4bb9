// What is told to a listener: counts and names of states, and nothing of a user.
import test from 'ava'
import { QUERIES, bulk, servers } from '../helpers/catalogue.mjs'
import { fresh, router, started } from '../helpers/router.mjs'

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

const SECRET = 'xylophone'

async function heard(work) {
  const events = []
  router.onTelemetry((event) => events.push(event))
  await work()
  await sleep(50)
  router.onTelemetry(null)
  return events
}

test.serial('the four events come with counts and names of states alone', async (t) => {
  await fresh(servers())
  let session
  let turn
  const events = await heard(async () => {
    session = router.openSession({ sessionId: 'told', settings: { initialK: 3, directoryTokens: 0 } })
    await session.start(`${SECRET} create an issue`)
    turn = await session.turn(`${SECRET} weather forecast`)
    await session.load({ query: `vacuum_${SECRET}, create_issue, vacuum, no_such_${SECRET}` })
  })
  const { selection } = session
  const fallback = { event: 'dynamic_tools.ranker_fallback', sessionId: 'told', reason: 'model-not-loaded' }
  t.deepEqual(events, [
    {
      event: 'dynamic_tools.task_start',
      sessionId: 'told',
      scopedCount: 58,
      attachedCount: 3,
      tokensSaved: events[0].tokensSaved,
      ranker: 'lexical',
    },
    fallback,
    {
      event: 'dynamic_tools.rolling_window_step',
      sessionId: 'told',
      turn: 2,
      addedCount: turn.added.length,
      attachedCount: 3 + turn.added.length,
    },
    fallback,
    {
      event: 'dynamic_tools.mcp_load_invoked',
      sessionId: 'told',
      queryLength: events.find(({ queryLength }) => queryLength)?.queryLength,
      loadedCount: selection.attached.length - turn.attached.length,
      alreadyAttachedCount: 1,
      unavailableCount: 2,
      attachedCount: selection.attached.length,
      turn: 2,
    },
  ])
  t.true(events[0].tokensSaved > 0)
  t.false(JSON.stringify(events).includes(SECRET))
})

test.serial('nothing is told while the mode is all, or without a listener', async (t) => {
  await fresh(servers())
  t.deepEqual(
    await heard(async () => {
      const { session } = await started('create an issue', { searchTurns: 0 })
      await session.turn('weather')
      await session.load({ query: 'vacuum' })
      await router.rank('weather')
      await router.attachInitial('weather', [{ serverName: 's', toolName: 't' }], 1)
    }),
    [],
  )
  const events = []
  router.onTelemetry((event) => events.push(event))
  router.onTelemetry(null)
  await started('create an issue')
  await sleep(50)
  t.deepEqual(events, [])
})

test.serial('no event holds a query, a tool or a server, whatever the query', async (t) => {
  await fresh([...servers(), bulk('ledgers', 50)])
  const events = await heard(async () => {
    for (const query of QUERIES.filter((text) => text.length > 4)) {
      const { session } = await started(query, { initialK: 2 })
      await session.turn(query)
      await session.load({ query })
      session.close()
    }
  })
  const told = JSON.stringify(events.map(({ sessionId, ...rest }) => rest))
  t.true(events.length > 20)
  for (const query of QUERIES.filter((text) => text.length > 4)) t.false(told.includes(query), query)
  for (const { name, tools } of servers())
    t.false(
      [name, ...tools.map((tool) => tool.name)].some((word) => told.includes(`"${word}"`)),
      name,
    )
})
