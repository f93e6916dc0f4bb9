// Servers that flood, nest or print: nothing of it ends the gateway or is told.
import { gzipSync } from 'node:zlib'

import test from 'ava'
import { exactFetch } from '../../../packages/gateway/base/exact-fetch.mjs'
import { idleCaller } from '../../../packages/gateway/calls/caller.mjs'
import { gateway, inProcess, odd, unique, until } from '../../helpers/gateway.mjs'
import { before, oddClient } from '../../helpers/odd-gateway.mjs'
import { rawServer } from '../../helpers/raw-server.mjs'

const LONG = /answered with more than (32 MB|200000 numbers beyond JavaScript's), which is not passed on; ask for less/

test('lines that are no messages, and messages of megabytes, do not end a server', async (t) => {
  const { say } = await oddClient(t, { gateway: { maxResultTokens: false } })
  t.is(await say('print_noise'), 'printed')
  t.is((await say('write_much', { characters: 9_000_000 })).length, 9_000_000)
  t.is(await say('fail_politely'), 'no such city')
})

test('a result that is nested too deeply to be passed on is answered as such', async (t) => {
  const { client, tool } = await oddClient(t)
  t.falsy((await client.use(tool('write_deep'), { levels: 500 })).isError)
  for (const levels of [2_000, 100_000]) {
    const answer = await client.use(tool('write_deep'), { levels })
    t.true(answer.isError)
    t.regex(answer.content[0].text, /nested deeper than 1000/)
  }
  let args = []
  for (let at = 0; at < 3_000; at++) args = [args]
  const error = await t.throwsAsync(client.use(tool('count_calls'), { args }))
  t.regex(error.message, /a message has at most 1000 levels/)
  t.is((await client.use(tool('count_calls'), {})).isError, undefined)
})

test('instructions of megabytes, and with half a character, are cut and cost no tool', async (t) => {
  const { client, name, opened, tool } = await oddClient(t, { args: ['--manual'] })
  t.is(opened.catalogue.entries.get(name).instructions.length, 2_000)
  const { loaded, server_instructions: said } = await client.ask('mcp_load', { query: 'tell_pid' })
  t.is(loaded[0].name, tool('tell_pid'))
  t.true(said[name].startsWith('An odd \ufffd server.x'))
})

test('an answer that is too long costs its own call over stdio, and the server goes on', async (t) => {
  const { client, tool, say } = await oddClient(t)
  const pid = await say('tell_pid')
  const answer = await client.use(tool('write_much'), { characters: 40_000_000 })
  t.true(answer.isError)
  t.regex(answer.content[0].text, LONG)
  t.is(await say('tell_pid'), pid)
})

/** Packed, it is as short as any. */
const long = (id) => ({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'x'.repeat(40_000_000) }] } })

for (const [what, type, written] of [
  ['a body', 'application/json', (id) => JSON.stringify(long(id))],
  ['an event', 'text/event-stream', (id) => `data: ${JSON.stringify(long(id))}\r\n\r\n`],
  [
    'an event of lines that begins oddly',
    'text/event-stream',
    (id) => {
      const line = `data: "k":"${'x'.repeat(9_000_000)}",\n`
      return `data: {"jsonrpc":"2.0",\n${line.repeat(4)}data: "id":${id},"result":{"content":[]}}\n\n`
    },
  ],
  [
    'a body of numbers',
    'application/json',
    (id) => `{"id":${id},"jsonrpc":"2.0","result":[${'1e400,'.repeat(200_001)}1]}`,
  ],
  [
    'an event of numbers',
    'text/event-stream',
    (id) => {
      return `data: {"result":[${'12345678901234567,'.repeat(200_001)}1],"jsonrpc":"2.0","id":${id}}\n\n`
    },
  ],
])
  test(`an answer that is too long costs its own call over HTTP, unpacked from ${what}`, async (t) => {
    const raw = await rawServer(t, ({ id, params } = {}, { response }) => {
      if (params?.name !== 'bad') return false
      response.writeHead(200, { 'content-type': type, 'content-encoding': 'gzip' }).end(gzipSync(written(id)))
      return true
    })
    const { client, name } = await before(t, { url: raw.url })
    const slow = client.use(`mcp--${name}--slow`)
    t.regex((await client.use(`mcp--${name}--bad`)).content[0].text, LONG)
    t.is((await slow).content[0].text, 'slow done')
    t.is(raw.count('initialize'), 1)
  })

test('no way to read an answer takes more than its bound, and what nobody waits for has a short one', async (t) => {
  const answer = (type, text) =>
    exactFetch(async () => new Response(text, { headers: { 'content-type': type } }))('http://a')
  t.true((await (await answer('text/html', 'x'.repeat(100_000))).text()).length < 20_000)
  const notice = (length) => `{"method":"notifications/message","params":"${'x'.repeat(length)}"}`
  const { body } = await answer('text/event-stream', `data: ${notice(2_000_000)}\n\ndata: ${notice(1_000)}\n\n`)
  t.is((await new Response(body).text()).trim(), `data: ${notice(1_000)}`)
})

test('a client that reads nothing has few notifications waiting for it', (t) => {
  let told = 0
  const notify = () => {
    told += 1
    return new Promise(() => {})
  }
  const caller = idleCaller({ server: { notification: notify, getClientCapabilities: () => ({}) } })
  for (let at = 0; at < 100; at++) caller.log({ level: 'info', data: 'x'.repeat(100_000) })
  t.true(told > 5 && told < 20, String(told))
})

test('an error with data that is nested too deeply is answered as such', async (t) => {
  const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`
  const raw = await rawServer(t, ({ id, params } = {}, { response }) => {
    if (params?.name !== 'bad') return false
    const error = `{"code":-1,"message":"no","data":${deep}}`
    response.writeHead(200, { 'content-type': 'application/json' }).end(`{"jsonrpc":"2.0","id":${id},"error":${error}}`)
    return true
  })
  const { client, name } = await before(t, { url: raw.url })
  t.regex((await client.use(`mcp--${name}--bad`)).content[0].text, /nested deeper than 1000/)
})

test('of a refusal over HTTP that does not end its beginning is read', async (t) => {
  const raw = await rawServer(t, ({ params } = {}, { response }) => {
    if (params?.name !== 'bad') return false
    response.writeHead(500, { 'content-type': 'text/plain' })
    response.write(`full up ${' '.repeat(20_000)}`)
    return true
  })
  const { client, name } = await before(t, { url: raw.url })
  t.regex((await client.use(`mcp--${name}--bad`)).content[0].text, /HTTP status 500.*full up/)
})

test('each server gets its own variables and a minimal base, nothing of another or of the gateway', async (t) => {
  process.env.GATEWAY_TEST_SECRET = 'of the gateway'
  const [one, two] = [unique('odd'), unique('odd')]
  const opened = await gateway(t, {
    mcpServers: {
      [one]: odd({ env: { ONE_KEY: 'of one', __proto__: undefined } }),
      [two]: odd({ env: { TWO_KEY: '${env:GATEWAY_TEST_SECRET}' } }),
    },
  })
  const client = await inProcess(t, opened)
  const environment = async (name) => JSON.parse((await client.use(`mcp--${name}--tell_environment`)).content[0].text)
  const [ofOne, ofTwo] = [await environment(one), await environment(two)]
  t.is(ofOne.ONE_KEY, 'of one')
  t.deepEqual(
    [ofOne.TWO_KEY, ofOne.GATEWAY_TEST_SECRET, ofTwo.ONE_KEY, ofTwo.GATEWAY_TEST_SECRET],
    [undefined, undefined, undefined, undefined],
  )
  t.is(ofTwo.TWO_KEY, 'of the gateway', 'only what the configuration asks for by name')
  const base = new Set(['ZOO_TOOL_ROUTER_SERVER', 'HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER'])
  t.deepEqual(
    Object.keys(ofOne).filter((key) => !base.has(key)),
    ['ONE_KEY'],
  )
})

test('logs hold no text of tools, arguments, results or variables, and no control characters', async (t) => {
  const lines = []
  const { client, tool, say, status } = await oddClient(t, {
    args: ['--odd'],
    server: { env: { KEY: 'secret-value' } },
    log: (line) => lines.push(line),
  })
  await client.use(tool('echo'), { value: 'secret-argument' })
  await say('fail_politely')
  await client.ask('mcp_load', { query: 'secret-query' })
  await client.use(tool('die'))
  await until(t, () => status().state === 'ready', 'it is back')
  const text = lines.join('\n')
  t.true(lines.length >= 2)
  t.notRegex(text, /secret|instructions|city|parrot/i)
  t.notRegex(text.replaceAll('\n', ''), /\p{Cc}/u)
})
