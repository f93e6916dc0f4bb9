// SPDX-License-Identifier: Apache-2.0
//
// What the design of just-in-time routing claims, as rules: servers are the unit, found by a registry of how people
// speak of them. Real servers over the official SDK; ranking is lexical here unless a test loads the model.

import test from 'ava'

import { readDefinitions, RunningServers } from '../examples/demo/servers.mjs'
import { refused, router } from './helpers/router.mjs'

const running = new RunningServers()
const NAMES = ['filesystem', 'memory', 'everything']
const servers = new Map()
const found = ({ servers: ranked }) => ranked.map(({ serverName }) => serverName)

test.before(async (t) => {
  t.timeout(120_000)
  for (const definition of readDefinitions(NAMES)) {
    const server = await running.start(definition)
    t.is(server.reason, undefined)
    servers.set(server.name, server)
    await router.setServer({ name: server.name, tools: server.tools, instructions: server.instructions })
  }
})

test.after.always(() => running.close())

test.serial('a server is found by what it can do, best first, with its best tools and a reason', async (t) => {
  const { servers: ranked, candidateCount } = await router.rankServers('rename a file on disk', { mode: 'lexical' })
  t.is(candidateCount, NAMES.length)
  t.is(ranked[0].serverName, 'filesystem')
  t.is(ranked[0].tools.length, 5)
  t.is(ranked[0].toolCount, servers.get('filesystem').tools.length)
  t.true(ranked[0].tools.some(({ toolName }) => toolName === 'move_file'))
  t.true(ranked.every(({ rank }, at) => rank === at + 1))
  t.true(ranked.every(({ score }, at) => at === 0 || ranked[at - 1].score >= score))
  t.regex(ranked[0].why, /best tool/)
})

test.serial('topK bounds the servers and toolsPerServer their tools', async (t) => {
  const { servers: ranked } = await router.rankServers('file', { topK: 2, toolsPerServer: 1 })
  t.deepEqual(ranked.map(({ tools }) => tools.length), [1, 1])
})

test.serial('an entry set for a server is enough for it to be found', async (t) => {
  const query = 'who owes us money this quarter?'
  t.is((await router.rankServers(query, { topK: 1 })).supportedCount, 0)
  await router.setServerEntry('memory', { syntheticQueries: ['Which customers still owe money for the last quarter?'] })
  t.is(found(await router.rankServers(query, { topK: 1 }))[0], 'memory')
  await router.setServerEntry('memory', null)
  t.is((await router.rankServers(query, { topK: 1 })).supportedCount, 0)
})

test.serial('a server that is set with an entry needs nothing else, and keeps it when set again without', async (t) => {
  const tools = [{ name: 'run', description: 'Runs a statement' }]
  await router.setServer({ name: 'crm', tools, registry: { name: 'Sales', capabilities: ['pipeline', 'leads'] } })
  t.is(found(await router.rankServers('what is in our pipeline', { topK: 1 }))[0], 'crm')
  await router.setServer({ name: 'crm', tools })
  t.is(found(await router.rankServers('what is in our pipeline', { topK: 1 }))[0], 'crm')
  await router.removeServer('crm')
  await router.setServerEntry('crm', null)
})

test.serial('a wrong entry is refused by field and changes nothing', async (t) => {
  const { message } = await refused(t, 'ERR_INVALID_ARGUMENT', () => router.setServerEntry('memory', { syntheticQueries: ['a', 7] }))
  t.is(message, 'setServerEntry.entry.syntheticQueries[1]: expected text, got 7')
  await refused(t, 'ERR_INVALID_ARGUMENT', () => router.setServerEntry('memory', { synthetic_queries: [] }))
  await refused(t, 'ERR_INVALID_ARGUMENT', () => router.rankServers('x', { topK: 0 }))
  await refused(t, 'ERR_INVALID_ARGUMENT', () => router.rankServers(7))
})
