// What recorded uses lift, and what they never do.
import test from 'ava'
import { fresh, router } from '../helpers/router.mjs'

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
  for (let use = 0; use < 100; use += 1) await router.recordUse('mcp--twins--twin_second')
  const { useBoost, tool } = await router.explain('polish mirrors', 'mcp--twins--twin_second')
  t.true(useBoost > 0.2 && useBoost < 0.25 && useBoost === tool.boost, 'never without bound')
})
