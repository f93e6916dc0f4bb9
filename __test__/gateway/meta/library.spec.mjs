// What the library knows, in the gateway's answers: a need that nothing serves, arguments that do not fit, cores, how sure
// the model is. Real servers, over the official SDK.
import test from 'ava'

import { inProcess as modernInProcess } from '../../helpers/eras.mjs'
import { folder, gateway, inProcess, odd, realServers, unique } from '../../helpers/gateway.mjs'

const NAMES = ['github', 'slack', 'memory', 'filesystem']
const select = (client, task_description, more) => client.ask('select_mode', { task_description, ...more })
const ends = []
let opened
let clients

test.before(async (t) => {
  // They live as long as the file, not as long as this hook.
  const later = { teardown: (end) => ends.unshift(end) }
  opened = await gateway(later, { mcpServers: realServers(folder(later), NAMES) })
  clients = { older: await inProcess(later, opened), modern: await modernInProcess(later, opened) }
  t.is(opened.servers.filter(({ state }) => state === 'ready').length, NAMES.length)
})
test.after.always(async () => {
  for (const end of ends) await end()
})

for (const era of ['older', 'modern']) {
  test(`a need that nothing serves is answered in words for the model, to the ${era} client`, async (t) => {
    const answer = await clients[era].ask('mcp_load', { query: 'book a flight to Rome' })
    t.deepEqual(answer.loaded, [])
    t.regex(answer.nothingFits.message, /\w+ \w+/)
    t.true(answer.nothingFits.servers.every(({ name, connected }) => NAMES.includes(name) && connected))
  })

  test(`search_mcps and select_mode say none where nothing fits, to the ${era} client`, async (t) => {
    for (const text of ['hello there', 'book a flight to Rome', 'xqzw blorp', 'why is this function async?']) {
      const found = await clients[era].ask('search_mcps', { query: text })
      t.deepEqual(found.servers, [], text)
      t.truthy(found.nothingFits.message)
      const mode = await select(clients[era], text)
      t.is(mode.selected_mode, null, text)
      t.is(mode.tools, undefined)
      t.truthy(mode.next_step)
      t.true(mode.nearest_servers.length > 0)
    }
  })

  test(`arguments that do not fit come back with the tool's parameters, and the server is not asked, to the ${era} client`, async (t) => {
    const name = 'mcp--memory--create_entities'
    const said = await clients[era].use('call_tool_write', { name, arguments: { entities: [{ name: 7 }] } })
    t.true(said.isError)
    t.regex(said.content[0].text, /^The call was not made\..*entityType.*parameters: entities \(array\), required/)
    const known = await clients[era].use('call_tool_read', { name: 'mcp--memory--read_graph' })
    t.deepEqual(JSON.parse(known.content[0].text).entities, [])
  })
}

test('mode static leaves arguments to the server', async (t) => {
  const name = unique('memory')
  const { memory } = realServers(folder(t), ['memory'])
  const bare = await gateway(t, { mcpServers: { [name]: memory }, gateway: { mode: 'static' } })
  const client = await inProcess(t, bare)
  const wrong = { entities: [{ name: 7 }] }
  const said = await client.use(`mcp--${name}--create_entities`, wrong).catch((error) => error)
  t.notRegex(said.content?.[0].text ?? said.message, /The call was not made/)
})

// The registry is one per process: no other test may find this server.
test.serial('a server of the configuration that is away and would fit is named, with the reason', async (t) => {
  const [away, here] = [unique('travel'), unique('odd')]
  const description = 'Books flights, hotels and trains'
  const made = await gateway(t, {
    mcpServers: {
      [here]: odd(),
      [away]: { command: 'no-such-program-at-all', description, syntheticQueries: ['book a flight to Rome'] },
    },
  })
  const client = await inProcess(t, made)
  const { nothingFits } = await client.ask('mcp_load', { query: 'book a flight to Rome' })
  const told = nothingFits.servers.find(({ name }) => name === away)
  t.like(told, { connected: false, reason: 'server-down' })
  t.regex(told.detail, /no-such-program-at-all/)
  t.true(await made.removeServer(away))
  t.is(await made.router.serverEntry(away), null, 'nothing is left of it')
})

test('a server is loaded by its core, which names the rest, and a group whole', async (t) => {
  const [github, memory] = [unique('github'), unique('memory')]
  const real = realServers(folder(t), ['github', 'memory'])
  const group = `${memory}-notes`
  const made = await gateway(t, {
    mcpServers: { [github]: real.github, [memory]: real.memory },
    modules: { [group]: { tools: [`${memory}/read_graph`, `${memory}/search_nodes`] } },
  })
  const client = await inProcess(t, made)
  const load = (module) => client.ask('manage_modules', { action: 'load', module })
  const { loaded, others } = await load(github)
  t.is(loaded.length, 10)
  t.is(loaded.length + others.length, made.servers[0].toolCount)
  const more = await client.ask('mcp_load', { query: others.slice(0, 3).join(', ') })
  t.is(more.loaded.length, 3)
  t.is((await load(group)).loaded.length, 2)
})
