// Servers and their SDKs write a schema in other bytes at each start. It is the same one: nothing has changed, what was sent
// first stays, nothing is withheld or told again, and what a person has accepted stays accepted.
import test from 'ava'

import { router } from '../helpers/router.mjs'

const BASE = {
  type: 'object',
  properties: {
    table: { type: ['string', 'null'], description: 'Café', default: { b: 1, a: [1, 2] } },
    limit: { type: 'integer', minimum: 1, default: 10 },
    order: { enum: ['up', 'down'] },
  },
  required: ['table', 'order'],
  additionalProperties: false,
}
const SENT = JSON.stringify(BASE)
const FILL = Array.from({ length: 30 }, (_, at) => ({ name: `fill_${at}`, description: `Filler ${at}` }))

/** The same value with its keys in another order. */
function shuffled(value, order) {
  if (Array.isArray(value)) return value.map((each) => shuffled(each, order))
  if (value === null || typeof value !== 'object') return value
  const keys = Object.keys(value)
  const turned =
    order % 2 ? keys.toReversed() : [...keys.slice(order % keys.length), ...keys.slice(0, order % keys.length)]
  return Object.fromEntries(turned.map((key) => [key, shuffled(value[key], order + 1)]))
}

const SAME = {
  'keys in another order': JSON.stringify(shuffled(BASE, 1)),
  'lines and blanks': JSON.stringify(BASE, null, '\t'),
  'escaped letters': SENT.replace('é', '\\u00e9'),
  'numbers with fractions and exponents': SENT.replace('"minimum":1', '"minimum":1.0').replace(':10', ':1e1'),
  'required in another order': SENT.replace('["table","order"]', '["order","table"]'),
  'an object': BASE,
}
const OTHER = {
  'an enum in another order': SENT.replace('["up","down"]', '["down","up"]'),
  'a default in another order': SENT.replace('[1,2]', '[2,1]'),
  'less that is required': SENT.replace('["table","order"]', '["table"]'),
}

const server = (inputSchema) => ({ name: 'db', tools: [{ name: 'query', description: 'Reads a table', inputSchema }] })
const isThere = ({ tools }) => JSON.parse(tools).some(({ name }) => name === 'mcp--db--query')

async function opened(changedTools, schema = SENT) {
  router.configure({ ranker: 'lexical', changedTools, threshold: 5, initialK: 3 })
  await router.setServers([server(schema), { name: 'fill', tools: FILL }], { replace: true })
  const session = router.openSession()
  await session.start('read a table')
  return session
}

for (const [what, schema] of Object.entries(SAME)) {
  for (const changedTools of ['tell', 'withhold']) {
    test.serial(`${what} change nothing with changedTools ${changedTools}`, async (t) => {
      await router.removeServer('db')
      const session = await opened(changedTools)
      const way = { provider: 'anthropic', delivery: 'append' }
      const before = session.render(way)
      const change = await router.setServer(server(schema))
      await session.sync()
      const after = session.render(way)
      t.deepEqual([change.changed, change.unchanged, change.warnings], [[], 1, []])
      t.is(after.tools, before.tools, 'the bytes that were sent first')
      t.false(after.rewritten)
      t.true(isThere(after))
      session.close()
    })
  }
}

for (const [what, schema] of Object.entries(OTHER)) {
  test.serial(`${what} is another definition`, async (t) => {
    const session = await opened('withhold')
    const change = await router.setServer(server(schema))
    t.deepEqual(change.changed, [{ serverName: 'db', toolName: 'query' }])
    await session.sync()
    t.false(isThere(session.render({ provider: 'anthropic', delivery: 'append' })))
    session.close()
    await router.acknowledge({ serverName: 'db', toolName: 'query' })
    await router.setServer(server(JSON.stringify(shuffled(JSON.parse(schema), 1))))
    const again = router.openSession()
    await again.start('read a table')
    t.true(isThere(again.render({ provider: 'anthropic', delivery: 'append' })), 'what was accepted stays accepted')
    again.close()
    await router.removeServer('db')
  })
}

test.serial('a restored session is told nothing twice because a server writes in other bytes', async (t) => {
  const session = await opened('tell')
  const way = { provider: 'gemini', delivery: 'call' }
  t.true(session.render(way).messages.includes('mcp--db--query'))
  const saved = JSON.stringify(session)
  session.close()
  await router.removeServer('db')
  await router.setServer(server(SAME['keys in another order']))
  const restored = await router.restoreSession(saved)
  t.is(restored.render(way).messages, '[]')
  restored.close()
})
