// What recorded uses lift, and what they never do.
import test from 'ava'
import { fresh, router } from '../helpers/router.mjs'
import { QUERIES, servers, scoped } from '../helpers/catalogue.mjs'

const ALL = { topK: 1000 }

test.serial('usage lifts a tool among equals that the query matches', async (t) => {
  await fresh([
    {
      name: 'twins',
      tools: ['first', 'second', 'third'].map((name) => ({ name: `twin_${name}`, description: 'Polishes mirrors' })),
    },
  ])
  const order = async () => (await router.rank('polish mirrors')).tools.map(({ toolName }) => toolName)
  t.deepEqual(await order(), ['twin_first', 'twin_second', 'twin_third'])
  await router.recordUse({ serverName: 'twins', toolName: 'twin_third' })
  t.deepEqual(await order(), ['twin_third', 'twin_first', 'twin_second'])
  for (let use = 0; use < 3; use += 1) await router.recordUse('mcp--twins--twin_second')
  t.deepEqual(await order(), ['twin_second', 'twin_third', 'twin_first'])
  const { useBoost, tool } = await router.explain('polish mirrors', 'mcp--twins--twin_second')
  t.true(useBoost > 0 && useBoost === tool.boost)
})

test.serial('usage never lifts a tool that nothing in the query supports, however often it was used', async (t) => {
  await fresh(servers())
  const used = [
    'mcp--designer--comment',
    'mcp--weatherly--marine',
    'mcp--codehub--create_issue',
    'mcp--postgrid--vacuum',
  ]
  for (let use = 0; use < 100; use += 1) await Promise.all(used.map((name) => router.recordUse(name)))
  for (const query of QUERIES) {
    const { tools, supportedCount } = await router.rank(query, ALL)
    tools.forEach(({ lexicalScore, boost, name }, at) => {
      const isSupported = lexicalScore > 0 || boost >= 1000
      t.is(isSupported, at < supportedCount, `${query}: ${name}`)
      if (!isSupported) t.is(boost, 0, name)
      t.true(boost % 1000 < 0.25, name)
    })
  }
  t.deepEqual(await router.search('screenshot', scoped(), 10), ['mcp--browser-pilot--take-screenshot'])
})
