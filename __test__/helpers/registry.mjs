// A registry in a shared database, and an entry of it.
import test from 'ava'
import { MARKED } from './gateway.mjs'
import pg from 'pg'
import { readStoreAddress } from '../../packages/gateway/config/address.mjs'
import { PostgresStore } from '../../packages/gateway/store/postgres/store.mjs'
import { PASSWORD, sharedPostgres } from './postgres.mjs'

const NEED = 'how many days of holiday do I get'

export const DESCRIPTION = 'The handbook of our company: holiday, offices, how things are done'

export const entryOf = (mark, more) => ({
  command: process.execPath,
  args: [MARKED, mark],
  description: DESCRIPTION,
  syntheticQueries: ['how many days of holiday are left'],
  ...more,
})

export const server = sharedPostgres(test)

/** The address of the same database for a user who owns nothing and may use the tables. */
export async function addressOfUser(database) {
  const user = `user_of_${database}`
  await server.query(database, `create role ${user} login nosuperuser nobypassrls password '${PASSWORD}'`)
  const owner = new PostgresStore(pg, readStoreAddress(server.addressOf(database), 'store'))
  await owner.prepare(user)
  await owner.close()
  return server.addressOf(database, user)
}

/** A database, and the store of whoever writes into its registry. */
export async function registry(t) {
  const database = await server.database()
  const store = server.addressOf(database)
  const opened = new PostgresStore(pg, readStoreAddress(store, 'store'))
  t.teardown(() => opened.close())
  await opened.listen()
  return { database, store, entries: opened.registry }
}

/** What a client of a gateway is told of servers that are near a need that nothing serves. */
export async function near(client, query = NEED) {
  const answers = [await client.ask('mcp_load', { query }), await client.ask('search_mcps', { query })]
  return answers.map(({ nothingFits }) => nothingFits?.servers ?? [])
}
