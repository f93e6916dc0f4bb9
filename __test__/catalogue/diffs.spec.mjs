// What a change of the catalogue reports, and which catalogue a ranking sees.
import test from 'ava'
import fc from 'fast-check'
import { fresh, names, nothing, router } from '../helpers/router.mjs'
import { bulk } from '../helpers/catalogue.mjs'
import { summary } from '../helpers/odd-catalogue.mjs'

test.serial('a diff equals a naive comparison of the two lists', async (t) => {
  const tool = fc.record({
    name: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
    description: fc.constantFrom('one', 'two'),
    title: fc.constantFrom(undefined, 'Title'),
    inputSchema: fc.constantFrom(undefined, '{"type":"object"}', '{"type":"object","title":"t"}'),
  })
  const tools = fc.uniqueArray(tool, { selector: ({ name }) => name, maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(tools, tools, async (before, after) => {
      await fresh([{ name: 's', tools: before }])
      const change = summary(await router.setServer({ name: 's', tools: after }))
      const old = new Map(before.map((entry) => [entry.name, JSON.stringify(entry)]))
      const isSame = (entry) => old.get(entry.name) === JSON.stringify(entry)
      const named = (list) => list.map((entry) => `s/${entry.name}`)
      t.deepEqual(
        { ...change, removed: change.removed.sort() },
        {
          added: named(after.filter((entry) => !old.has(entry.name))),
          changed: named(after.filter((entry) => old.has(entry.name) && !isSame(entry))),
          removed: named(before.filter((entry) => !after.some(({ name }) => name === entry.name))).sort(),
          unchanged: after.filter(isSame).length,
          refused: [],
        },
      )
      t.is(router.status.toolCount, after.length)
    }),
    { numRuns: 60 },
  )
})

test.serial('replace removes every server that is not given, and a plain call none', async (t) => {
  await fresh([
    { name: 'a', tools: [{ name: 'x' }] },
    { name: 'b', tools: [{ name: 'y' }] },
  ])
  t.deepEqual(summary(await router.setServers([{ name: 'c', tools: [] }])), nothing)
  t.is(router.status.serverCount, 3)
  t.deepEqual(summary(await router.setServers([{ name: 'b', tools: [{ name: 'y' }] }], { replace: true })), {
    ...nothing,
    removed: ['a/x'],
    unchanged: 1,
  })
  t.is(router.status.serverCount, 1)
})

test.serial('a ranking sees every server that was set before it, awaited or not', async (t) => {
  await fresh()
  const setting = router.setServer({ name: 'a', tools: [{ name: 'find_whale', description: 'Finds whales' }] })
  const ranking = router.rank('whale')
  const removing = router.removeServer('a')
  t.deepEqual(names(await ranking), ['mcp--a--find_whale'])
  await Promise.all([setting, removing])
  t.deepEqual(names(await router.rank('whale')), [])
})

test.serial('while many tools are set, rankings answer from the catalogue before and say so', async (t) => {
  await fresh([{ name: 'a', tools: [{ name: 'find_whale', description: 'Finds whales' }] }])
  const order = []
  const done = (what) => (answer) => {
    order.push(what)
    return answer
  }
  const setting = router.setServers(Array.from({ length: 4 }, (_, at) => bulk(`big${at}`, 2500))).then(done('set'))
  const removing = router.removeServer('a').then(done('removed'))
  const ranking = await router.rank('whale', { ranker: 'lexical' }).then(done('ranked'))
  t.deepEqual([names(ranking), ranking.candidateCount], [['mcp--a--find_whale'], 1])
  t.is(ranking.degraded.code, 'catalogue-pending')
  await Promise.all([setting, removing])
  t.deepEqual(order, ['ranked', 'set', 'removed'])
  const after = await router.rank('whale', { ranker: 'lexical' })
  t.deepEqual([after.candidateCount, after.degraded], [10_000, undefined])
  await fresh()
})
