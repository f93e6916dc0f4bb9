import { fileURLToPath } from 'node:url'

import test from 'ava'

import { gateway, inProcess, lives, loadAll, overStdio, unique, until } from '../../helpers/gateway.mjs'

/** Where the system tells what has left a group. */
const claim = process.platform === 'linux' ? test : test.skip

const DRIVER = fileURLToPath(new URL('../../fixtures/driver-server.mjs', import.meta.url))
const driver = (more = {}) => ({ command: process.execPath, args: [DRIVER], ...more })

/** Has a server start both kinds of processes; all pids, that of the server first. */
async function browsers(client, name, call = 'call_tool_destructive') {
  const pids = new Set()
  for (const how of ['own', 'parentless']) {
    const { content, isError } = await client.use(call, { name: `${name}/start_browser`, arguments: { how } })
    if (isError) throw new Error(content[0].text)
    for (const pid of content[0].text.split(' ')) pids.add(Number(pid))
  }
  return [...pids]
}

const KINDS = { toolKinds: { start_browser: 'destructive' } }

async function opened(t, more) {
  const name = unique('driver')
  const config = { mcpServers: { [name]: driver(KINDS) }, ...more }
  const made = await gateway(t, config)
  const client = await inProcess(t, made)
  await loadAll(client, made, name)
  const pids = await browsers(client, name)
  t.is(pids.length, 3)
  t.true(pids.every(lives))
  return { name, made, client, pids }
}

const allGone = (t, pids, how) => until(t, () => !pids.some(lives), `${how}: nothing is left of ${pids}`)

claim('they end when the server is killed, and another process of it has its own', async (t) => {
  const { name, client, pids } = await opened(t)
  process.kill(pids[0], 'SIGKILL')
  await allGone(t, pids, 'killed')
  let next
  await until(
    t,
    async () => {
      next = await browsers(client, name).catch(() => undefined)
      return next !== undefined
    },
    'it runs again',
  )
  t.true(next.every(lives))
})

claim('they end when the server is taken out, and those of others stay', async (t) => {
  const { name, made, pids } = await opened(t)
  const other = unique('driver')
  made.addServer(other, driver(KINDS))
  await made.ready()
  const client = await inProcess(t, made)
  const others = await browsers(client, other)
  await made.removeServer(name)
  await allGone(t, pids, 'taken out')
  t.true(others.every(lives))
})

for (const [how, end] of [
  ['the end of its input', ({ transport }) => transport.close()],
  ['SIGTERM', ({ transport }) => process.kill(transport.pid, 'SIGTERM')],
  ['SIGKILL', ({ transport }) => process.kill(transport.pid, 'SIGKILL')],
])
  claim(`they end with ${how} of a gateway over stdio`, async (t) => {
    const client = await overStdio(t, { mcpServers: { driver: driver(KINDS) } })
    await until(
      t,
      async () => !(await client.use('mcp_load', { query: 'driver/start_browser' })).isError,
      'it is there',
    )
    const pids = await browsers(client, 'driver')
    t.true(pids.every(lives))
    await end(client)
    await allGone(t, pids, how)
  })
