// What of a server goes into the registry of a team, and what may not.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import test from 'ava'
import fc from 'fast-check'
import { readConfig } from '../../../packages/gateway/config/read.mjs'
import { digestOf, fromRegistry, toRegistry } from '../../../packages/gateway/config/registry-entry.mjs'
import { run } from '../../helpers/child.mjs'
import { MARKED, CLI, folder, overHttp, until } from '../../helpers/gateway.mjs'
import { MISSING } from '../../helpers/postgres.mjs'
import { replica } from '../../helpers/replica.mjs'
import { entryOf, registry, near, DESCRIPTION, server } from '../../helpers/registry.mjs'

const SECRET = 'qJ7xR2mW9tK4vB1nZ8cL'

const registered = (written) => toRegistry('one', written, { at: 'entry', tools: [] })

const claim = MISSING === undefined ? test.serial : test.serial.skip

test('of variables and headers names alone leave a configuration', (t) => {
  const value = fc
    .string({ minLength: 6, maxLength: 30 })
    .filter((text) => !/\$|^\s*$/.test(text) && !text.includes('\0'))
  const name = fc.constantFrom('TOKEN', 'PATH', '__proto__', 'a b')
  fc.assert(
    fc.property(fc.dictionary(name, value), (env) => {
      const { start } = registered({ command: 'x', args: ['--stdio'], env })
      for (const key of Object.keys(env)) t.is(JSON.parse(start).env[key], `\${env:${key}}`)
    }),
  )
  for (const written of [`postgres://me:${SECRET}@\${env:HOST}`, `\${TOKEN:-${SECRET}}`, `${SECRET}$\${x}`])
    t.deepEqual(JSON.parse(registered({ command: 'x', env: { TOKEN: written } }).start).env, { TOKEN: '${env:TOKEN}' })
  for (const kept of ['${workspaceFolder}', '${env:OTHER}', '${OTHER:-}', '${file:~/key}'])
    t.deepEqual(JSON.parse(registered({ command: 'x', env: { TOKEN: kept } }).start).env, { TOKEN: kept })
  const { start } = registered({ url: 'https://a.example/mcp', headers: { Authorization: 'Bearer ${env:TOKEN}' } })
  t.deepEqual(JSON.parse(start), { url: 'https://a.example/mcp', headers: { Authorization: 'Bearer ${env:TOKEN}' } })
})

test('what may be a secret, or is of one machine, is refused and the field is named', (t) => {
  for (const [written, at] of [
    [{ command: 'x', args: ['--token', SECRET] }, 'entry.args[1]'],
    [{ command: 'x', args: [`--api-key=${SECRET}`] }, 'entry.args[0]'],
    [{ command: 'x', args: [`https://me:${SECRET}@a.example`] }, 'entry.args[0]'],
    [{ url: `https://a.example/mcp?key=${SECRET}` }, 'entry.url'],
    [{ url: `https://a.example/${SECRET}/mcp` }, 'entry.url'],
    [{ url: 'https://a.example/mcp', headers: { 'X-Key': SECRET } }, 'entry.headers["X-Key"]'],
    [{ command: `x --token ${SECRET}` }, 'entry.command'],
    [{ url: `https://${SECRET}@a.example/mcp` }, 'entry.url'],
    // What stands for a variable that is not set is a value, and so is what stands beside a placeholder.
    [{ command: 'x', args: ['--token', `\${TOKEN:-${SECRET}}`] }, 'entry.args[1]'],
    [{ url: `https://a.example/mcp?key=\${KEY:-${SECRET}}` }, 'entry.url'],
    [{ url: 'https://a.example/mcp', headers: { 'X-Key': `\${KEY:-${SECRET}}` } }, 'entry.headers["X-Key"]'],
    [{ url: 'https://a.example/mcp', headers: { 'X-Key': `${SECRET}\${NONE:-}` } }, 'entry.headers["X-Key"]'],
    [{ url: 'https://a.example/mcp', headers: { 'X-Key': `Bearer ${SECRET}$\${x}` } }, 'entry.headers["X-Key"]'],
    [{ url: 'https://a.example/mcp', oauth: { clientSecret: SECRET } }, 'entry.oauth'],
    [{ url: 'https://a.example/mcp', headersHelper: 'print-it' }, 'entry.headersHelper'],
    [{ command: 'x', envFile: '.env' }, 'entry.envFile'],
    [{ command: 'x', inheritEnv: true }, 'entry.inheritEnv'],
  ]) {
    const { code, message } = t.throws(() => registered(written))
    t.is(code, 'ERR_INVALID_ARGUMENT')
    t.true(message.startsWith(`${at}: expected `), message)
    t.false(message.includes(SECRET))
  }
  t.notThrows(() =>
    registered({ command: 'npx', args: ['-y', 'wiki-mcp@1.2.3', '--token', '${env:TOKEN}', '--port=8080'] }),
  )
})

test('a digest is of all that is started, and an entry starts here as it does where it is from', (t) => {
  const written = { command: 'x', args: ['a'], env: { TOKEN: 'a' }, cwd: '/w', disabledTools: ['b'], description: 'd' }
  const entry = registered(written)
  t.is(digestOf(entry), digestOf(registered({ ...written, env: { TOKEN: 'another' }, description: 'e' })))
  const others = [{ command: 'y' }, { args: ['a', 'b'] }, { env: { OTHER: 'a' } }, { cwd: '/v' }, { disabledTools: [] }]
  const digests = others.map((other) => digestOf(registered({ ...written, ...other })))
  t.is(new Set([digestOf(entry), digestOf({ ...entry, name: 'two' }), ...digests]).size, others.length + 2)
  const env = { env: { TOKEN: 'a' } }
  const [here, there] = [written, fromRegistry(entry)].map(
    (each) => [...readConfig({ mcpServers: { one: each } }, env).servers.values()][0],
  )
  t.deepEqual({ ...there, secrets: [] }, { ...here, secrets: [] })
})

test('what is allowed is named with a digest', (t) => {
  const read = (registry) => readConfig({ mcpServers: {}, gateway: { registry } }).settings.registry
  const digest = 'a'.repeat(32)
  t.deepEqual([...read([`o@d d@${digest}`])], [['o@d d', digest]])
  for (const wrong of ['one', 'one@', `one@${digest}a`, `@${digest}`, `one@${digest.toUpperCase()}`, '*', 7])
    t.throws(() => read([wrong]), {
      code: 'ERR_INVALID_ARGUMENT',
      message: /^config\.gateway\.registry\[0\]: expected /,
    })
  t.throws(() => read(true), { code: 'ERR_INVALID_ARGUMENT', message: /^config\.gateway\.registry: expected / })
})

claim(
  'a server of the registry is found by all gateways, started by none, and allowed by what the command prints',
  async (t) => {
    const { database, store } = await registry(t)
    const file = path.join(folder(t), 'mcp.json')
    const env = { WIKI_TOKEN: SECRET, ROUTER_STORE: store }
    const config = { mcpServers: { mkwiki: entryOf('mkwiki', { env: { WIKI_TOKEN: SECRET } }) }, gateway: { store } }
    writeFileSync(file, JSON.stringify(config))
    const command = (...args) => run([CLI, ...args, '--config', file])
    const b = await replica(t, store, { mcpServers: {} })
    const client = await overHttp(t, b)
    t.deepEqual(await near(client), [[], []])
    const { code, stdout, stderr } = await command('registry-add', 'mkwiki')
    t.deepEqual([code, stderr], [0, ''])
    t.false(stdout.includes(SECRET))
    await until(t, async () => (await near(client)).every((servers) => servers.length === 1), 'it is offered')
    for (const [told] of await near(client)) {
      t.deepEqual([told.name, told.connected, told.reason, told.description], ['mkwiki', false, 'offered', DESCRIPTION])
      t.regex(told.detail, /this says how: .* registry/)
    }
    t.deepEqual((await client.ask('manage_modules', { action: 'list' })).modules, [])
    const [{ text }] = await server.query(database, 'select json_agg(r)::text as text from tool_router.registry r')
    t.false(text.includes(SECRET))
    const listing = await b.command('registry')
    const [, pin] = /"registry": \["(mkwiki@[0-9a-f]{32})"\]/.exec(listing.stdout)
    t.true(listing.stdout.includes(MARKED), 'all that would be started is shown')
    const allowing = { mcpServers: {}, gateway: { registry: [pin] } }
    const c = await replica(t, store, allowing, { env })
    const other = await overHttp(t, c)
    const called = await other.use('call_tool_read', { name: 'mkwiki_list_t1', arguments: {} })
    t.regex(called.content[0].text, /^called mkwiki_list_t1/)
    t.regex((await c.command('registry')).stdout, /this configuration allows it/)
    t.regex((await command('registry')).stdout, /has a server of this name, which counts/)
    t.is((await command('registry-remove', 'mkwiki')).code, 0)
    await until(t, async () => (await near(client)).every((servers) => servers.length === 0), 'it is offered no more')
    await until(
      t,
      async () => (await other.ask('manage_modules', { action: 'list' })).modules.length === 0,
      'and ended where it ran',
    )
    t.is((await command('registry-remove', 'mkwiki')).code, 1)
    t.regex((await command('registry')).stdout, /no entries/)
  },
)

test('an entry that no gateway would read is not written', (t) => {
  const { said } = toRegistry('one', { command: 'x' }, { at: 'entry', tools: ['n'.repeat(2 ** 20), 'short'] })
  t.deepEqual(said.tools, ['short'])
  t.throws(() => registered({ command: 'x', args: Array(5).fill('n'.repeat(30_000)) }), {
    code: 'ERR_INVALID_ARGUMENT',
    message: /^entry: expected an entry of at most 131072 bytes/,
  })
})
