// From how many tools, and what share of the context, a session selects.
import test from 'ava'
import { fresh, router, started } from '../helpers/router.mjs'
import { bulk, servers } from '../helpers/catalogue.mjs'

const TOTAL = 58

const TASK = 'deploy the service and fetch its logs'

const tools = (session) => JSON.parse(session.tools())

const named = (session) => tools(session).map((definition) => definition.function.name)

const GATE = [
  ['tools at the threshold', { threshold: TOTAL }, 'all'],
  ['one tool over the threshold', { threshold: TOTAL - 1 }, 'dynamic'],
  ['the default threshold of 50', {}, 'dynamic'],
  ['a threshold of 0', { threshold: 0 }, 'dynamic'],
  ['the kill switch', { threshold: 0, searchTurns: 0 }, 'all'],
  ['a long context window', { threshold: 0, contextWindow: 10_000_000 }, 'dynamic'],
]

for (const [what, settings, mode] of GATE) {
  test.serial(`gate: ${what} means mode ${mode}`, async (t) => {
    await fresh(servers())
    const { session, selection } = await started(TASK, settings)
    t.deepEqual([selection.mode, selection.scopedCount], [mode, TOTAL])
    t.is(selection.mcpLoad === null, mode === 'all')
    t.is(named(session).includes('mcp_load'), mode === 'dynamic')
    t.true(mode === 'all' ? selection.attached.length === TOTAL : selection.attached.length < TOTAL)
  })
}

test.serial('only tools in scope are counted at the gate', async (t) => {
  await fresh(servers(), { threshold: 7, hostModes: { code: { allowedMcpServers: ['codehub'] } } })
  const session = router.openSession({ hostMode: 'code' })
  const selection = await session.start(TASK)
  t.deepEqual([selection.mode, selection.scopedCount], ['all', 7])
  t.true(named(session).every((name) => name.startsWith('mcp--codehub--')))
})

test.serial('the kill switch equals static loading: every definition, in catalogue order', async (t) => {
  await fresh([...servers(), bulk('ledgers', 300)])
  const { session } = await started(TASK, { searchTurns: 0 })
  const wide = await started('something else', { threshold: 100_000 })
  t.is(session.tools(), wide.session.tools())
  t.is(tools(session).length, TOTAL + 300)
})
