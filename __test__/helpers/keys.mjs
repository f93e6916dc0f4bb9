// A gateway that takes keys from a shared database of its own.
import test from 'ava'
import { createGateway } from '../../packages/gateway/gateway/index.mjs'
import { run } from './child.mjs'
import { CLI, configFile, MARKED, unique } from './gateway.mjs'
import { PASSWORD, sharedPostgres } from './postgres.mjs'

export const server = sharedPostgres(test)

export const marked = (mark) => ({ command: process.execPath, args: [MARKED, mark] })

/** A database of a user who is not the master of the whole server: that one no rights bind. */
export async function ownDatabase() {
  const database = await server.database()
  const user = `owner_of_${database}`
  await server.query('postgres', `create user ${user} password '${PASSWORD}'`)
  await server.query('postgres', `alter database ${database} owner to ${user}`)
  return { database, store: server.addressOf(database, user) }
}

/** Two servers with a profile each, and the commands that make keys. `ofOne`: more about the first profile. */
export async function keyed(t, ofOne = {}) {
  const { database, store } = await ownDatabase()
  const [a, b] = [unique('mkalpha'), unique('mkbeta')]
  const config = {
    mcpServers: { [a]: marked(a), [b]: marked(b) },
    profiles: { one: { servers: [a], ...ofOne }, two: { servers: [b] } },
    gateway: { store },
  }
  const file = configFile(t, config)
  const command = (...args) => run([CLI, ...args, '--config', file])
  const gateway = await createGateway({ config })
  t.teardown(() => gateway.close())
  const endpoint = await gateway.listen()
  const newKey = async (...args) => (await command('add-key', ...args)).stdout.split('\n')[0]
  return {
    a,
    b,
    database,
    store,
    command,
    newKey,
    gateway,
    at: (token, place = '') => ({ url: endpoint.url + place, token }),
  }
}

export const statusAt = async ({ url, token }) => {
  const headers = { Authorization: `Bearer ${token}`, Accept: 'text/event-stream' }
  return (await fetch(url, { headers })).status
}
