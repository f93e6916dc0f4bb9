// An import that can be trusted: two accounts stay two servers, nothing of an entry is lost, one broken entry ends nothing,
// and what is denied, withheld, merged or left is said.
import fs from 'node:fs'
import path from 'node:path'

import test from 'ava'

import { withheld } from '../../../packages/gateway/clients/environment.mjs'
import { readConfigFile } from '../../../packages/gateway/config/read.mjs'
import { readServer } from '../../../packages/gateway/config/server.mjs'
import { loginKey } from '../../../packages/gateway/login/store.mjs'
import { CLAUDE, CURSOR, machine, of, states } from '../../helpers/files-of-clients.mjs'
import { folder, startCli } from '../../helpers/gateway.mjs'
import { where } from '../../helpers/skips.mjs'

for (const [what, first, second] of [
  ['keys in headers', { headers: { Authorization: 'Bearer A' } }, { headers: { Authorization: 'Bearer B' } }],
  ['a key, and the other none', {}, { headers: { Authorization: 'Bearer B' } }],
  ['clients of the authorization server', { oauth: { clientId: 'a' } }, { oauth: { clientId: 'b' } }],
  ['helpers for their headers', { headersHelper: './a.sh' }, { headersHelper: './b.sh' }],
  ['tools that are off', { disabledTools: ['delete_file'] }, {}],
  ['tools that alone are on', { onlyAllow: ['read'] }, { onlyAllow: ['read', 'write'] }],
]) {
  test(`two entries of one address with different ${what} are two servers`, (t) => {
    const url = 'https://mcp.example.com/mcp'
    const { gather } = machine(t, { [CURSOR]: of({ work: { url, ...first }, private: { url, ...second } }) })
    const { servers } = gather()
    t.deepEqual([...servers.keys()], ['work', 'private'])
    for (const [name, entry] of [
      ['work', first],
      ['private', second],
    ])
      t.like(servers.get(name), { url, ...entry })
  })
}

test('one entry that is spelt in two ways is one server, and keeps what either has more of', (t) => {
  const { gather } = machine(t, {
    [CURSOR]: of({
      a: {
        url: 'https://h.example/mcp/',
        headers: { 'X-Key': '${env:KEY}', 'X-Team': 'one' },
        disabledTools: ['b', 'a'],
      },
    }),
    '.codeium/windsurf/mcp_config.json': of({
      a: {
        serverUrl: 'https://h.example/mcp',
        headers: { 'x-team': 'one', 'x-key': '${KEY}' },
        disabledTools: ['a', 'b'],
        timeout: 120,
        description: 'Teams',
      },
    }),
  })
  const { servers, found } = gather()
  t.deepEqual([...servers.keys()], ['a'])
  t.like(servers.get('a'), { timeout: 120, description: 'Teams' })
  t.deepEqual(found[1].why, ['its timeout 120, description is taken'])
})

test('a switch or a scheme instead of a login makes no other server', (t) => {
  const url = 'https://h.example/mcp'
  const { gather } = machine(t, {
    [CURSOR]: of({ a: { url } }),
    '.lmstudio/mcp.json': of({ b: { url, oauth: false } }),
    '.kiro/settings/mcp.json': of({ c: { url, auth: 'bearer' } }),
  })
  t.deepEqual([...gather().servers.keys()], ['a'])
})

test('one address twice in one file, where a browser logs in, is two accounts; with a key of its own it is one', (t) => {
  const url = 'https://h.example/mcp'
  const headers = { 'X-Key': 'k' }
  const { gather, home } = machine(t, {
    [CURSOR]: of({ work: { url }, private: { url }, keyed: { url, headers }, again: { url, headers } }),
  })
  const { servers } = gather()
  t.deepEqual([...servers.keys()], ['work', 'private', 'keyed'])
  t.deepEqual(servers.get('private').oauth, { account: 'private' })
  const read = readServer('private', servers.get('private'), { env: {}, home })
  t.is(loginKey(read).href, `${url}#account=private`)
  t.is(read.url.href, url, 'the account is not sent')
})

test('one broken entry ends nothing', (t) => {
  const broken = {
    empty: { command: '', args: [] },
    blank: { command: ' ' },
    text: 'npx server',
    nothing: null,
    list: [],
    neither: {},
    odd: { command: 'x', args: 7 },
    typed: { type: 'websocket', url: 'ws://h' },
    nowhere: { url: '' },
  }
  const { gather } = machine(t, {
    [CURSOR]: of({ ...broken, b: { command: 'node', args: ['x'] } }),
    '.lmstudio/mcp.json': '{"mcpServers": {',
    '.kiro/settings/mcp.json': '[]',
    '.aws/amazonq/mcp.json': 'null',
    '.junie/mcp/mcp.json': of({ last: { command: 'last' } }),
  })
  const collected = gather()
  t.deepEqual([...collected.servers.keys()], ['b', 'last'])
  t.deepEqual(
    states(collected)
      .filter(([, state]) => state === 'bad')
      .map(([name]) => name),
    Object.keys(broken),
  )
  t.true(collected.found.every(({ state, why }) => state !== 'bad' || why[0].length > 10))
  t.is(collected.unread.length, 1)
})

test('what an entry has besides its command is written with it', (t) => {
  const entry = {
    command: 'server',
    args: ['--a'],
    env: { KEY: 'k' },
    cwd: '/srv',
    envFile: '/srv/.env',
    timeout: 90,
    startTimeout: 30,
    inheritEnv: ['AWS_*'],
    lazy: true,
    essential: true,
    description: 'd',
    protocolEra: 'legacy',
    alwaysLoad: ['x'],
  }
  const remote = {
    url: 'https://h.example/mcp',
    headersHelper: 'get-key --json',
    oauth: { clientId: 'c', scopes: ['a'] },
  }
  const { gather } = machine(t, { [CURSOR]: of({ entry, remote }) })
  const { servers } = gather()
  t.deepEqual(servers.get('entry'), entry)
  t.deepEqual(servers.get('remote'), { type: 'streamable-http', ...remote })
})

test("a project's list of servers that are off in Claude Code holds for those of the user", (t) => {
  const { home, project, gather } = machine(t, {})
  const mcpServers = { a: { command: 'a' }, b: { command: 'b' } }
  fs.writeFileSync(
    path.join(home, CLAUDE),
    JSON.stringify({ mcpServers, projects: { [project]: { disabledMcpServers: ['b'] } } }),
  )
  t.deepEqual(states(gather()), [
    ['a', 'taken', 'a'],
    ['b', 'off', undefined],
  ])
})

test('a server whose folder or argument is called like this program is no gateway', (t) => {
  const { gather } = machine(t, {
    [CURSOR]: of({
      files: { command: 'npx', args: ['server-filesystem', '/srv/tool-router-gateway/files'] },
      us: {
        command: 'npx',
        args: ['-y', '@zoo-code/tool-router-gateway@0.1.0', '--config', 'x'],
      },
      here: {
        command: '/usr/bin/node',
        args: ['/srv/tool-router/packages/gateway/cli.mjs', 'gateway', '--config', 'x'],
      },
    }),
  })
  t.deepEqual(
    states(gather()).map(([name, state]) => `${name} ${state}`),
    ['files taken', 'us ours', 'here ours'],
  )
})

test('what the gateway would leave out for now is said beside it, and written', (t) => {
  const { gather } = machine(
    t,
    { [CURSOR]: of({ a: { command: 'a', env: { KEY: '${env:A_KEY}' } }, b: { command: 'b', args: ['${config:x}'] } }) },
    { env: {} },
  )
  const { servers, found } = gather()
  t.is(servers.size, 2)
  t.regex(found[0].why[0], /^the gateway leaves it out as long as this is so: env\["KEY"\].*variable A_KEY to be set/)
  t.regex(found[1].why[0], /a placeholder that is understood here/)
})

const onLinux = where(process.platform === 'linux', 'wants Linux')

onLinux('variables that clients gave their servers are proposed, and written with --inherit-env', async (t) => {
  const env = { AWS_PROFILE: 'shop', SSH_AUTH_SOCK: '/run/agent', HTTPS_PROXY: '' }
  const { run, out } = machine(
    t,
    {
      [CLAUDE]: of({ cloud: { command: 'cloud' }, remote: { url: 'https://h.example/mcp' } }),
      '.gemini/settings.json': of({ some: { command: 'some' } }),
      [CURSOR]: of({ cloud: { command: 'cloud' }, none: { command: 'none' } }),
    },
    { env },
  )
  const shown = await run()
  t.regex(
    shown.stdout,
    /does not unless an entry says so:\n {2}cloud, some\nSet here, for example: AWS_PROFILE, SSH_AUTH_SOCK/,
  )
  t.is((await run('--out', out, '--inherit-env')).code, 0)
  const { servers } = readConfigFile(out, { env })
  t.deepEqual([...servers.get('cloud').inherited.keys()], ['AWS_PROFILE', 'SSH_AUTH_SOCK', 'HTTPS_PROXY'])
  t.deepEqual([...servers.get('some').inherited.keys()], ['AWS_PROFILE', 'HTTPS_PROXY'], 'Gemini CLI keeps the rest')
  t.is(servers.get('none').inherited.size, 0)
})

test('what is withheld is what is set and common, and that a program lacks', (t) => {
  const place = folder(t)
  const file = path.join(place, 'mcp.json')
  const env = { AWS_PROFILE: 'shop', KUBECONFIG: '/k', MY_OWN: 'x', LANG: '', ZOO_TOOL_ROUTER_TOKEN: 't' }
  const held = (config) => {
    fs.writeFileSync(file, JSON.stringify(config))
    return withheld(readConfigFile(file, { env }).servers.values(), env)
  }
  const a = { command: 'a' }
  t.deepEqual(held(of({ a, b: { url: 'https://h.example' } })), { names: ['AWS_PROFILE', 'KUBECONFIG'], servers: 1 })
  t.deepEqual(held(of({ a: { ...a, env: { AWS_PROFILE: 'x' }, inheritEnv: ['KUBE*'] } })), { names: [], servers: 0 })
  t.deepEqual(held({ ...of({ a }), gateway: { inheritEnv: ['KUBECONFIG'] } }), { names: ['AWS_PROFILE'], servers: 1 })
  t.deepEqual(held({ ...of({ a: { ...a, inheritEnv: false } }), gateway: { inheritEnv: true } }).servers, 1)
})

onLinux('--force takes what the clients have again, and keeps what is of the file alone', async (t) => {
  const { home, run, out } = machine(t, {
    [CURSOR]: of({
      a: { command: 'a', timeout: 30 },
      moved: { command: 'moved', env: { KEY: 'k' } },
      b: { url: 'https://h.example/b' },
    }),
  })
  t.is((await run('--out', out)).code, 0)
  const written = JSON.parse(fs.readFileSync(out, 'utf8'))
  Object.assign(written.mcpServers.a, { lazy: true, alwaysLoad: ['x'] })
  written.gateway = { timeout: 300 }
  written.mcpServers.b.disabled = true
  fs.writeFileSync(out, JSON.stringify(written))
  // As after connect-client --replace, and a new key.
  fs.writeFileSync(
    path.join(home, CURSOR),
    JSON.stringify(of({ a: { command: 'a', args: ['--new'] }, b: { url: 'https://h.example/b' } })),
  )
  const { code, stdout } = await run('--out', out, '--force')
  t.is(code, 0)
  t.regex(stdout, /^Kept, since no client has them and the file that was there did: moved$/m)
  const { gateway: settings, mcpServers } = JSON.parse(fs.readFileSync(out, 'utf8'))
  t.deepEqual(settings, { timeout: 300 })
  t.deepEqual(mcpServers, {
    a: { command: 'a', args: ['--new'], timeout: 30, lazy: true, alwaysLoad: ['x'] },
    b: { type: 'streamable-http', url: 'https://h.example/b', disabled: true },
    moved: { command: 'moved', env: { KEY: 'k' } },
  })
})

onLinux('keys in addresses and arguments are not in the report', async (t) => {
  const { run } = machine(t, {
    [CURSOR]: of({
      path: { url: 'https://h.example/api/hunter2key/mcp?k=hunter3' },
      fire: { url: 'https://h.example/fc-a1b2c3d4e5f60718293a4b5c/v2/mcp' },
      short: { command: 'x', args: ['-k', 'hunter4', '-y', 'https://h.example/hunter5key/sse'] },
      all: { command: 'npx -y @scope/server --token hunter7' },
      base: { command: 'C:\\Program Files\\x\\run.exe', args: ['--token', 'hunter6'] },
    }),
  })
  const { stdout } = await run()
  t.notRegex(stdout, /hunter|fc-a1/)
  t.regex(stdout, /\+ path: https:\/\/h\.example\/api\/\[hidden\]\/mcp$/m)
  t.regex(stdout, /\+ fire: https:\/\/h\.example\/\[hidden\]\/v2\/mcp$/m)
  t.regex(stdout, /\+ all: npx \(its command holds more than a program; arguments belong in args\)$/m)
  t.regex(stdout, /\+ short: x -k \[hidden\] -y https:\/\/h\.example\/\[hidden\]\/sse$/m)
})

test('a reader of a report that has enough of it is no error', async (t) => {
  const { gather, home } = machine(t, { [CURSOR]: of({ a: { command: 'a' } }) })
  t.is(gather().servers.size, 1)
  const started = startCli(t, ['import', '--project', home], { env: { HOME: home, USERPROFILE: home } })
  started.child.stdout.destroy()
  const { signal } = await started.ended
  t.deepEqual([signal, started.stderr], [null, ''])
})

test("the profiles of an editor, Continue's folder and goose are looked at", (t) => {
  const profile = '.config/Code/User/profiles/a1b2'
  const { gather, project } = machine(t, {
    [`${profile}/mcp.json`]: { servers: { profiled: { command: 'p' } } },
    'shop/.continue/mcpServers/own.yaml': 'mcpServers:\n  - name: own\n    command: own\n    args: [--here]\n',
    '.continue/mcpServers/pasted.json': of({ pasted: { command: 'pasted' } }),
    '.config/goose/config.yaml': `extensions:
  developer: { type: builtin, name: developer, enabled: true }
  files: { type: stdio, cmd: npx, args: [files], envs: { A: b }, env_keys: [FILES_KEY], timeout: 300, enabled: true }
  web: { type: streamable_http, uri: https://h.example/mcp, headers: { X-Key: $WEB_KEY }, enabled: true }
  off: { type: stdio, cmd: x, enabled: false }
`,
  })
  const { servers, notes } = gather()
  t.deepEqual([...servers.keys()].toSorted(), ['files', 'own', 'pasted', 'profiled', 'web'])
  t.deepEqual(servers.get('own'), { command: 'own', args: ['--here'], cwd: project })
  t.deepEqual(servers.get('files'), {
    command: 'npx',
    args: ['files'],
    env: { FILES_KEY: '${env:FILES_KEY}', A: 'b' },
    timeout: 300,
  })
  t.deepEqual(servers.get('web').headers, { 'X-Key': '${WEB_KEY}' })
  t.true(notes.some(({ note }) => /developer: parts of goose, not servers/.test(note)))
})
