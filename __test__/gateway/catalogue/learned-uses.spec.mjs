// What a gateway learns from calls at other gateways: a tool that was called there is preferred here, within bounds, and only
// where it is in scope. Without PostgreSQL what needs it is skipped.

import test from 'ava'
import fc from 'fast-check'
import pg from 'pg'

import { hashOf as hashOfText, textOf } from '../../../packages/gateway/store/definitions.mjs'
import { deliver } from '../../../packages/gateway/calls/delivery.mjs'
import { LearnedUses } from '../../../packages/gateway/catalogue/learned-uses.mjs'
import { readStoreAddress } from '../../../packages/gateway/config/address.mjs'
import { FileStore } from '../../../packages/gateway/store/files.mjs'
import { PostgresStore } from '../../../packages/gateway/store/postgres/store.mjs'
import { MARKED, folder, gateway, odd, overHttp, unique, until } from '../../helpers/gateway.mjs'
import { MISSING, startPostgres } from '../../helpers/postgres.mjs'
import { replica } from '../../helpers/replica.mjs'
import { use, usesOf } from '../../helpers/store-claims.mjs'

const marked = (mark, more) => ({ command: process.execPath, args: [MARKED, mark], ...more })
/** A need that every tool of a marked server serves as well as any other. */
const NEED = 'list the invoices'

/** A gateway over servers, and what is learned there from counts that `counted` writes. */
async function learning(t, mcpServers) {
  const opened = await gateway(t, { mcpServers })
  const { router, catalogue } = opened
  const servers = Object.keys(mcpServers)
  const definitionOf = (server) => catalogue.entries.get(server).definition
  const hashOf = (server, tool) => hashOfText(textOf(catalogue.entries.get(server).tools.get(tool)))
  const ranked = async (need = NEED) =>
    (await router.rank(need, { servers, topK: 50 })).tools.map(({ name, score }) => [name, score])
  /** Ranks after `look` at these calls: server, tool, how often, and another definition. */
  const after = async (calls, looks = 1) => {
    await router.forget()
    const place = folder(t)
    const settings = { listDir: place, approvalDir: place }
    const [other, store] = [new FileStore(settings), new FileStore(settings)]
    const uses = new LearnedUses({ router, catalogue, uses: store.uses })
    for (let look = 0; look < looks; look++) {
      for (const [server, tool, times, definition = hashOf(server, tool)] of calls)
        await use(other, definitionOf(server), [[tool, times, definition]])
      await uses.look()
    }
    await uses.close()
    return ranked()
  }
  return { router, catalogue, ranked, after }
}

test('a call that fails, or that cannot be made, is no use', async (t) => {
  const used = []
  const desk = { uses: { record: ({ toolName }) => used.push(toolName) } }
  const row = { noted: async () => {}, ended: () => {} }
  const call = (toolName, request) => {
    const entry = { tools: new Map(), names: new Map(), downstream: { name: 's', request } }
    return deliver(desk, { entry, serverName: 's', toolName }, {}, {}, row)
  }
  await call('wrong', async () => ({ isError: true, content: [] }))
  await t.throwsAsync(call('gone', () => Promise.reject(new Error('no connection'))))
  await call('right', async () => ({ content: [] }))
  t.deepEqual(used, ['right'])
})

test.serial('calls at another gateway rank as the same calls here', async (t) => {
  const mark = unique('mkalike')
  const { router, ranked, after } = await learning(t, { [mark]: marked(mark) })
  const tool = (number) => `${mark}_list_t${number}`
  const before = await ranked()
  await router.forget()
  for (const number of [1, 2, 2, 2]) await router.recordUse({ serverName: mark, toolName: tool(number) })
  const here = await ranked()
  t.notDeepEqual(here, before)
  const there = await after([
    [mark, tool(1), 1],
    [mark, tool(2), 3],
  ])
  t.deepEqual(
    there.map(([name]) => name),
    here.map(([name]) => name),
  )
  for (const [at, [, score]] of there.entries()) t.true(Math.abs(score - here[at][1]) < 0.02)
})

test.serial(
  'calls without end count as a few, take nothing from others but half, and win over no better fit',
  async (t) => {
    const [own, foe] = [unique('mkown'), unique('foe')]
    const { catalogue, router, ranked, after } = await learning(t, { [own]: marked(own), [foe]: odd() })
    const foes = [...catalogue.entries.get(foe).names.keys()]
    t.true(6 * foes.length > 100)
    const mine = [own, `${own}_list_t1`, 5]
    const calls = (times) => [mine, ...foes.map((tool) => [foe, tool, times])]
    /** Uses that the router still counts: what they add is 0.25 (1 - exp(-uses / 3)), as DESIGN.md has it. */
    const left = async () => {
      const { useBoost } = await router.explain(NEED, { serverName: own, toolName: `${own}_list_t1` })
      return -3 * Math.log(1 - useBoost / 0.25)
    }
    await after([mine])
    const alone = await left()
    const few = await after(calls(6))
    const beside = await left()
    t.true(beside > alone / 2 && beside < alone, `${beside} of ${alone}`)
    t.deepEqual(await after(calls(300)), few)
    const one = (times) => after([mine, [foe, foes[0], times]])
    t.deepEqual(await one(9_000), await one(6))
    // The same again and again on one day.
    await after(calls(50), 6)
    t.true((await left()) > alone / 2, `${await left()} of ${alone}`)
    await after([mine, [own, `${own}_list_t0`, 9_000]])
    const [[best]] = await ranked(`list the invoices that ${own}t2 keeps`)
    t.is(best, `mcp--${own}--${own}_list_t2`)
  },
)

test.serial('counts of tools that are not in scope, say something else, or are of others change nothing', async (t) => {
  const [own, rest] = [unique('mkscope'), unique('mkrest')]
  const tool = (number) => `${own}_list_t${number}`
  const { ranked, after, router } = await learning(t, { [own]: marked(own, { disabledTools: [tool(2)] }) })
  const outside = fc.record({
    tool: fc.constantFrom(tool(0), tool(1), tool(2), `${rest}_list_t0`, '__proto__', ''),
    times: fc.integer({ min: 1, max: 40 }),
  })
  const inside = [
    [own, tool(1), 3],
    [own, tool(0), 1],
  ]
  const expected = await after(inside)
  await router.forget()
  t.notDeepEqual(await ranked(), expected)
  await fc.assert(
    fc.asyncProperty(fc.array(outside, { maxLength: 6 }), async (others) => {
      const noise = others.map((other) => [own, other.tool, other.times, `not as it is here`])
      const off = [own, tool(2), 30]
      t.deepEqual(await after([...noise, off, ...inside]), expected)
    }),
    { numRuns: 15 },
  )
})

const claim = MISSING === undefined ? test.serial : test.serial.skip

claim(
  'a gateway that starts over a database ranks as the ones whose clients have called, also after they are killed',
  async (t) => {
    const server = await startPostgres()
    t.teardown(() => server.end())
    const database = await server.database()
    const address = server.addressOf(database)
    const config = { mcpServers: { mkold: marked('mkold') } }
    const first = async (client) => (await client.ask('mcp_load', { query: NEED })).loaded[0]?.name
    const one = await replica(t, address, config, { args: ['--lexical'] })
    const client = await overHttp(t, one)
    for (const number of [2, 2, 2, 1])
      await client.use('call_tool_read', { name: `mkold_list_t${number}`, arguments: {} })
    const count = async () =>
      (await server.query(database, 'select coalesce(sum(count), 0)::int as sum from tool_router.uses'))[0].sum
    await until(t, async () => (await count()) === 4, 'the calls are counted')
    await one.kill()
    const two = await replica(t, address, config, { args: ['--lexical'] })
    await until(
      t,
      async () => /t2$/.test(await first(await overHttp(t, two))),
      'the tool that was called most comes first',
    )
    const three = await replica(t, server.addressOf(await server.database()), config, { args: ['--lexical'] })
    t.regex(await first(await overHttp(t, three)), /t0$/, 'without counts the first of the list')
  },
)

claim('uses that are made while the database is away are counted when it is back', async (t) => {
  const server = await startPostgres()
  t.teardown(() => server.end())
  const database = await server.database()
  const open = async () => {
    const store = new PostgresStore(pg, readStoreAddress(server.addressOf(database), 'store'))
    t.teardown(() => store.close())
    await store.listen()
    return store
  }
  const definition = { name: 'one', transport: 'stdio', command: 'one' }
  const [store, other] = [await open(), await open()]
  await use(store, definition, [['a', 1]])
  await server.stop()
  await use(store, definition, [['a', 2]])
  t.deepEqual(await usesOf(store, definition), [])
  await server.start()
  await until(
    t,
    async () => JSON.stringify(await usesOf(other, definition)) === JSON.stringify([['a', 3, 'a definition']]),
    'all are counted',
  )
  t.deepEqual(await usesOf(store, definition), [], 'and none of its own is read back')
})
