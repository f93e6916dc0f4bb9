// Tools that are given in the call are ranked apart from the catalogue.
import test from 'ava'
import { fresh, router } from '../helpers/router.mjs'
import { QUERIES, scoped } from '../helpers/catalogue.mjs'

test.serial('the same list given again, or in another order, gives the same answer', async (t) => {
  await fresh()
  const list = scoped()
  for (const query of QUERIES) {
    const first = await router.attachInitial(query, list, 20)
    t.deepEqual(await router.attachInitial(query, structuredClone(list), 20), first)
    t.deepEqual(await router.search(query, list, 20), first.slice(0, (await router.search(query, list, 20)).length))
  }
})

test.serial('ranking a list does not touch the catalogue, nor does the catalogue touch it', async (t) => {
  await fresh([{ name: 'other', tools: [{ name: 'screenshot', description: 'screenshot' }] }])
  const { generation } = router.status
  t.deepEqual(await router.search('screenshot', scoped(), 10), ['mcp--browser-pilot--take-screenshot'])
  t.deepEqual([router.status.generation, router.status.toolCount], [generation, 1])
})

test.serial('a tool given twice is one tool, and names that collide are told apart', async (t) => {
  await fresh()
  const tool = (serverName, toolName) => ({ serverName, toolName, description: 'word' })
  t.deepEqual(await router.attachInitial('word', [tool('s', 'a'), tool('s', 'a')], 5), ['mcp--s--a'])
  t.is(new Set(await router.attachInitial('word', [tool('a b', 'x'), tool('a_b', 'x'), tool('a-b', 'x')], 5)).size, 3)
})
