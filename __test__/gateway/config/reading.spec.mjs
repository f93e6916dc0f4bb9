// The configuration: what other clients write is taken, mistakes are named, secrets are not.
import { writeFileSync } from 'node:fs'
import path from 'node:path'

import test from 'ava'

import { readConfig, readConfigFile } from '../../../packages/gateway/config/read.mjs'
import { readServer } from '../../../packages/gateway/config/server.mjs'
import { folder } from '../../helpers/gateway.mjs'

const STDIO = { command: 'node', args: ['server.js'] }
const read = (servers, more = {}, where) => readConfig({ mcpServers: servers, ...more }, where)

test('what other clients write is taken, and fields that are theirs are left alone', (t) => {
  const { servers } = read({
    'a b': {
      ...STDIO,
      env: { KEY: 'x' },
      alwaysAllow: ['t'],
      autoApprove: [],
      watchPaths: [],
      timeout: 15,
      disabledTools: ['y'],
    },
    remote: { type: 'streamable-http', url: 'https://example.org/mcp', headers: { Authorization: 'Bearer x' } },
    short: { url: 'http://127.0.0.1:1/mcp' },
    vscode: { type: 'stdio', command: 'npx' },
  })
  t.deepEqual(
    [...servers.values()].map(({ transport }) => transport),
    ['stdio', 'http', 'http', 'stdio'],
  )
  t.is(servers.get('a b').timeoutMs, 15_000)
  t.deepEqual([...servers.get('a b').env], [['KEY', 'x']])
})

test('names that are traps are names', (t) => {
  const config = JSON.parse(
    '{"mcpServers":{"__proto__":{"command":"node","env":{"__proto__":"x"},"toolDescriptionOverrides":{"__proto__":"d","constructor":"e"}},"constructor":{"command":"node"}},"modules":{"toString":{"servers":["__proto__"]}}}',
  )
  const { servers, modules } = readConfig(config)
  t.deepEqual([...servers.keys()], ['__proto__', 'constructor'])
  t.is(servers.get('__proto__').toolDescriptionOverrides.get('__proto__'), 'd')
  t.deepEqual(modules.get('toString').servers, ['__proto__'])
  t.is({}.command, undefined)
})

test("a relative folder of a server is one of the configuration's folder", (t) => {
  const place = folder(t)
  const file = path.join(place, 'mcp.json')
  writeFileSync(file, `\uFEFF${JSON.stringify({ mcpServers: { a: { ...STDIO, cwd: 'here' } } })}`)
  t.is(readConfigFile(file).servers.get('a').cwd, path.join(place, 'here'))
})

test("a mistake in the whole, or in the gateway's own settings, is named with what was expected and what was received", (t) => {
  const bad = [
    [null, /^config: expected an object, got null$/],
    [{}, /^config\.mcpServers: expected an object, got undefined$/],
    [{ mcpserver: {} }, /^config: expected mcpServers, got "mcpserver"$/],
    [{ mcpServers: 7 }, /^config\.mcpServers: expected an object, got 7$/],
    [{ mcpServers: {}, gateway: { metaTools: ['load'] } }, /some of mcp_load, search_mcps/],
    [{ mcpServers: {}, gateway: { focus: 1 } }, /only the keys/],
    [{ mcpServers: {}, gateway: { maxTools: 20_000 } }, /an integer from 8 to 10000/],
    [{ mcpServers: {}, gateway: { requestsPerSecond: 5 } }, /only the keys/],
    [{ mcpServers: {}, gateway: { inheritEnv: {} } }, /gateway\.inheritEnv: expected/],
    ...['t.example', 'https://t.example/mcp', 'ftp://t.example', 'https://a@t.example', 5].map((publicUrl) => [
      { mcpServers: {}, gateway: { publicUrl } },
      /^config\.gateway\.publicUrl: expected/,
    ]),
  ]
  for (const [config, message] of bad) {
    const error = t.throws(() => readConfig(config), { message }, JSON.stringify(config))
    t.deepEqual([error.name, error.code], ['ToolRouterError', 'ERR_INVALID_ARGUMENT'])
  }
})

test('a bad entry is left out with its reason, and stops no other', (t) => {
  const GOOD = { good: STDIO }
  const bad = [
    [{ a: {} }, /mcpServers\["a"\]: expected a command or a url, got "an entry with neither"/],
    [{ a: { command: '' } }, /mcpServers\["a"\]\.command: expected text of 1 to 32768 characters, got "0 characters"/],
    [{ a: 7 }, /mcpServers\["a"\]: expected an object, got 7/],
    [{ '': STDIO }, /a name of 1 to 128 visible characters/],
    [{ 'a\u001b[2J': STDIO }, /visible characters/],
    [{ a: { ...STDIO, type: 'websocket' } }, /type: expected stdio, http, streamable-http or sse, got "websocket"/],
    [{ a: { type: 'toString', url: 'http://x' } }, /type: expected stdio/],
    [{ a: { url: 'file:///etc/passwd' } }, /url: expected an http or https URL, got "file:"/],
    [{ a: { url: 'nowhere' } }, /an http or https URL/],
    [{ a: { url: 'http://u:p@h/' } }, /without user and password/],
    [{ a: { ...STDIO, timeout: -1 } }, /timeout: expected seconds from 1 to 3600, or milliseconds, got -1/],
    [{ a: { ...STDIO, timeout: '60' } }, /got "60"/],
    [{ a: { ...STDIO, disabled: 'yes' } }, /disabled: expected true or false, got "yes"/],
    [{ a: { ...STDIO, disabledTools: 'x' } }, /disabledTools: expected an array/],
    [{ a: { ...STDIO, onlyAllow: [1] } }, /onlyAllow\[0\]: expected text/],
    [{ a: { ...STDIO, args: ['a\0b'] } }, /args\[0\]/],
    [{ a: { ...STDIO, inheritEnv: 'AWS_PROFILE' } }, /inheritEnv: expected an array/],
    [
      { a: { ...STDIO, envFile: 'no-such-file' } },
      /envFile: expected a file of NAME=value lines at .*no-such-file, got "ENOENT"/,
    ],
  ]
  for (const [servers, reason] of bad) {
    const { servers: taken, leftOut } = read({ ...servers, ...GOOD })
    t.deepEqual([...taken.keys()], ['good'], JSON.stringify(servers))
    t.is(leftOut.length, 1)
    t.is(leftOut[0].kind, 'server')
    t.regex(leftOut[0].reason, reason)
    t.notRegex(leftOut[0].name, /\p{Cc}/u)
    t.throws(() => readServer(Object.keys(servers)[0], Object.values(servers)[0]), { code: 'ERR_INVALID_ARGUMENT' })
  }
})

test('a bad module or mode is left out like a bad server', (t) => {
  const bad = [
    [{ modules: { good: { tools: [] } } }, 'module', /a name that no server has/],
    [{ modules: { m: { tools: ['b/x'] } } }, 'module', /"server\/tool" with a server of mcpServers, got "b\/x"/],
    [{ modules: { m: { tool: [] } } }, 'module', /only the keys description, servers, tools, essential, got "tool"/],
    [{ modes: { m: { servers: ['good'] } } }, 'mode', /modes\["m"\]\.description/],
    [{ modes: { m: { description: 'x', modules: ['zz'] } } }, 'mode', /names of modules, got "zz"/],
  ]
  for (const [more, kind, reason] of bad) {
    const { servers, leftOut } = read({ good: STDIO }, more)
    t.is(servers.size, 1)
    t.deepEqual([leftOut.length, leftOut[0].kind], [1, kind])
    t.regex(leftOut[0].reason, reason)
  }
})

test('what is switched off is not read at all, and may be named in modules and modes', (t) => {
  const { servers, leftOut, off, modules, modes } = read(
    {
      old: { type: 'websocket', disabled: true, env: { KEY: '${env:NONE}' } },
      other: { enabled: false, command: 7 },
      third: { isActive: false },
      none: { ...STDIO, includeTools: ['a'], excludeTools: ['a'] },
      broken: {},
      on: { ...STDIO, enabled: true, disabled: false },
    },
    {
      modules: { m: { servers: ['old', 'broken'] } },
      modes: { d: { description: 'x', servers: ['other'], modules: ['m'] } },
    },
  )
  t.deepEqual([...servers.keys()], ['on'])
  t.deepEqual([...off], ['old', 'other', 'third', 'none'])
  t.deepEqual(
    leftOut.map(({ name }) => name),
    ['broken'],
  )
  t.deepEqual([modules.size, modes.size], [1, 1])
})

test('variables of an entry that starts no program are told, unless one of its texts names them', (t) => {
  const env = { NODE_EXTRA_CA_CERTS: '/ca.pem', TOKEN: 'x' }
  const { notes } = read({ a: { url: 'https://h.example/mcp', headers: { K: '${TOKEN}' }, env }, b: { ...STDIO, env } })
  t.deepEqual(notes, [
    'config.mcpServers["a"].env: it starts no program; set NODE_EXTRA_CA_CERTS where the gateway is started',
  ])
})

test("a key that is nearly ours is named, and one that is another client's is not", (t) => {
  const { notes } = read({
    a: { ...STDIO, disabledTool: ['x'], DisabledTools: ['x'], tiemout: 5, cmd: 'x', only_allow: ['x'] },
    b: {
      ...STDIO,
      alwaysAllow: ['t'],
      autoApprove: [],
      watchPaths: [],
      trust: true,
      gallery: true,
      dev: {},
      foo: 1,
      'x-y': 2,
    },
  })
  t.deepEqual(
    notes.map((note) => /the key "(\w+)" is not read; is (\w+) meant\?/.exec(note)?.slice(1)),
    [
      ['disabledTool', 'disabledTools'],
      ['DisabledTools', 'disabledTools'],
      ['tiemout', 'timeout'],
      ['cmd', 'command'],
      ['only_allow', 'onlyAllow'],
    ],
  )
})

test('a mistake in a secret does not show it', (t) => {
  for (const [servers, at] of [
    [{ a: 'node server.js --token=hunter2' }, /\["a"\]: expected an object, got "text"/],
    [{ a: { url: 'http://h/', bearer_token_env_var: 'ghp_hunter2hunter2' } }, /variable \[hidden\] to be set/],
    [{ a: { ...STDIO, env: { KEY: { token: 'hunter2' } } } }, /env\["KEY"\]: expected text, got "object"/],
    [
      { a: { url: 'http://h/', headers: { Authorization: ['hunter2'] } } },
      /headers\["Authorization"\]: expected text, got "object"/,
    ],
    [
      { a: { url: 'http://h/', headers: { 'X-Key': 'hunter2\nhunter2' } } },
      /headers\["X-Key"\]: expected what a header can hold/,
    ],
    [
      { a: { url: 'http://h/', headers: { 'X-Name': 'Mari\u0107' } } },
      /headers\["X-Name"\]: expected what a header can hold/,
    ],
    [{ a: { url: 'http://h/', headers: { 'X Key': 'hunter2' } } }, /headers\["X Key"\]: expected the name of a header/],
  ]) {
    const [{ reason }] = read(servers).leftOut
    t.regex(reason, at)
    t.notRegex(reason, /hunter2/)
  }
})

test('a file that is not JSON, is too large or is not there is refused by its own code, without its text', (t) => {
  const place = folder(t)
  const file = path.join(place, 'mcp.json')
  const refused = (text) => {
    writeFileSync(file, text)
    return t.throws(() => readConfigFile(file))
  }
  for (const text of ['', '{', '{"mcpServers": {"a": "hunter2" oops}}', '// hunter2']) {
    const error = refused(text)
    t.deepEqual([error.name, error.code], ['ToolRouterError', 'ERR_CONFIG_INVALID'])
    t.notRegex(error.message, /hunter2/)
  }
  t.regex(refused(' '.repeat(33 * 1024 * 1024)).message, /at most 33554432 bytes, got 34603008/)
  t.throws(() => readConfigFile(path.join(place, 'none.json')), { code: 'ERR_INVALID_ARGUMENT', message: /ENOENT/ })
})

test('a password of any characters opens the database that the address names, and is in no text', (t) => {
  const passwords = ['r@uter/pw', 'a#b?c', '50%', 'ü:{}', '${env:OTHER}']
  for (const PW of passwords) {
    const store = 'postgres://router:${env:PW}@${env:DATABASE}'
    const { settings } = readConfig(
      { mcpServers: {}, gateway: { store } },
      { env: { PW, DATABASE: 'db.example:5433/tools?sslmode=require', OTHER: 'no' } },
    )
    const whole = new URL(settings.store.whole)
    t.deepEqual(
      [decodeURIComponent(whole.password), whole.host, whole.pathname, whole.search],
      [PW, 'db.example:5433', '/tools', '?sslmode=require'],
    )
    t.is(`${settings.store}`, 'postgres://router@db.example:5433/tools')
  }
  const { settings } = readConfig(
    { mcpServers: {}, gateway: { store: '${env:ALL}' } },
    { env: { ALL: 'postgres://router:a%40b@db.example/tools' } },
  )
  t.is(settings.store.whole, 'postgres://router:a%40b@db.example/tools')
})
