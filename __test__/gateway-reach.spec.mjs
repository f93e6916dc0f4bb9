// How servers are reached, and why one is not: old servers, what a failing one prints, and what of it is nobody's business.
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'

import test from 'ava'

import { readServer } from '../packages/gateway/config/server.mjs'
import { whyNot } from '../packages/gateway/reach/failure.mjs'
import { LastWords } from '../packages/gateway/reach/last-words.mjs'
import { Secrets } from '../packages/gateway/base/secrets.mjs'
import { folder, gateway, inProcess, META_COUNT, odd, overStdio, startCli, unique, until } from './helpers/gateway.mjs'
import { oldServer } from './helpers/old-server.mjs'

/** A gateway before one server, and what it says. */
async function before(t, entry, { verbose, config } = {}) {
  const name = unique('one')
  const lines = []
  const opened = await gateway(
    t,
    { mcpServers: { [name]: entry }, ...config },
    { log: (line) => lines.push(line), verbose },
  )
  return { name, opened, lines, status: () => opened.servers[0], client: await inProcess(t, opened) }
}

const script = (source, more = {}) => ({ command: process.execPath, args: ['-e', source], ...more })

// --- old servers ---------------------------------------------------------------------------------

for (const [what, refusal, type] of [
  ['that says so in the configuration', 405, 'sse'],
  ['found by its 405', 405, undefined],
  ['found by its 404', 404, 'http'],
  ['found by its 400', 400, undefined],
]) {
  test(`an old server ${what} is reached, with its headers`, async (t) => {
    const old = await oldServer(t, { refusal })
    const made = await before(t, { url: old.url, headers: { 'X-Key': 'k' }, ...(type && { type }) })
    await until(t, () => made.status().state === 'ready', 'it is reached, at the first try or a later one')
    const answer = await made.client.use(`mcp--${made.name}--ring`, { times: 2 })
    t.is(answer.content[0].text, 'ring {"times":2}')
    t.true(old.seen.every(({ key }) => key === 'k'))
    const first = old.seen[0]
    t.is(first.method, type === 'sse' ? 'GET' : 'POST', 'what the entry says is tried first')
  })
}

test('an old server whose stream ends is greeted again, not only listened to', async (t) => {
  const old = await oldServer(t)
  const made = await before(t, { type: 'sse', url: old.url })
  old.restart()
  await until(t, () => made.lines.some((line) => /it is started again/.test(line)), 'the end is noticed')
  await until(t, () => made.status().state === 'ready', 'it is back')
  t.is((await made.client.use(`mcp--${made.name}--ring`, {})).content[0].text, 'ring {}')
})

test('an old server that opens its stream and says nothing is not waited for without end', async (t) => {
  const old = await oldServer(t, { silent: true })
  const made = await before(t, { type: 'sse', url: old.url, startTimeout: 1 })
  t.is(made.status().reason, 'it did not answer within 1 s')
})

test('a server of the new kind is reached although it is called an old one', async (t) => {
  const started = startOdd(t)
  const made = await before(t, { type: 'sse', url: await started, headers: { 'X-Key': 'secret' } })
  t.is(made.status().state, 'ready')
})

test('an address that serves neither says what is wrong with it, and not what it answered', async (t) => {
  const old = await oldServer(t, { refusal: 404 })
  const made = await before(t, { url: old.url.replace('/sse', '/other'), headers: { 'X-Key': 'key-of-the-user' } })
  t.is(
    made.status().reason,
    'it answered with HTTP status 404: nothing is served under its address; is the path right?',
  )
  t.notRegex(made.lines.join(), /key-of-the-user/)
})

async function startOdd(t) {
  const { spawn } = await import('node:child_process')
  const { command, args } = odd({}, '--http', '0')
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  t.teardown(() => child.kill('SIGKILL'))
  const [port] = await new Promise((resolve) => child.stdout.once('data', (chunk) => resolve(/\d+/.exec(chunk))))
  return `http://127.0.0.1:${port}/mcp`
}

// --- why a server does not run -------------------------------------------------------------------

for (const [what, entry, reason] of [
  [
    'throws at its start',
    script("throw new Error('API_TOKEN is required')"),
    'it has ended with code 1: Error: API_TOKEN is required',
  ],
  [
    'prints what is missing and ends',
    script("console.error('usage: server --key KEY'); process.exit(2)"),
    'it has ended with code 2: usage: server --key KEY',
  ],
  ['ends without a word', script('process.exit(3)'), 'it has ended with code 3'],
  ['is killed', script("process.kill(process.pid, 'SIGKILL')"), 'it has ended by signal SIGKILL'],
  [
    'does not answer',
    script("console.error('waiting for the database'); setInterval(() => {}, 1000)", { startTimeout: 1 }),
    'it did not answer within 1 s: waiting for the database',
  ],
  ['is not installed', { command: 'no-such-program' }, /^the program no-such-program was not found.*\(ENOENT\)$/],
  [
    'is written with its arguments',
    { command: 'no-such-program --token=hunter2' },
    /^command holds more than a program: put no-such-program into command, .* into args \(ENOENT\)$/,
  ],
  [
    'has its package in its command',
    { command: 'no-such-npx -y @scope/server --key hunter2' },
    /^command holds more than a program: put no-such-npx into command/,
  ],
  ['has a folder that is not there', script('', { cwd: '/no/such/folder' }), /^its folder does not exist: .*folder$/],
  ['is a folder', { command: path.sep === '/' ? '/' : 'C:\\' }, /may not be run|cannot be started|was not found/],
]) {
  test(`a program that ${what} is told with its reason`, async (t) => {
    const made = await before(t, entry)
    const expected =
      reason instanceof RegExp ? reason : new RegExp(`^${reason.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`)
    await until(t, () => made.status().state === 'waiting', 'it has failed')
    t.regex(made.status().reason, expected)
    t.true(made.lines.some((line) => line.startsWith(`server ${made.name}: ${made.status().reason}`)))
    const [{ modules }, { unavailable }] = await Promise.all([
      made.client.ask('manage_modules', { action: 'list' }),
      made.client.ask('mcp_load', { query: made.name }),
    ])
    t.deepEqual([modules[0].state, modules[0].reason], ['unavailable', made.status().reason])
    t.deepEqual(unavailable, [{ name: made.name, reason: 'server-down', detail: made.status().reason }])
    t.notRegex(JSON.stringify([made.lines, modules, unavailable]), /hunter2/)
  })
}

test('a command that is a path with blanks is one program, and one with arguments behind it is not', (t) => {
  const told = (command) =>
    whyNot({ syscall: `spawn ${command}`, code: 'ENOENT' }, { definition: { command, args: [] }, lastWords: {} })
  const place = folder(t)
  const script = path.join(place, 'a script')
  writeFileSync(script, '#!/no/such/interpreter\n', { mode: 0o755 })
  for (const [command, program] of [
    ['C:\\Program Files\\nodejs\\npx.cmd', 'npx.cmd'],
    ['/no such folder/of mine/server', 'server'],
    ['/no/such/server', 'server'],
  ])
    t.is(told(command), `the program ${program} was not found; is it installed, and in PATH? (ENOENT)`)
  for (const [command, program] of [
    ['node ./x/index.js', 'node'],
    ['docker run -i --rm -v /a:/b image', 'docker'],
    ['C:\\Program Files\\nodejs\\npx.cmd -y server', 'npx.cmd'],
    ['"C:\\Program Files\\nodejs\\node.exe" server.js', 'node.exe'],
    [`${process.execPath} server.js`, path.basename(process.execPath)],
    ['/no/such/server hunter2', 'server'],
    [`${script} --verbose`, 'a script'],
  ])
    t.true(told(command).startsWith(`command holds more than a program: put ${program} into command,`), told(command))
  t.regex(told(script), /^the program a script is there, and the interpreter that its first line names is not/)
})

test('a remote server that is not there is told with the cause, not with "fetch failed"', async (t) => {
  const closed = createServer()
  await new Promise((resolve) => closed.listen(0, '127.0.0.1', resolve))
  const { port } = closed.address()
  await new Promise((resolve) => closed.close(resolve))
  for (const type of ['http', 'sse']) {
    const made = await before(t, { type, url: `http://127.0.0.1:${port}/mcp` })
    t.is(made.status().reason, 'it cannot be reached: nothing listens at its address (ECONNREFUSED)', type)
  }
  const nowhere = await before(t, { url: 'http://no-such-host.invalid/mcp' })
  t.regex(nowhere.status().reason, /^it cannot be reached: .* \((ENOTFOUND|EAI_AGAIN)\)$/)
})

test('a tool of a server that is down is not called unknown, and one that is named in words is told of', async (t) => {
  const name = unique('billing-api')
  const opened = await gateway(t, {
    mcpServers: { [name]: script("throw new Error('no license')"), [unique('fine')]: odd() },
  })
  const client = await inProcess(t, opened)
  const reasonFor = async (query) =>
    (await client.ask('mcp_load', { query })).unavailable.map(({ name: told, reason, detail }) => [
      told,
      reason,
      detail,
    ])
  const down = [[name, 'server-down', 'it has ended with code 1: Error: no license']]
  t.deepEqual(await reasonFor(`mcp--${name}--create_invoice`), down)
  t.deepEqual(await reasonFor(`write an invoice with ${name.replaceAll('-', ' ')}`), down)
  t.deepEqual(await reasonFor('tell the id of the process'), [], 'nobody asked for it')
})

test('who finds nothing is told of servers that are down, since it may be theirs', async (t) => {
  const made = await before(t, script("throw new Error('no license')"))
  const { loaded, unavailable } = await made.client.ask('mcp_load', { query: 'write an invoice' })
  t.deepEqual(loaded, [])
  t.deepEqual(unavailable, [
    { name: made.name, reason: 'server-down', detail: 'it has ended with code 1: Error: no license' },
  ])
})

test('an entry that is left out is told in the log, in manage_modules and in mcp_load', async (t) => {
  const lines = []
  const [good, bad] = [unique('good'), unique('bad')]
  const config = {
    mcpServers: {
      [good]: odd({ disabledTool: ['die'] }),
      [bad]: { url: 'nowhere' },
      off: { command: 7, disabled: true },
    },
    modules: { typo: { servers: ['goood'] } },
  }
  const opened = await gateway(t, config, { log: (line) => lines.push(line) })
  const client = await inProcess(t, opened)
  t.is((await client.use(`mcp--${good}--tell_pid`)).isError, undefined)
  const reason = `config.mcpServers["${bad}"].url: expected an http or https URL, got "text that is not one"`
  t.true(lines.includes(`server ${bad} is left out: ${reason}`))
  t.true(lines.some((line) => /the key "disabledTool" is not read; is disabledTools meant\?/.test(line)))
  t.deepEqual(
    opened.servers.map(({ name, state }) => [name, state]),
    [
      [good, 'ready'],
      [bad, 'left-out'],
    ],
  )
  const { left_out: leftOut, notes } = await client.ask('manage_modules', { action: 'list' })
  t.deepEqual(
    leftOut.map(({ kind, name }) => [kind, name]),
    [
      ['server', bad],
      ['module', 'typo'],
    ],
  )
  t.is(notes.length, 1)
  const { unavailable } = await client.ask('mcp_load', { query: bad })
  t.deepEqual(unavailable, [{ name: bad, reason: 'left-out', detail: reason }])
})

// --- what a server prints, and secrets -----------------------------------------------------------

test('what servers print is heard with verbose, and not without', async (t) => {
  const entry = script("console.error('hello from the server'); setTimeout(() => process.exit(1), 50)")
  const quiet = await before(t, entry)
  const loud = await before(t, entry, { verbose: true })
  await until(t, () => loud.lines.some((line) => line.endsWith('says: hello from the server')), 'it is heard')
  t.false(quiet.lines.some((line) => / says: /.test(line)))
})

test('--verbose on the command line is for standard error, and the protocol goes on', async (t) => {
  const client = await overStdio(
    t,
    { mcpServers: { loud: script("console.error('I am loud')") } },
    { args: ['--verbose'] },
  )
  await until(t, () => /tool-router-gateway: server loud says: I am loud/.test(client.errors()), 'it is heard')
  t.is((await client.names()).length, META_COUNT)
})

test('no secret of an entry is in what is told, however the server prints it', async (t) => {
  const secret = 'pa$$w0rd/of+the&user'
  process.env.REACH_TEST_SECRET = 'value-of-a-variable'
  const source = `
    console.error('env', process.env.PASSWORD, JSON.stringify({ p: process.env.PASSWORD }), encodeURIComponent(process.env.PASSWORD))
    console.error('args', process.argv.slice(1).join(' '))
    console.error(process.env.PEM)
    throw new Error('cannot log in with ' + process.env.PASSWORD + ' and Bearer abcdefghijklmnop')`
  const made = await before(
    t,
    {
      command: process.execPath,
      args: [
        '-e',
        source,
        '--',
        '--api-key',
        'key-after-option',
        '--token=key-in-option',
        '${REACH_TEST_SECRET}',
        'plain-word',
      ],
      env: { PASSWORD: secret, PEM: 'first-line-of-key\nsecond-line-of-key' },
    },
    { verbose: true },
  )
  const told = made.lines.join('\n') + made.status().reason
  t.regex(told, /cannot log in with \[hidden\]/)
  t.regex(told, /plain-word/)
  const hidden = [secret, encodeURIComponent(secret), 'value-of-a-variable', 'key-after-option', 'key-in-option']
  for (const text of [...hidden, 'first-line', 'second-line', 'abcdefghijklmnop']) t.false(told.includes(text), text)
})

test('a secret is hidden also where a line is cut, and where it is one of many', (t) => {
  const secrets = new Secrets(
    readServer('a', { command: 'x', env: { KEY: 'k'.repeat(50), TOKEN: 'abcd', SHORT: 'on', MODE: 'turned' } }),
  )
  const heard = []
  const words = new LastWords(secrets, (line) => heard.push(line))
  words.take(Buffer.from(`${'x'.repeat(280)} ${'k'.repeat(50)} end\nturned on abcd, ${'k'.repeat(20)}`))
  words.take(Buffer.from(`${'k'.repeat(30)}!\n`))
  t.deepEqual(heard, [`${'x'.repeat(280)} [hidden] end`, 'turned on [hidden], [hidden]!'])
})

test('lines that are made to be slow to look through come through, thousands of them', (t) => {
  const words = new LastWords(new Secrets(readServer('a', { command: 'x', env: { KEY: 'aaaaaaaa' } })))
  for (const line of ['a.'.repeat(4_096), 'a://'.repeat(2_048), `x://${'a:'.repeat(4_096)}`, 'Error'.repeat(1_638)])
    for (let at = 0; at < 500; at++) words.take(Buffer.from(`${line}\n`))
  t.is(words.lines.length, 40)
})

test('what a server prints without end costs no memory, and its last words are kept', (t) => {
  const words = new LastWords(new Secrets({}))
  for (let at = 0; at < 20_000; at++) words.take(Buffer.from(`line ${at} ${'y'.repeat(100)}\n`))
  for (let at = 0; at < 2_000; at++) words.take(Buffer.alloc(10_000, 'z'))
  words.take(Buffer.from('\nFatalError: out of paper\n    at somewhere\n'))
  t.true(words.lines.length <= 40)
  t.true(words.lines.every((line) => line.length <= 300))
  t.is(words.told, 'FatalError: out of paper')
})

test('of an error of npm the lines that say what it is are told, not where its log lies', (t) => {
  const words = new LastWords(new Secrets({}))
  words.take(
    Buffer.from(
      `npm warn deprecated something
npm error code E404
npm error 404 Not Found - GET https://packages.example/no-such-server - Not found
npm error 404
npm error 404  'no-such-server@*' is not in this registry.
npm error 404
npm error 404 Note that you can also install from a
npm error A complete log of this run can be found in: /home/ada/.npm/_logs/debug-0.log
`,
    ),
  )
  const first = 'npm error code E404 | 404 Not Found - GET https://packages.example/no-such-server - Not found'
  t.is(words.told, `${first} | 404  'no-such-server@*' is not in this registry.`)
  t.regex(words.error, /Not Found/)
})

test('of an error that Node.js prints with its cause, both first lines are told', (t) => {
  const words = new LastWords(new Secrets({}))
  words.take(
    Buffer.from(
      `[77] Fatal error: TypeError: fetch failed
    at fetch (node:internal/deps/undici:1:1) {
  [cause]: Error: connect ECONNREFUSED 127.0.0.1:7701
      at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1611:16) {
    errno: -111,
    code: 'ECONNREFUSED',
    syscall: 'connect',
    address: '127.0.0.1',
    port: 7701
  }
}
`,
    ),
  )
  t.is(words.told, '[77] Fatal error: TypeError: fetch failed | [cause]: Error: connect ECONNREFUSED 127.0.0.1:7701')
})

test('a key in the path of an address, behind -k, in the middle of an argument and in base64 is hidden', (t) => {
  const key = 'fc-a1b2c3d4e5f60718293a4b5c'
  const secrets = new Secrets(
    readServer('a', { command: 'x', args: ['-k', 'hunter2', `https://h.example/${key}/mcp`] }),
  )
  t.is(secrets.hide(`-k hunter2 ${key}`), '-k [hidden] [hidden]')
  const remote = new Secrets(
    readServer('a', { url: `https://h.example/${key}/mcp`, headers: { 'X-Key': 'hunter2-of-ada' } }),
  )
  t.is(remote.hide(`GET /${key}/mcp`), 'GET /[hidden]/mcp')
  t.false(
    remote
      .hide(Buffer.from('hunter2-of-ada').toString('base64'))
      .includes(Buffer.from('hunter2-of').toString('base64')),
  )
  const spoken = ['server-filesystem', 'chrome-devtools-mcp@1.2.3-beta.4', 'mcp-server-git-2025.11.24', '/srv/my-notes']
  t.is(new Secrets(readServer('a', { command: 'x', args: spoken })).hide(spoken.join(' ')), spoken.join(' '))
})

test('the last words of a program in Python are those that say why', (t) => {
  const words = new LastWords(new Secrets({}))
  words.take(
    Buffer.from(
      'Traceback (most recent call last):\n  File "server.py", line 3, in <module>\n    main()\nKeyError: "API_TOKEN"\n',
    ),
  )
  t.regex(words.told, /KeyError: "API_TOKEN"$/)
})

// --- doctor --------------------------------------------------------------------------------------

test('doctor starts each server once and says what works, what not and why, and what it costs', async (t) => {
  const place = folder(t)
  const starts = path.join(place, 'starts')
  const counted = `require('fs').appendFileSync(${JSON.stringify(starts)}, 'x'); throw new Error('API_TOKEN is required')`
  const file = path.join(place, 'mcp.json')
  writeFileSync(
    file,
    `{ // a comment
      "mcpServers": ${JSON.stringify({ fine: odd({ lazy: true, disabledTools: ['die'] }), bad: script(counted), out: { url: 'x' }, off: { disabled: true } })},
    }`,
  )
  const doctor = startCli(t, ['doctor', '--config', file])
  t.deepEqual(await doctor.ended, { code: 1, signal: null })
  const lines = doctor.stdout.split('\n')
  t.regex(lines[0], /^ok +fine +\d+ tools, \d+ in scope, [\d,]+ tokens, [\d.]+ s$/)
  t.regex(lines[1], /^FAIL +bad +it has ended with code 1: Error: API_TOKEN is required$/)
  t.regex(lines[2], /^LEFT +out +config\.mcpServers\["out"\]\.url: expected an http or https URL/)
  t.regex(lines[3], /^off +off +switched off$/)
  t.regex(
    doctor.stdout,
    /1 of 3 work\.\nTokens of tools in each request: [\d,]+ without the gateway, [\d,]+ with it at first\.\n$/,
  )
  t.true(['x', 'xx'].includes(readFileSync(starts, 'utf8')), 'once, in each era of the protocol')
})

test('report writes one page of a task, says which servers are missing, and replaces a file only when told', async (t) => {
  const place = folder(t)
  const file = path.join(place, 'mcp.json')
  writeFileSync(file, JSON.stringify({ mcpServers: { fine: odd(), bad: script('process.exit(1)') } }))
  const out = path.join(place, 'page.html')
  const report = (...more) =>
    startCli(t, ['report', 'add <two> numbers', '--config', file, '--later', 'ok', '--lexical', '--out', out, ...more])
  const first = report()
  t.is((await first.ended).code, 0, first.stderr)
  t.regex(first.stdout, /^without bad: it has ended with code 1/m)
  t.regex(first.stdout, /^[\d,]+ tokens of tools instead of [\d,]+ \([\d.]+ % fewer\): .*page\.html$/m)
  const html = readFileSync(out, 'utf8')
  t.true(html.includes('<blockquote>add &lt;two&gt; numbers</blockquote>'))
  t.regex(html, /the user: ok/)
  const again = report()
  t.is((await again.ended).code, 1)
  t.regex(again.stderr, /is there already; .*--force/)
  t.is(readFileSync(out, 'utf8'), html)
  t.is((await report('--force').ended).code, 0)
})
