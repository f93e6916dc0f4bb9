// What somebody with bad intent sends, in either era: it is refused as such, and costs nobody else anything.
import { isIP } from 'node:net'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

import test from 'ava'

import { Logins } from '../../packages/gateway/login/logins.mjs'
import { parse } from '@zoo-code/tool-router/exact-json'
import { readServer } from '../../packages/gateway/config/server.mjs'
import { isInside, isNotFollowed, onlyTo, wayTo } from '../../packages/gateway/login/places.mjs'
import { asking, EVERYTHING, inProcess, legacyInProcess } from '../helpers/eras.mjs'
import { folder, gateway, odd, unique } from '../helpers/gateway.mjs'
import { send } from '../helpers/http-door.mjs'
import { listening } from '../helpers/listening.mjs'

const WRONG = fileURLToPath(new URL('../fixtures/wrong-server.mjs', import.meta.url))
const MODERN = '2026-07-28'
const claim = (version) => ({
  _meta: {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientCapabilities': {},
  },
})
/** Deeper than `JSON.stringify` can follow. */
const nested = () => JSON.parse(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`)

/** A client that sends what it likes, over a transport of its own. */
async function rawClient(t, opened, isModern, { capabilities = {}, answer } = {}) {
  const waiting = new Map()
  const transport = {
    start: async () => {},
    close: async () => transport.onclose?.(),
    send: async ({ id, method, ...message }) => {
      if (method === undefined) waiting.get(id)?.(message)
      else if (id !== undefined) transport.onmessage({ jsonrpc: '2.0', id, result: answer() })
    },
  }
  const channel = await opened.connect(transport)
  t.teardown(() => channel.close())
  let count = 0
  const ask = (method, params) => {
    count += 1
    const id = count
    return new Promise((resolve) => {
      waiting.set(id, resolve)
      transport.onmessage({ jsonrpc: '2.0', id, method, params: isModern ? { ...claim(MODERN), ...params } : params })
    })
  }
  if (!isModern)
    await ask('initialize', {
      protocolVersion: '2025-11-25',
      capabilities,
      clientInfo: { name: 'raw', version: '0' },
    })
  return ask
}

for (const isModern of [false, true]) {
  const era = isModern ? 'modern' : 'older'
  test(`a message in the ${era} era that is nested too deeply is refused, and its server goes on`, async (t) => {
    const name = unique('odd')
    const opened = await gateway(t, { mcpServers: { [name]: odd() } })
    const ask = await rawClient(t, opened, isModern)
    const [{ pid }] = opened.servers
    const call = (args) => ask('tools/call', { name: `${name}/echo`, arguments: args })
    const { error } = await call(nested())
    t.is(error.code, -32600)
    t.regex(error.message, /at most 1000 levels/)
    t.is((await ask('prompts/get', { name: 'x', arguments: nested() })).error.code, -32600)
    t.is((await call({ value: 1 })).result.content[0].text, '{"value":1}')
    t.is(opened.servers[0].pid, pid, 'it was not started again')
  })

  test(`over HTTP a nested message in the ${era} era is refused`, async (t) => {
    const opened = await gateway(t, { mcpServers: {} })
    const endpoint = await opened.listen()
    const meta = isModern ? JSON.stringify(claim(MODERN)._meta) : '{}'
    const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"a":${deep},"_meta":${meta}}}`
    const headers = isModern ? { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': 'tools/list' } : {}
    const { status, text } = await send(endpoint, { body, headers })
    t.is(status, 400)
    t.regex(text, /at most 1000 levels/)
    t.is((await send(endpoint, { body: 'null' })).status, 400)
  })

  test(`a server whose answer is none does not keep a client of the ${era} era waiting`, async (t) => {
    const name = unique('wrong')
    const opened = await gateway(t, { mcpServers: { [name]: { command: process.execPath, args: [WRONG] } } })
    const ask = await rawClient(t, opened, isModern)
    const both = { result: { content: [] }, error: { code: 1, message: 'x' } }
    for (const answer of [{ result: null }, { result: 'text' }, {}, { error: null }, both]) {
      const { result } = await ask('tools/call', { name: `${name}/answer`, arguments: { answer } })
      t.true(result.isError, JSON.stringify(answer))
      t.regex(result.content[0].text, new RegExp(`^server ${name} answered what the protocol does not know`))
    }
    const fine = { result: { content: [{ type: 'text', text: 'fine' }] } }
    const { result } = await ask('tools/call', { name: `${name}/answer`, arguments: { answer: fine } })
    t.is(result.content[0].text, 'fine')
  })
}

test('each request of a modern connection says its version, and another one is refused', async (t) => {
  const opened = await gateway(t, { mcpServers: {} })
  const ask = await rawClient(t, opened, true)
  t.truthy((await ask('tools/list', {})).result)
  for (const method of ['tools/list', 'server/discover', 'tools/call']) {
    const { error } = await ask(method, claim('2099-01-01'))
    t.is(error.code, -32022, method)
    t.deepEqual(error.data, { supported: [MODERN], requested: '2099-01-01' })
  }
  t.truthy((await ask('tools/list', {})).result)
})

test('an answer of a client that is nested too deeply is an error to the server that has asked', async (t) => {
  const name = unique('asking')
  const opened = await gateway(t, { mcpServers: { [name]: asking() } })
  const ask = await rawClient(t, opened, false, { capabilities: EVERYTHING, answer: nested })
  const { result } = await ask('tools/call', { name: `${name}/ask_user`, arguments: {} })
  t.regex(result.content[0].text, /"refused":-32600/)
})

test('names that every object has are no tools, modules or modes', async (t) => {
  const opened = await gateway(t, { mcpServers: { [unique('odd')]: odd() } })
  for (const open of [inProcess, legacyInProcess]) {
    const client = await open(t, opened)
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      t.regex(await client.said(name), /unknown tool/)
      t.regex(await client.said('call_tool', { name }), /unknown tool/)
      t.regex(await client.said('call_tool', { name: 'echo', mode: name }), /call_tool\.mode/)
      t.regex(await client.said('manage_modules', { action: 'load', module: name }), /manage_modules\.module/)
    }
  }
})

test('addresses of this machine and its network are known by what is written, names of its network too', (t) => {
  for (const host of [
    ...['localhost', 'LOCALHOST.', 'a.localhost', '127.1', '2130706433', '0x7f.1', '0.0.0.0', '10.1.2.3', '172.31.0.1'],
    ...['192.168.0.1', '169.254.169.254', '100.64.0.1', '[::1]', '[::]', '[fd00::1]', '[fe80::1]', '[::ffff:10.0.0.1]'],
    ...['db', 'metadata.google.internal', 'printer.local', 'kubernetes.default.svc', '[64:ff9b::7f00:1]'],
    ...['[::7f00:1]', '[2002:7f00:1::]', '[64:ff9b:1::7f00:1]', '[fec0::1]', '[::ffff:0:7f00:1]', '[ff02::1]'],
    ...['192.0.0.1', '198.19.0.1', '224.0.0.1', '255.255.255.255', 'wiki.corp', 'x.intranet', 'router.home'],
  ])
    t.true(isInside(`http://${host}/x`), host)
  for (const host of ['example.org', '172.32.0.1', '8.8.8.8', 'localhost.example', '[2001:db8::1]', '[::ffff:8.8.8.8]'])
    t.false(isInside(`http://${host}/x`), host)
})

test('headers of the connection are refused by name, and counts of the protocol stay numbers', (t) => {
  const read = (header) => readServer('one', { url: 'https://a.example', headers: { [header]: '5' } })
  for (const header of ['Content-Length', 'transfer-encoding', 'Upgrade', 'Keep-Alive', 'Expect'])
    t.throws(() => read(header), { message: new RegExp(header) })
  t.is(read('X-Name').headers.get('X-Name'), '5')
  t.is(parse('{"size":18446744073709551615,"progress":9007199254740993}').size, 2 ** 64)
})

test('a connection of a login is made to the addresses that were checked, whatever the name stands for by then', async (t) => {
  let count = 0
  const here = await listening(t, (_, response) => {
    count += 1
    response.end('here')
  })
  const { port } = new URL(here)
  const answers = [['192.0.2.1'], ['127.0.0.1'], ['192.0.2.1', '127.0.0.1'], ['::ffff:127.0.0.1']]
  const lookup = (_, { all }, callback) => {
    t.true(all)
    callback(
      null,
      answers.shift().map((address) => ({ address, family: isIP(address) })),
    )
  }
  const outside = onlyTo((address) => !isInside(`http://${isIP(address) === 6 ? `[${address}]` : address}`), lookup)
  const asked = async (scheme) => {
    const signal = AbortSignal.timeout(500)
    const { cause, name } = await t.throwsAsync(outside(`${scheme}://changing.example:${port}/`, { signal }))
    return name === 'TimeoutError' ? false : isNotFollowed(cause)
  }
  t.false(await asked('http'), 'the first answer is outside, and may be connected to')
  for (const scheme of ['http', 'https', 'https']) t.true(await asked(scheme))
  t.is(count, 0)
  answers.push(['127.0.0.1'])
  t.is(await (await onlyTo(() => true, lookup)(`http://changing.example:${port}/`)).text(), 'here')
})

test('a server whose name stands for an address inside, and that is not there, leads no login there', async (t) => {
  // Written as an address of a test network, so that nothing is looked up.
  await t.throwsAsync(wayTo('https://10.0.0.1/', 'https://192.0.2.1/mcp'), { message: /that is not followed/ })
  t.is(typeof (await wayTo('https://10.0.0.1/', 'https://10.0.0.2/mcp')), 'function')
})

// One at a time: it stands in for fetch.
test.serial('a server from elsewhere cannot lead a login to this machine, nor by a redirect', async (t) => {
  const { fetch: real } = globalThis
  t.teardown(() => (globalThis.fetch = real))
  const server = 'https://mcp.example/mcp'
  const metadata = { resource: server, authorization_servers: ['http://127.0.0.1:9/'] }
  const cases = {
    'metadata here': { challenge: 'resource_metadata="http://169.254.169.254/latest"' },
    'an authorization server here': { challenge: 'resource_metadata="https://mcp.example/m"' },
    'a redirect here': { challenge: 'resource_metadata="https://mcp.example/r"' },
  }
  for (const [what, { challenge }] of Object.entries(cases)) {
    const asked = []
    globalThis.fetch = async (address) => {
      const url = String(address)
      asked.push(url)
      if (url === server)
        return new Response('', { status: 401, headers: { 'WWW-Authenticate': `Bearer ${challenge}` } })
      if (url.endsWith('/r')) return new Response('', { status: 302, headers: { location: 'http://[::1]:9/x' } })
      return Response.json(url.endsWith('/m') ? metadata : {}, { status: url.endsWith('/m') ? 200 : 404 })
    }
    const way = async (...named) => (await wayTo(...named)) && globalThis.fetch
    const logins = new Logins(folder(t), undefined, way)
    const definition = { name: 'far', transport: 'http', url: new URL(server), headers: new Map() }
    await t.throwsAsync(logins.begin(definition), undefined, what)
    t.true(
      asked.every((url) => new URL(url).hostname === 'mcp.example'),
      `${what}: ${asked}`,
    )
    await logins.close()
  }
})
