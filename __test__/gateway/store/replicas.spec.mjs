import test from 'ava'

import { LONG_MS, odd, overHttp, until } from '../../helpers/gateway.mjs'
import { MISSING, PASSWORD, sharedPostgres } from '../../helpers/postgres.mjs'
import { replica } from '../../helpers/replica.mjs'

// One after the other: some take the database away.
const claim = MISSING === undefined ? test.serial : test.serial.skip
/** An outage takes minutes on a busy machine: those are played by `npm run test:postgres`. */
const outage = process.env.TOOL_ROUTER_POSTGRES_NEEDED ? claim : test.serial.skip

const server = sharedPostgres(test)

const address = async () => server.addressOf(await server.database())
const has = async (client, tool) => (await client.ask('describe_tool', { names: `mcp--odd--${tool}` })).tools.length > 0

claim(
  'a key and its end, an approval and a list reach each of three gateways, and none prints a password',
  async (t) => {
    t.timeout(LONG_MS)
    const store = await address()
    const config = { mcpServers: { odd: odd() }, gateway: { changedTools: 'withhold' } }
    const replicas = await Promise.all([1, 2, 3].map(() => replica(t, store, config)))
    const clients = await Promise.all(replicas.map((each) => overHttp(t, each)))
    const each = (holds, what) => until(t, async () => (await Promise.all(clients.map(holds))).every(Boolean), what)
    await each((client) => has(client, 'grow'), 'all have the tools')

    const { stdout } = await replicas[0].command('add-key', 'ann')
    const [key] = stdout.split('\n')
    const statuses = () =>
      Promise.all(
        replicas.map(async ({ url }) => (await fetch(url, { headers: { Authorization: `Bearer ${key}` } })).status),
      )
    t.false((await statuses()).includes(401))
    await replicas[1].command('revoke-key', 'ann')
    await until(t, async () => (await statuses()).every((status) => status === 401), 'the key opens no gateway')

    await clients[0].use('mcp--odd--grow')
    await each((client) => has(client, 'weather_0'), 'all have the new tool')
    const isOn = async (client) => (await client.use('mcp--odd--tell_pid')).isError === undefined
    await clients[1].use('mcp--odd--reword')
    await each(async (client) => !(await isOn(client)), 'the tool is off everywhere')
    const approved = await replicas[2].approve('odd/tell_pid', '--all')
    t.regex(approved.stdout, /^approved odd\/tell_pid/m)
    await each(isOn, 'the tool is back everywhere')
    for (const text of [...replicas.map((one) => one.printed()), approved.stdout, approved.stderr])
      t.false(text.includes(PASSWORD))
  },
)

outage(
  'while the database is gone what is known is served, changes wait or fail in words, and all comes back',
  async (t) => {
    t.timeout(LONG_MS)
    const store = await address()
    const config = { mcpServers: { odd: odd() }, gateway: { changedTools: 'withhold' } }
    const [first, second] = [await replica(t, store, config), await replica(t, store, config)]
    const [one, other] = [await overHttp(t, first), await overHttp(t, second)]
    await until(t, () => has(one, 'grow'), 'the first gateway has the tools')
    await until(t, () => has(other, 'grow'), 'the second gateway has the tools')
    // Otherwise it tells the list of its own process when the database is back, which has not grown.
    await Promise.all([first, second].map((each) => each.line(/server odd: ready/)))
    await server.stop()
    await first.line(/cannot be reached.*what is known is served, and changes wait/)
    t.is((await one.use('mcp--odd--tell_pid')).isError, undefined)
    const failed = await first.approve('--all')
    t.is(failed.code, 1)
    t.regex(
      failed.stderr,
      /the database at postgres:\/\/owner@127\.0\.0\.1:\d+\/test\d+ cannot be reached: ECONNREFUSED/,
    )
    await one.use('mcp--odd--grow')
    await until(
      t,
      async () => /out of reach/.test((await one.use('mcp--odd--weather_0')).content[0].text),
      'a new tool waits',
    )
    t.is((await one.use('mcp--odd--tell_pid')).isError, undefined)
    await server.start()
    await first.line(/is back/)
    await until(t, () => has(one, 'weather_0'), 'the new tool is on')
    await until(t, () => has(other, 'weather_0'), 'the second gateway is told of it')
    for (const text of [first.printed(), failed.stderr]) t.false(text.includes(PASSWORD))
  },
)

outage(
  'a gateway that starts while the database is gone serves what may be served, and the rest when it is back',
  async (t) => {
    t.timeout(LONG_MS)
    const store = await address()
    await server.stop()
    const open = await replica(t, store, { mcpServers: { odd: odd() }, gateway: { changedTools: 'tell' } })
    const strict = await replica(t, store, { mcpServers: { odd: odd() }, gateway: { changedTools: 'withhold' } })
    const [one, other] = [await overHttp(t, open), await overHttp(t, strict)]
    await until(t, () => has(one, 'grow'), 'a gateway that withholds nothing has the tools')
    const said = async () => (await other.use('mcp--odd--tell_pid')).content[0].text
    await until(t, async () => /out of reach/.test(await said()), 'the strict one says what it waits for')
    await server.start()
    await until(t, () => has(other, 'grow'), 'the strict one has the tools')
    t.is((await other.use('mcp--odd--tell_pid')).isError, undefined)
  },
)
