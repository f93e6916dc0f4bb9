// What fills a context window, by section and by server.
import test from 'ava'
import { servers } from '../helpers/catalogue.mjs'
import { fresh, router, started } from '../helpers/router.mjs'
import { TEXTS, costs, count } from '../helpers/accounting.mjs'

const TASK = 'deploy the service and fetch its logs'

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0)

const near = (a, b) => Math.abs(a - b) < 1e-12

test.serial('contextUsage counts sections in the order given, and tools by server', async (t) => {
  await fresh(servers())
  const costOf = await costs()
  const sections = { system: 'You are a helper.', z: '', 'native tools': TEXTS[4], a: TEXTS[10], 7: 'seven' }
  const usage = await router.contextUsage(sections)
  // JavaScript itself puts whole numbers first.
  t.deepEqual(
    usage.sections.map(({ name }) => name),
    Object.keys(sections),
  )
  for (const { name, tokens, share } of usage.sections) {
    t.is(tokens, count(sections[name]))
    t.true(near(share, tokens / usage.window))
  }
  t.deepEqual(
    usage.servers.map(({ name }) => name),
    servers()
      .map(({ name }) => name)
      .sort(),
  )
  t.is(sum(usage.servers.map(({ tokens }) => tokens)), sum([...costOf.values()]))
  t.is(usage.total, sum([...usage.sections, ...usage.servers].map(({ tokens }) => tokens)))
  t.is(usage.window, usage.total)
  t.true(near(sum([...usage.sections, ...usage.servers].map(({ share }) => share)), 1))
})

test.serial('contextUsage of a session counts what is attached to it', async (t) => {
  await fresh(servers())
  const { session, selection } = await started(TASK, { initialK: 5 })
  const { servers: rows } = await router.contextUsage({}, { sessionId: session.id })
  t.deepEqual(
    rows.map(({ name, tokens }) => [name, tokens]),
    selection.tokens.servers
      .filter(({ attachedCount }) => attachedCount > 0)
      .map(({ serverName, attached }) => [serverName, attached]),
  )
})

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
