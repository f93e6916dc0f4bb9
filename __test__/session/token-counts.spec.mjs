// What definitions cost, counted against another implementation of the encoding, and the receipt of a selection.
import test from 'ava'
import fc from 'fast-check'
import { servers } from '../helpers/catalogue.mjs'
import { fresh, router, started } from '../helpers/router.mjs'
import { costs, count, TEXTS } from '../helpers/accounting.mjs'

const TASK = 'deploy the service and fetch its logs'

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0)

test('countTokens counts any text as another implementation', async (t) => {
  for (const text of TEXTS) t.is(await router.countTokens(text), count(text), text.slice(0, 20))
  // Three kinds of white space are one to Rust and not to JavaScript, or the other way.
  const differs = /[\u0085\ufeff]|\p{Cc}/u
  const isSame = (text) => !differs.test(text)
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc.string({ unit: 'grapheme-ascii', maxLength: 200 }),
    fc.lorem(),
    fc.json(),
  )
  await fc.assert(
    fc.asyncProperty(text.filter(isSame), async (value) => {
      t.is(await router.countTokens(value), count(value), JSON.stringify(value))
    }),
    { numRuns: 300 },
  )
})

const ODD = {
  name: 'odd',
  tools: [
    { name: 'spaced', description: '说明 🚀', inputSchema: '{ "type" : "object",\n "properties" : {} }' },
    { name: 'bare' },
  ],
}

test.serial('the receipt equals counting the definitions', async (t) => {
  await fresh([...servers(), ODD])
  const costOf = await costs()
  for (const settings of [{}, { initialK: 3 }, { searchTurns: 0 }, { threshold: 100 }, { initialK: 60 }]) {
    const {
      session,
      selection: { tokens, attached, mcpLoad },
    } = await started(TASK, { directoryTokens: 0, ...settings })
    t.is(tokens.encoding, 'o200k_base')
    t.is(tokens.scoped, sum([...costOf.values()]))
    t.is(tokens.attached, sum(attached.map((name) => costOf.get(name))))
    t.is(tokens.mcpLoad, mcpLoad === null ? 0 : count(mcpLoad))
    t.is(tokens.saved, Math.max(0, tokens.scoped - tokens.attached - tokens.mcpLoad))
    session.close()
  }
})

test.serial('the receipt by server is in catalogue order and sums to the whole', async (t) => {
  await fresh([...servers(), ODD])
  const costOf = await costs()
  const {
    session,
    selection: { tokens, attached },
  } = await started(TASK, { initialK: 12 })
  const of = (serverName) => [...costOf].filter(([name]) => session.resolveTool(name).serverName === serverName)
  t.deepEqual(
    tokens.servers.map(({ serverName }) => serverName),
    [...servers(), ODD].map(({ name }) => name).sort(),
  )
  for (const row of tokens.servers) {
    const taken = of(row.serverName).filter(([name]) => attached.includes(name))
    t.deepEqual(row, {
      serverName: row.serverName,
      scoped: sum(of(row.serverName).map(([, cost]) => cost)),
      attached: sum(taken.map(([, cost]) => cost)),
      attachedCount: taken.length,
    })
  }
  t.is(sum(tokens.servers.map(({ scoped }) => scoped)), tokens.scoped)
  t.is(sum(tokens.servers.map((row) => row.attached)), tokens.attached)
})

test.serial('only what is on and in scope is counted', async (t) => {
  const list = servers()
  list[0].disabledTools = ['create_issue']
  list[1].disabled = true
  await fresh(list, { hostModes: { m: { blockedMcpServers: ['weatherly'] } } })
  const costOf = await costs()
  t.false(costOf.has('mcp--codehub--create_issue') || costOf.has('mcp--filesystem--read_file'))
  const session = router.openSession({ hostMode: 'm' })
  const { tokens } = await session.start(TASK)
  t.is(tokens.scoped, sum([...costOf].filter(([name]) => !name.startsWith('mcp--weatherly--')).map(([, cost]) => cost)))
  t.false(tokens.servers.some(({ serverName }) => serverName === 'weatherly'))
})
