// What fills a context window, by section and by server.
import test from 'ava'
import { servers } from '../helpers/catalogue.mjs'
import { fresh, router } from '../helpers/router.mjs'

const near = (a, b) => Math.abs(a - b) < 1e-12

test.serial('shares refer to the window of the call, else of the settings, else to the total', async (t) => {
  await fresh(servers(), { contextWindow: 100_000 })
  const usage = await router.contextUsage({ a: 'some words' })
  t.is(usage.window, 100_000)
  t.true(near(usage.sections[0].share, usage.sections[0].tokens / 100_000))
  t.is((await router.contextUsage({ a: 'some words' }, { contextWindow: 50 })).window, 50)
  t.true((await router.contextUsage({ a: 'some words' }, { contextWindow: 1 })).servers[0].share > 1)
})

test.serial('contextUsage of nothing is 0, with shares of 0', async (t) => {
  await fresh()
  t.deepEqual(await router.contextUsage({}), { total: 0, window: 0, sections: [], servers: [] })
  t.deepEqual((await router.contextUsage({ a: '' })).sections, [{ name: 'a', tokens: 0, share: 0 }])
})
