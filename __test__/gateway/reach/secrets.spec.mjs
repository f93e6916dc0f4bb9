// What servers print is heard with verbose, and no secret is in what is told.
import test from 'ava'
import { readServer } from '../../../packages/gateway/config/server.mjs'
import { LastWords } from '../../../packages/gateway/reach/last-words.mjs'
import { Secrets } from '../../../packages/gateway/base/secrets.mjs'
import { META_COUNT, overStdio, until } from '../../helpers/gateway.mjs'
import { before } from '../../helpers/odd-gateway.mjs'

const script = (source, more = {}) => ({ command: process.execPath, args: ['-e', source], ...more })

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
