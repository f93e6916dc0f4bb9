// `npx @zoo-code/tool-router-gateway connect`: one gateway for all windows, over the clients of both SDKs.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import test from 'ava'

import { DEFAULT_META_TOOLS } from '../../../packages/gateway/names/meta-tools.mjs'
import { answering, asking, EVERYTHING, legacyClient, modernClient } from '../../helpers/eras.mjs'
import { CLI, connectClient, folder, lives, META_COUNT, odd, startCli, until } from '../../helpers/gateway.mjs'
import { browserOf } from '../../helpers/visits.mjs'

/** A configuration whose clients find each other in a folder of this test. */
function shared(t, mcpServers = { odd: odd() }) {
  const place = folder(t)
  const config = path.join(place, 'mcp.json')
  writeFileSync(config, JSON.stringify({ mcpServers, gateway: { dir: place } }))
  const env = { ...process.env, HOME: place, XDG_STATE_HOME: place, LOCALAPPDATA: place }
  const parameters = { command: process.execPath, args: [CLI, 'connect', '--config', config, '--lexical'], env }
  const meeting = () => {
    const [found] = readdirSync(place, { recursive: true }).filter((name) => name.endsWith('address.json'))
    return found && path.join(place, found)
  }
  const address = () => JSON.parse(readFileSync(meeting(), 'utf8'))
  t.teardown(() => {
    if (meeting() && lives(address().pid)) process.kill(address().pid, 'SIGKILL')
  })
  const transport = (Transport = StdioClientTransport) => new Transport({ ...parameters, stderr: 'ignore' })
  return {
    config,
    env,
    meeting,
    address,
    older: async () => {
      const client = await connectClient(transport())
      t.teardown(() => client.close())
      return client
    },
    modern: (options) => modernClient(t, transport(ModernStdio), options),
    legacy: (options) => legacyClient(t, transport(), options),
  }
}

const pidOf = async (client) => Number((await client.use('mcp--odd--tell_pid')).content[0].text)

test('windows that open together share one gateway and one process per server, and each has its own tools', async (t) => {
  const { older, address, meeting } = shared(t)
  const [one, two, three] = await Promise.all([older(), older(), older()])
  const pids = await Promise.all([one, two, three].map(pidOf))
  t.is(new Set(pids).size, 1)
  await one.ask('mcp_load', { query: 'tell_pid' })
  t.is(one.changes, 1)
  t.deepEqual([(await one.names()).length, (await two.names()).length], [META_COUNT + 1, META_COUNT])
  const { pid } = address()
  if (process.platform !== 'win32') {
    t.is(statSync(meeting()).mode & 0o077, 0)
    t.is(statSync(path.dirname(meeting())).mode & 0o077, 0)
  }
  await one.close()
  await two.close()
  t.is(await pidOf(three), pids[0], 'it stays while one is there')
  await three.close()
  await until(t, () => !lives(pid) && !lives(pids[0]), 'it ends after the last, with its servers')
})

test('page prints an address that opens the page of the shared gateway, and says when none runs', async (t) => {
  const { config, env, older } = shared(t)
  const page = async () => {
    const started = startCli(t, ['page', '--config', config, '--lexical'], { env })
    const { code } = await started.ended
    return { code, text: started.stdout.trim() }
  }
  const none = await page()
  t.is(none.code, 1)
  t.regex(none.text, /^No client shares a gateway of .*mcp\.json now\. Start one/)
  await older()
  const { code, text } = await page()
  t.is(code, 0)
  const { pathname, hash } = new URL(text)
  t.is(pathname, '/ui/')
  const enter = () => browserOf({ url: text }).enter({ ticket: hash.slice(1) })
  t.is((await enter()).status, 200)
  t.is((await enter()).status, 401)
})

test('a window that is killed is not waited for', async (t) => {
  const { older, address } = shared(t)
  const client = await older()
  const { pid } = address()
  process.kill(client.transport.pid, 'SIGKILL')
  await until(t, () => !lives(pid), 'the gateway ends')
  t.false(lives(pid))
})

test('when the shared gateway dies, clients go on with another one', async (t) => {
  const { older, modern, address } = shared(t)
  const [old, current] = [await older(), await modern()]
  await old.ask('mcp_load', { query: 'tell_pid, count_calls' })
  const [listed, before] = [await old.names(), await pidOf(old)]
  t.is(listed.length, META_COUNT + 2)
  process.kill(address().pid, 'SIGKILL')
  t.deepEqual(await old.names(), listed, 'a new session has what it had')
  t.not(await pidOf(old), before)
  t.true(old.changes > 1, 'it is told')
  t.deepEqual(await current.names(), DEFAULT_META_TOOLS)
})

test('a call under way when the shared gateway dies is answered', async (t) => {
  const { older, address } = shared(t)
  const client = await older()
  const call = client.use('mcp--odd--slow_report', { ms: 60_000, steps: 60 }).catch((error) => error)
  await until(t, async () => (await client.use('mcp--odd--count_calls')).content[0].text > '1', 'the call arrives')
  process.kill(address().pid, 'SIGKILL')
  t.regex((await call).message, /Whether the call took effect is unknown/)
})

test('a modern client over the bridge lists, loads, calls, hears progress, cancels, and gets errors with their codes', async (t) => {
  const { modern } = shared(t)
  const client = await modern()
  t.is(client.getProtocolEra(), 'modern')
  t.deepEqual(await client.names(), DEFAULT_META_TOOLS)
  const { loaded } = await client.ask('mcp_load', { query: 'tell_pid' })
  t.is(loaded[0].call_by, 'call_tool_write')
  const told = []
  const args = { name: 'mcp--odd--slow_report', arguments: { steps: 5, ms: 500 } }
  const answer = await client.use('call_tool_write', args, { onprogress: ({ progress }) => told.push(progress) })
  t.is(answer.content[0].text, 'done')
  t.true(told.length >= 3)
  const controller = new AbortController()
  const call = client.use(
    'call_tool_write',
    { name: 'mcp--odd--slow_report', arguments: { ms: 60_000, steps: 60 } },
    { signal: controller.signal },
  )
  const count = async (name) => client.said('call_tool_read', { name: `mcp--odd--${name}`, arguments: {} })
  await until(t, async () => Number(await count('count_calls')) > 1, 'the call arrives')
  controller.abort()
  await t.throwsAsync(call)
  await until(t, async () => (await count('count_cancelled')) === '1', 'the server hears of it')
  const error = await t.throwsAsync(client.getPrompt({ name: 'nobody' }))
  t.is(error.code, -32602)
})

for (const era of ['legacy', 'modern']) {
  test(`what a server asks reaches the ${era} client over the bridge`, async (t) => {
    const answers = answering({ elicit: 'green' })
    const client = await shared(t, { asking: asking() })[era]({ capabilities: EVERYTHING, answers })
    const said = JSON.parse(await client.said('call_tool_write', { name: 'mcp--asking--ask_user', arguments: {} }))
    t.deepEqual(said.content, { value: 'green' })
    // The server may ask for folders as soon as it starts, so other questions may come before this one.
    t.is(answers.asked.filter(([method]) => method === 'elicitation/create').length, 1)
  })
}

test('a file that cannot be read ends the bridge with what is wrong, and starts nothing', async (t) => {
  const { config, env, meeting } = shared(t)
  writeFileSync(config, '{ "mcpServers": {')
  const started = startCli(t, ['connect', '--config', config], { env })
  t.is((await started.ended).code, 1)
  t.regex(started.stderr, /tool-router-gateway: .*expected JSON/)
  t.is(meeting(), undefined)
})
