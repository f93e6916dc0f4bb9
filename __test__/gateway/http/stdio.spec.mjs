// The command line: over stdio with the official client and the inspector, over HTTP, with signals, without a trace.
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { promisify } from 'node:util'

import test from 'ava'

import { COMMANDS } from '../../../packages/gateway/cli/commands.mjs'
import { LineWriter } from '../../../packages/gateway/base/lines.mjs'
import { DEFAULT_META_TOOLS } from '../../../packages/gateway/names/meta-tools.mjs'
import { StdioTransport } from '../../../packages/gateway/http/stdio.mjs'
import {
  allAsked,
  CLI,
  configFile,
  folder,
  lives,
  META_COUNT,
  odd,
  overHttp,
  overStdio,
  progressReceived,
  startCli,
  until,
} from '../../helpers/gateway.mjs'
import { where } from '../../helpers/skips.mjs'

const require = createRequire(import.meta.url)
const execute = promisify(execFile)

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '0' } },
})

test('over stdio a client loads a tool, is told, lists it, and calls it with progress', async (t) => {
  const client = await overStdio(t, { mcpServers: { odd: odd() } })
  t.is((await client.names()).length, META_COUNT)
  await client.ask('mcp_load', { query: 'slow_report' })
  t.is(client.changes, 1)
  t.is((await client.names()).at(-1), 'mcp--odd--slow_report')
  const told = progressReceived(client)
  const answer = await client.use('mcp--odd--slow_report', { steps: 5 }, { onprogress() {} })
  t.is(answer.content[0].text, 'done')
  t.deepEqual(told, [1, 2, 3, 4, 5])
  t.is(client.getServerVersion().version, require('../../../package.json').version)
})

test('standard output holds messages and nothing else', async (t) => {
  const started = startCli(t, ['gateway', '--config', configFile(t), '--lexical'])
  started.child.stdin.write(`${INITIALIZE}\n`)
  await started.line(/odd: ready/)
  started.child.stdin.write(
    'not json\n{"jsonrpc":"2.0","method":"notifications/initialized"}\n{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n',
  )
  await until(t, () => started.stdout.includes('"id":2'), 'the list')
  for (const line of started.stdout.trim().split('\n')) t.is(JSON.parse(line).jsonrpc, '2.0')
})

test('a request in a form that is not one is answered, so that nobody waits for it, and what asks for nothing is ignored', async (t) => {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const transport = new StdioTransport({ maxBytes: 65_536, input, output })
  const taken = []
  transport.onmessage = (message) => taken.push(message)
  await transport.start()
  const wrong = [
    '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":null}',
    '{"jsonrpc":"1.0","id":"two","method":"tools/list"}',
    '[{"jsonrpc":"2.0","id":3,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/cancelled"},{"jsonrpc":"2.0","id":4,"method":"ping"}]',
    '{"jsonrpc":"2.0","id":{},"method":"ping"}',
    '{"jsonrpc":"2.0","id":5,"result":"none"}',
    'no JSON',
    '7',
    '{"jsonrpc":"2.0","id":8,"method":{}}',
    '{"jsonrpc":"2.0","id":true,"method":"ping"}',
    '{"jsonrpc":"2.0","id":9,"error":"e"}',
    '{',
    'null',
  ]
  input.write(`${wrong.join('\n')}\n{"jsonrpc":"2.0","id":6,"method":"ping"}\n`)
  await until(t, () => taken.length === 1, 'the last one is taken')
  const answers = String(output.read()).trim().split('\n').map(JSON.parse)
  t.deepEqual(
    answers.map(({ id, error }) => [id, error.code]),
    [
      [1, -32600],
      ['two', -32600],
      [3, -32600],
      [4, -32600],
      [null, -32600],
      [null, -32700],
      [null, -32600],
      [8, -32600],
      [null, -32600],
      [null, -32700],
      [null, -32600],
    ],
  )
  await transport.close()
})

test('messages that nobody reads yet wait for one sign of the stream together, and arrive in order', async (t) => {
  const read = []
  let goOn
  const stream = new Writable({
    highWaterMark: 1,
    write(chunk, _encoding, done) {
      read.push(JSON.parse(chunk))
      if (read.length > 1) done()
      else goOn = done
    },
  })
  const writer = new LineWriter(stream)
  const sent = Array.from({ length: 100 }, (_, number) => writer.write({ number }))
  t.deepEqual([stream.listenerCount('drain'), stream.listenerCount('close')], [1, 1])
  goOn()
  await Promise.all(sent)
  t.deepEqual(
    read.map(({ number }) => number),
    [...sent.keys()],
  )
  t.is(stream.listenerCount('drain'), 0)
  const last = writer.write({})
  stream.destroy()
  await t.notThrowsAsync(last, 'nobody will read any more')
})

test('when the client goes, the gateway ends with its servers, and with code 0', async (t) => {
  const started = startCli(t, ['gateway', '--config', configFile(t), '--lexical'])
  started.child.stdin.write(`${INITIALIZE}\n`)
  started.child.stdin.write(
    '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"call_tool","arguments":{"name":"mcp--odd--tell_pid"}}}\n',
  )
  await until(t, () => started.stdout.includes('"id":2'), 'the call')
  const answer = JSON.parse(started.stdout.split('\n').find((line) => line.includes('"id":2')))
  const pid = Number(answer.result.content[0].text)
  t.true(pid > 0 || answer.result.isError, 'the very first call may come before the server is known')
  started.child.stdin.end()
  t.deepEqual(await started.ended, { code: 0, signal: null })
  if (pid > 0) t.false(lives(pid))
})

/** A gateway over stdio that has been spoken to: `ask` sends lines and gives the answer of an id. */
async function spoken(t, config) {
  const started = startCli(t, ['gateway', '--config', configFile(t, config), '--lexical', '--quiet'])
  const answer = (id) => started.stdout.split('\n').find((line) => line.includes(`"id":${id}`))
  started.ask = async (id, line) => {
    started.child.stdin.write(`${line}\n`)
    await until(t, () => answer(id) !== undefined || started.child.exitCode !== null, `an answer to ${id}`)
    return JSON.parse(answer(id) ?? '{}')
  }
  await started.ask(1, INITIALIZE)
  started.child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
  return started
}

const PING = '{"jsonrpc":"2.0","id":99,"method":"ping"}'

test('a request of 12 MB over stdio is answered', async (t) => {
  const { ask } = await spoken(t)
  const params = { name: 'mcp_load', arguments: { query: 'tell_pid' }, _meta: { padding: 'x'.repeat(12e6) } }
  const answer = async (id) => {
    const { result } = await ask(id, JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }))
    // On a busy machine the server is not there yet.
    return result.content[0].text.includes('still_starting') ? answer(id + 1) : result
  }
  t.regex((await answer(2)).content[0].text, /mcp--odd--tell_pid/)
})

test('a request that is too large over stdio is answered as such, wherever its id stands, and the gateway goes on', async (t) => {
  const { ask } = await spoken(t)
  const params = { name: 'call_tool', arguments: { name: 'x', arguments: { id: 5, text: 'x'.repeat(34e6) } } }
  const spellings = [
    (id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params }),
    (id) => ({ method: 'tools/call', params, jsonrpc: '2.0', id }),
    (id) => ({ jsonrpc: '2.0', method: 'tools/call', params, id }),
  ]
  for (const [at, spelt] of spellings.entries()) {
    const { error } = await ask(at + 2, JSON.stringify(spelt(at + 2)))
    t.is(error.code, -32600)
    t.regex(error.message, /at most 33554432 bytes; send less/)
  }
  t.deepEqual((await ask(99, PING)).result, {})
})

for (const [what, line] of [
  ['a notification', JSON.stringify({ jsonrpc: '2.0', method: 'x', params: { id: 5, text: 'x'.repeat(40e6) } })],
  ['no message', 'x'.repeat(40e6)],
]) {
  test(`what is too large over stdio and cannot be answered ends the gateway, which the client sees: ${what}`, async (t) => {
    const started = await spoken(t)
    started.child.stdin.on('error', () => {})
    started.child.stdin.write(`${line}\n`)
    t.deepEqual(await started.ended, { code: 0, signal: null })
    t.regex(started.stderr, /at most 33554432 bytes/)
  })
}

for (const signal of ['SIGINT', 'SIGTERM'])
  test(`${signal} ends the gateway and its servers`, async (t) => {
    const client = await overStdio(t, { mcpServers: { odd: odd() } })
    const pid = Number((await client.use('mcp--odd--tell_pid')).content[0].text)
    t.true(lives(pid))
    process.kill(client.pid, signal)
    await until(t, () => !lives(client.pid) && !lives(pid), 'both have ended')
  })

test('nothing outlives a gateway that is killed, not what ignores the end of its input, and not what ignores SIGTERM', async (t) => {
  const client = await overStdio(t, { mcpServers: { odd: odd({}, '--stay') } })
  const tell = async (name) => Number((await client.use(`mcp--odd--${name}`)).content[0].text)
  const detached = process.platform === 'linux'
  const away = Number((await client.use('mcp--odd--start_child', { detached })).content[0].text)
  const left = [await tell('tell_pid'), await tell('start_child'), away]
  t.true(left.every(lives))
  process.kill(client.pid, 'SIGKILL')
  await until(t, () => !left.some(lives), 'all have ended')
})

test('with --http the address and the token are printed, and a client gets in with them', async (t) => {
  const started = startCli(t, ['gateway', '--config', configFile(t), '--lexical', '--http', '127.0.0.1:0'], {
    stdin: 'ignore',
  })
  const [, url] = await started.line(/listening on (\S+)/)
  const [, token] = await started.line(/bearer token (\S+)/)
  const client = await overHttp(t, { url, token })
  t.is((await client.names()).length, META_COUNT)
  await allAsked(client)
  const environment = (await client.use('mcp--odd--tell_environment')).content[0].text
  t.false(environment.includes(token))
  t.is(started.stdout, '')
})

test('bad command lines and bad files say what is wrong, and show nothing of the file', async (t) => {
  const secret = 'sk-very-secret'
  const good = configFile(t)
  const cases = [
    [[], 2, /^--config: expected the file of your servers, got none; .*cli\.mjs import[\s\S]*usage:/],
    [['gatway'], 2, /there is no command "gatway"; did you mean gateway\?[\s\S]*usage:/],
    [['gateway'], 2, /--config: expected the file of your servers, got none[\s\S]*usage:/],
    [['--config', good, '--workspce', '.'], 2, /gateway has no option --workspce; did you mean --workspace\?/],
    [['gateway', '--config', good, '--later', 'x'], 2, /--later/],
    [['add-key', '--config', good], 2, /add-key: expected <name>, got nothing/],
    [['keys', 'ann', '--config', good], 2, /keys: expected options alone, got "ann"/],
    [
      ['gateway', '--config', '/does/not/exist.json'],
      1,
      /config: expected a file to read of at most \d+ bytes, got ENOENT at \S+; check the path/,
    ],
    [
      ['gateway', '--config', configFile(t, `{"mcpServers": {"a": {"env": {"KEY": "${secret}" "x"}}}}`)],
      1,
      /config: expected JSON, got a syntax error in line 1 of \S+\.json/,
    ],
    [
      ['gateway', '--config', configFile(t, { mcpServers: [secret] })],
      1,
      /config\.mcpServers: expected an object, got an array of 1/,
    ],
    [['gateway', '--config', good, '--http', 'elsewhere'], 1, /--http: expected host:port/],
    [['gateway', '--config', good, '--http', '0.0.0.0:0'], 1, /loopback/],
  ]
  for (const [args, code, message] of cases) {
    const started = startCli(t, args)
    t.is((await started.ended).code, code, args.join(' '))
    t.regex(started.stderr, message)
    t.false(started.stderr.includes(secret))
    t.notRegex(started.stderr, /\n\s+at /, 'no stack')
  }
})

test('--help and --version answer on standard output, for all commands and for each', async (t) => {
  const { stdout: overview } = await execute(process.execPath, [CLI, '--help'])
  for (const [name, { operand, options }] of Object.entries(COMMANDS)) {
    t.true(overview.includes(`\n  ${name} `), name)
    const { stdout: help } = await execute(process.execPath, [CLI, name, '--help'])
    t.true(help.startsWith(`usage: tool-router-gateway ${name}${operand ? ` ${operand}` : ''} [options]\n`), help)
    for (const [option, { says }] of Object.entries(options))
      t.is(help.includes(`  --${option} `), says !== undefined, option)
    t.true(
      help.split('\n').every((line) => line.length <= 120),
      name,
    )
  }
  const { stdout: version } = await execute(process.execPath, [CLI, '--version'])
  t.is(version.trim(), require('../../../package.json').version)
})

test('a gateway whose configuration names itself comes to an end', async (t) => {
  const place = folder(t)
  const file = path.join(place, 'mcp.json')
  writeFileSync(
    file,
    JSON.stringify({
      mcpServers: {
        odd: odd(),
        self: { command: process.execPath, args: [CLI, 'gateway', '--config', file, '--lexical'] },
      },
      gateway: { dir: folder(t) },
    }),
  )
  const client = await overStdio(t, JSON.parse(readFileSync(file, 'utf8')))
  await client.ask('mcp_load', { query: 'mcp--odd--tell_pid' })
  t.false((await client.use('mcp--odd--tell_pid')).isError ?? false)
  const started = startCli(t, ['gateway', '--config', file, '--lexical'], { env: { ZOO_TOOL_ROUTER_DEPTH: '3' } })
  t.is((await started.ended).code, 1)
  t.regex(started.stderr, /more than 3 gateways behind each other/)
})

// The inspector weighs 110 MB and asks for a newer Node than this package, so it is no dependency; its folder may be
// named, or it may be installed beside: MCP_INSPECTOR=… npx ava __test__/gateway/http/stdio.spec.mjs
const INSPECTOR = process.env.MCP_INSPECTOR ?? installed('@modelcontextprotocol/inspector')

function installed(name) {
  try {
    return path.dirname(require.resolve(`${name}/package.json`))
  } catch {
    return undefined
  }
}

const whenPresent = where(INSPECTOR !== undefined, 'the inspector is not installed')
whenPresent('the inspector lists and calls over stdio', async (t) => {
  const { bin } = JSON.parse(readFileSync(path.join(INSPECTOR, 'package.json'), 'utf8'))
  const program = path.join(INSPECTOR, bin['mcp-inspector'])
  const config = configFile(t)
  const inspect = async (...args) => {
    const command = [
      program,
      '--cli',
      ...args,
      '--',
      process.execPath,
      CLI,
      'gateway',
      '--config',
      config,
      '--lexical',
      '--quiet',
    ]
    const { stdout } = await execute(process.execPath, command, { maxBuffer: 1e8 })
    return JSON.parse(stdout)
  }
  const { tools } = await inspect('--method', 'tools/list')
  t.deepEqual(
    tools.map(({ name }) => name),
    DEFAULT_META_TOOLS,
  )
  const answer = await inspect('--method', 'tools/call', '--tool-name', 'mcp_load', '--tool-arg', 'query=tell_pid')
  t.is(JSON.parse(answer.content[0].text).loaded[0].name, 'mcp--odd--tell_pid')
})
