// What holds for any session: what is attached only grows, and nothing out of scope is shown.
import test from 'ava'
import fc from 'fast-check'
import { fresh, router } from '../helpers/router.mjs'
import { QUERIES, bulk, servers } from '../helpers/catalogue.mjs'

const TASK = 'deploy the service and fetch its logs'

const settings = fc
  .record({
    threshold: fc.constantFrom(0, 20, 57, 58, 100),
    initialK: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constant('auto')),
    searchK: fc.integer({ min: 1, max: 12 }),
    searchTurns: fc.integer({ min: 0, max: 4 }),
    nativeToolCount: fc.integer({ min: 0, max: 20 }),
    room: fc.option(fc.integer({ min: 1, max: 70 }), { nil: undefined }),
    tokenBudget: fc.option(fc.constantFrom(1, 60, 300, 2000), { nil: undefined }),
  })
  .map(({ room, ...rest }) => ({ ...rest, maxTools: room === undefined ? undefined : rest.nativeToolCount + room }))

const operation = fc.oneof(
  fc.record({ do: fc.constant('turn'), text: fc.constantFrom(...QUERIES) }),
  fc.record({
    do: fc.constant('load'),
    text: fc.constantFrom(
      ...QUERIES.filter((query) => query !== ''),
      'weatherly',
      'marine, escalate, no_such, vacuum',
      'Chat Room',
    ),
  }),
  fc.record({ do: fc.constant('add'), text: fc.constantFrom('late-one', 'late two', 'a_server') }),
  fc.constant({ do: 'restore' }),
)

test.serial(
  'attached only grows, definitions are a prefix of the next ones, and no limit is ever exceeded',
  async (t) => {
    await fc.assert(
      fc.asyncProperty(settings, fc.array(operation, { maxLength: 8 }), async (chosen, operations) => {
        const list = servers()
        list[8].alwaysLoad = ['export_frame', 'comment']
        await fresh(list)
        let session = router.openSession({ settings: chosen })
        let last = { attached: [], text: '' }
        const check = (selection) => {
          const text = session.tools()
          const rendered = JSON.parse(text).map((definition) => definition.function.name)
          const { attached, mode, mcpLoad, notAttached, tokens } = selection
          // A task that becomes dynamic at its limit gives a tool away for mcp_load, and says so.
          if (!selection.rewrite) t.deepEqual(attached.slice(0, last.attached.length), last.attached)
          const grew = text.startsWith(last.text.slice(0, -1))
          if (last.text !== '' && last.text !== '[]' && !selection.rewrite) t.true(grew, 'prefix')
          t.is(new Set(attached).size, attached.length)
          t.deepEqual(
            rendered.filter((name) => name !== 'mcp_load'),
            attached,
          )
          t.is(rendered.includes('mcp_load'), mode === 'dynamic')
          t.is(mcpLoad !== null, mode === 'dynamic')
          if (chosen.maxTools !== undefined)
            t.true(
              rendered.length + chosen.nativeToolCount <= chosen.maxTools,
              `${rendered.length} + ${chosen.nativeToolCount} of ${chosen.maxTools}`,
            )
          if (last.text === '' && mode === 'dynamic' && chosen.tokenBudget !== undefined)
            t.true(tokens.attached <= chosen.tokenBudget)
          for (const { name, reason } of notAttached)
            t.true(!attached.includes(name) && ['over-limit', 'over-budget'].includes(reason))
          last = { attached, text }
        }
        check(await session.start(TASK))
        for (const { do: what, text } of operations) {
          if (what === 'turn') check(await session.turn(text))
          if (what === 'load') await session.load({ query: text })
          if (what === 'add') await router.setServer(bulk(text, 5))
          if (what === 'restore') session = await router.restoreSession(JSON.stringify(session))
          check({ ...session.selection, notAttached: [] })
        }
        session.close()
      }),
      { numRuns: 150 },
    )
  },
)

test('explain says how each tool is shown and which row of the list decided', async (t) => {
  const server = 'desk-of-reports'
  const tools = Array.from({ length: 30 }, (_, at) => ({
    name: `report_${at}`,
    description:
      at === 0 ? 'Create an invoice for a customer' : `Read report number ${at} about ${'abcdefghij'[at % 10]}`,
  }))
  await router.setServer({ name: server, tools })
  const placedOf = async (settings, text, tool, before = async () => {}) => {
    const session = router.openSession({ servers: [server], settings: { threshold: 0, ...settings } })
    await session.start(text)
    await before(session)
    const { placed, text: said } = await session.explain({ serverName: server, toolName: tool })
    session.close()
    if (placed) t.true(said.includes(`shown as: ${placed.shownAs}, by "${placed.by}"`))
    return placed
  }
  const text = 'create an invoice for the customer Acme'
  const chosen = await placedOf({}, text, 'report_0')
  t.like(chosen, { shownAs: 'definition', by: 'price' })
  t.true(chosen.chance > 0 && chosen.chance <= 1)
  t.like(await placedOf({ initialK: 1, directoryTokens: 0 }, `${text}, see a report`, 'report_1'), {
    shownAs: 'nothing',
  })
  t.like(await placedOf({ initialK: 30 }, text, 'report_9'), { shownAs: 'definition' })
  t.like(await placedOf({}, `use the tool report_7 of ${server}`, 'report_7'), { shownAs: 'definition' })
  t.like(await placedOf({ tokenBudget: 1 }, text, 'report_0'), { shownAs: 'line', by: 'room' })
  const turned = (session) => session.unload(['report_0']).then(() => session.turn(`${text} again`))
  t.like(await placedOf({}, text, 'report_0', turned), { shownAs: 'nothing', by: 'removed' })
})
