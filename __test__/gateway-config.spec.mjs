// The configuration: what other clients write is taken, mistakes are named, secrets are not.
import { writeFileSync } from 'node:fs'
import path from 'node:path'

import test from 'ava'

import { readConfig, readConfigFile } from '../gateway/config.mjs'
import { folder } from './helpers/gateway.mjs'

const STDIO = { command: 'node', args: ['server.js'] }
const read = (servers, more = {}, where) => readConfig({ mcpServers: servers, ...more }, where)

test('what other clients write is taken, and fields that are theirs are left alone', (t) => {
  const { servers } = read({
    'a b': { ...STDIO, env: { KEY: 'x' }, alwaysAllow: ['t'], autoApprove: [], watchPaths: [], timeout: 15, disabledTools: ['y'] },
    remote: { type: 'streamable-http', url: 'https://example.org/mcp', headers: { Authorization: 'Bearer x' } },
    short: { url: 'http://127.0.0.1:1/mcp' },
    vscode: { type: 'stdio', command: 'npx' },
  })
  t.deepEqual([...servers.values()].map(({ transport }) => transport), ['stdio', 'http', 'http', 'stdio'])
  t.is(servers.get('a b').timeoutMs, 15_000)
  t.deepEqual([...servers.get('a b').env], [['KEY', 'x']])
})

test('names that are traps are names', (t) => {
  const config = JSON.parse('{"mcpServers":{"__proto__":{"command":"node","env":{"__proto__":"x"},"toolDescriptionOverrides":{"__proto__":"d","constructor":"e"}},"constructor":{"command":"node"}},"modules":{"toString":{"servers":["__proto__"]}}}')
  const { servers, modules } = readConfig(config)
  t.deepEqual([...servers.keys()], ['__proto__', 'constructor'])
  t.is(servers.get('__proto__').toolDescriptionOverrides.get('__proto__'), 'd')
  t.deepEqual(modules.get('toString').servers, ['__proto__'])
  t.is({}.command, undefined)
})

test('${env:NAME} is replaced by a variable, and one that is unset is named', (t) => {
  const where = { env: { TOKEN: 'abc' } }
  const { servers } = read({ a: { ...STDIO, env: { KEY: 'x-${env:TOKEN}' } }, b: { url: 'http://h/${env:TOKEN}', headers: { K: '${env:TOKEN}' } } }, {}, where)
  t.is(servers.get('a').env.get('KEY'), 'x-abc')
  t.is(servers.get('b').url.href, 'http://h/abc')
  t.throws(() => read({ a: { ...STDIO, env: { KEY: '${env:NONE}' } } }, {}, where), { message: 'config.mcpServers["a"].env["KEY"]: expected the environment variable NONE to be set, got "unset"' })
  t.throws(() => read({ a: { ...STDIO, args: ['${env:__proto__}'] } }, {}, where), { message: /__proto__ to be set/ })
})

test('a relative folder of a server is one of the configuration\'s folder', (t) => {
  const place = folder(t)
  const file = path.join(place, 'mcp.json')
  writeFileSync(file, `\uFEFF${JSON.stringify({ mcpServers: { a: { ...STDIO, cwd: 'here' } } })}`)
  t.is(readConfigFile(file).servers.get('a').cwd, path.join(place, 'here'))
})

test('mistakes are named with the field, what was expected and what came', (t) => {
  const bad = [
    [null, /^config: expected an object, got null$/],
    [{}, /^config\.mcpServers: expected an object, got undefined$/],
    [{ mcpServers: [] }, /got an array of 0/],
    [{ mcpServers: { a: {} } }, /mcpServers\["a"\]\.command: expected text of 1 to 32768 characters, got undefined/],
    [{ mcpServers: { '': STDIO } }, /a name of 1 to 128 visible characters/],
    [{ mcpServers: { 'a\u001b[2J': STDIO } }, /visible characters/],
    [{ mcpServers: { a: { ...STDIO, type: 'sse' } } }, /type: expected stdio or streamable-http, got "sse"/],
    [{ mcpServers: { a: { type: 'toString', url: 'http://x' } } }, /type: expected stdio/],
    [{ mcpServers: { a: { url: 'file:///etc/passwd' } } }, /url: expected an http or https URL, got "file:"/],
    [{ mcpServers: { a: { url: 'nowhere' } } }, /an http or https URL/],
    [{ mcpServers: { a: { url: 'http://u:p@h/' } } }, /without user and password/],
    [{ mcpServers: { a: { ...STDIO, timeout: 0 } } }, /timeout: expected an integer from 1 to 3600, got 0/],
    [{ mcpServers: { a: { ...STDIO, timeout: '60' } } }, /got "60"/],
    [{ mcpServers: { a: { ...STDIO, disabled: 'yes' } } }, /disabled: expected true or false, got "yes"/],
    [{ mcpServers: { a: { ...STDIO, disabledTools: 'x' } } }, /disabledTools: expected an array/],
    [{ mcpServers: { a: { ...STDIO, onlyAllow: [1] } } }, /onlyAllow\[0\]: expected text/],
    [{ mcpServers: { a: { ...STDIO, args: ['a\0b'] } } }, /args\[0\]/],
    [{ mcpServers: { a: STDIO }, modules: { a: { tools: [] } } }, /a name that no server has/],
    [{ mcpServers: { a: STDIO }, modules: { m: { tools: ['b/x'] } } }, /"server\/tool" with a server of mcpServers, got "b\/x"/],
    [{ mcpServers: { a: STDIO }, modules: { m: { tool: [] } } }, /only the keys description, servers, tools, essential, got "tool"/],
    [{ mcpServers: { a: STDIO }, modes: { m: { servers: ['a'] } } }, /modes\["m"\]\.description/],
    [{ mcpServers: { a: STDIO }, modes: { m: { description: 'x', modules: ['zz'] } } }, /names of modules, got "zz"/],
    [{ mcpServers: {}, gateway: { metaTools: ['load'] } }, /some of mcp_load, search_mcps/],
    [{ mcpServers: {}, gateway: { focus: 1 } }, /only the keys/],
    [{ mcpServers: {}, gateway: { maxSessions: 10_000 } }, /an integer from 1 to 900/],
  ]
  for (const [config, message] of bad) {
    const error = t.throws(() => readConfig(config), { message }, JSON.stringify(config))
    t.deepEqual([error.name, error.code], ['ToolRouterError', 'ERR_INVALID_ARGUMENT'])
  }
})

test('a mistake in a secret does not show it', (t) => {
  for (const [servers, at] of [
    [{ a: { ...STDIO, env: { KEY: 123456 } } }, /env\["KEY"\]: expected text, got "number"/],
    [{ a: { url: 'http://h/', headers: { Authorization: ['hunter2'] } } }, /headers\["Authorization"\]: expected text, got "object"/],
  ]) {
    const error = t.throws(() => read(servers), { message: at })
    t.notRegex(error.message, /123456|hunter2/)
  }
})

test('a file that is no JSON, is too large or is not there is refused by its own code, without its text', (t) => {
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
  t.regex(refused(' '.repeat(5 * 1024 * 1024)).message, /at most 4194304 bytes, got 5242880/)
  t.throws(() => readConfigFile(path.join(place, 'none.json')), { code: 'ERR_INVALID_ARGUMENT', message: /ENOENT/ })
})
