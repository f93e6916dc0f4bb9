// connect-client: the gateway in the file of a client, after a preview, with nothing else changed, and out again.
import fs from 'node:fs'
import path from 'node:path'

import test from 'ava'

import { CLIENT_NAMES } from '../../../packages/gateway/clients/client-table.mjs'
import { changed } from '../../../packages/gateway/clients/edits.mjs'
import { readFile } from '../../../packages/gateway/config/file.mjs'
import { readConfigFile } from '../../../packages/gateway/config/read.mjs'
import { run } from '../../helpers/child.mjs'
import { CLI, folder, odd, startCli } from '../../helpers/gateway.mjs'
import { read } from '../../helpers/pages.mjs'
import { where } from '../../helpers/skips.mjs'

const EXTENSIONS = '.config/Code/User/globalStorage'
const extension = (id, file) => `${EXTENSIONS}/${id}/settings/${file}`

/** A file of each client as people have it, with a server `mine` that stays and a comment where its form has them. */
const FILES = {
  'claude-desktop': [
    '.config/Claude/claude_desktop_config.json',
    '{\n    "globalShortcut": "x",\n    "mcpServers": {\n        "mine": { "command": "m" }\n    }\n}',
  ],
  'claude-code': [
    '.claude.json',
    '{"numStartups":3,"mcpServers":{"mine":{"type":"stdio","command":"m"}},"projects":{}}',
  ],
  cursor: [
    '.cursor/mcp.json',
    '// my servers\n{\n\t"mcpServers": {\n\t\t"mine": { "command": "m" }, // keep\n\t}\n}\n',
  ],
  vscode: [
    '.config/Code/User/mcp.json',
    '{\r\n  "inputs": [],\r\n  "servers": { "mine": { "command": "m" } }\r\n}\r\n',
  ],
  windsurf: ['.codeium/windsurf/mcp_config.json', '{"mcpServers":{"mine":{"command":"m"}}}'],
  codex: [
    '.codex/config.toml',
    '# mine\nmodel = "m"\n\n[mcp_servers.mine]\ncommand = "m"\n\n[mcp_servers.mine.env]\nA = "b"\n\n[tui]\nx = [1, 2] # end\n',
  ],
  'gemini-cli': ['.gemini/settings.json', '{ "theme": "dark", "mcpServers": { "mine": { "command": "m" } } }'],
  opencode: [
    '.config/opencode/opencode.jsonc',
    '{\n  // mine\n  "mcp": { "mine": { "type": "local", "command": ["m"] } }\n}\n',
  ],
  zed: [
    '.config/zed/settings.json',
    '// Zed\n{\n  "context_servers": { "mine": { "command": "m" } },\n  "vim_mode": true,\n}\n',
  ],
  cline: [extension('saoudrizwan.claude-dev', 'cline_mcp_settings.json'), '{"mcpServers":{"mine":{"command":"m"}}}'],
  'roo-code': [
    extension('rooveterinaryinc.roo-cline', 'mcp_settings.json'),
    '{\n  "mcpServers": {"mine":{"command":"m"}}\n}',
  ],
  'zoo-code': [extension('someone.zoo-code', 'mcp_settings.json'), '{\n  "mcpServers": {"mine":{"command":"m"}}\n}'],
  'kilo-code': [extension('kilocode.kilo-code', 'mcp_settings.json'), '{"mcpServers":{"mine":{"command":"m"}}}'],
  'copilot-cli': ['.copilot/mcp-config.json', '{"mcpServers":{"mine":{"type":"local","command":"m"}}}'],
  'qwen-code': ['.qwen/settings.json', '{"mcpServers":{"mine":{"command":"m"}}}'],
  kiro: ['.kiro/settings/mcp.json', '{"mcpServers":{"mine":{"command":"m"}}}'],
  'lm-studio': ['.lmstudio/mcp.json', '{"mcpServers":{"mine":{"command":"m"}}}'],
  goose: [
    '.config/goose/config.yaml',
    '# mine\nGOOSE_MODEL: m\nextensions:\n  mine: # keep\n    type: stdio\n    cmd: m\n    enabled: true\n',
  ],
}

/** A user's folder, the configuration of a gateway in it, and the command. */
function machine(t, files, config = { mcpServers: { odd: odd() } }) {
  const home = folder(t)
  const put = (file, text) => {
    fs.mkdirSync(path.dirname(path.join(home, file)), { recursive: true })
    fs.writeFileSync(path.join(home, file), text)
  }
  for (const [file, text] of Object.entries(files)) put(file, text)
  put('gate/mcp.json', JSON.stringify(config))
  const env = { HOME: home, USERPROFILE: home, XDG_CONFIG_HOME: '', XDG_STATE_HOME: '' }
  const run = async (client, ...args) => {
    const started = startCli(t, ['connect-client', client, ...args], { env })
    const { code } = await started.ended
    return { code, stdout: started.stdout, stderr: started.stderr }
  }
  return {
    home,
    put,
    run,
    config: path.join(home, 'gate', 'mcp.json'),
    text: (file) => fs.readFileSync(path.join(home, file), 'utf8'),
  }
}

const onLinux = where(process.platform === 'linux', 'wants Linux')

test('each client that is known is tried here', (t) => {
  t.deepEqual(Object.keys(FILES), CLIENT_NAMES)
  t.true(CLIENT_NAMES.length >= 10)
})

test('the page and the help name these clients', async (t) => {
  const { stdout } = await run([CLI, 'connect-client', '--help'])
  const page = read('docs/gateway-config.md')
  for (const name of CLIENT_NAMES) {
    t.true(page.includes(`\`${name}\``), name)
    t.regex(stdout, new RegExp(`[ ,\n]${name}[,.\n]`))
  }
})

for (const [client, [file, before]] of Object.entries(FILES)) {
  onLinux(`${client}: shown, written, read as its client reads it, and taken out to the byte`, async (t) => {
    const { home, run, config, text } = machine(t, { [file]: before })
    const shown = await run(client, '--config', config)
    t.is(shown.code, 0, shown.stderr)
    t.true(
      shown.stdout.includes(`~/${file}\n  + gateway: ${process.execPath} ${CLI} gateway --config ${config}`),
      shown.stdout,
    )
    t.regex(shown.stdout, /^ {2}= mine: it stays/m)
    t.regex(shown.stdout, /Nothing was written/)
    t.is(text(file), before)

    t.is((await run(client, '--config', config, '--write')).code, 0)
    const { servers, leftOut } = readConfigFile(path.join(home, file), { home, env: {} })
    t.deepEqual([[...servers.keys()].toSorted(), leftOut], [['gateway', 'mine'], []])
    const { command, args } = servers.get('gateway')
    t.deepEqual([command, args], [process.execPath, [CLI, 'gateway', '--config', config]])
    for (const comment of before.match(/(\/\/|#) ?(mine|my servers|keep|end|Zed)/g) ?? [])
      t.true(text(file).includes(comment))
    t.is(text(file).includes('\r\n'), before.includes('\r\n'))

    t.is((await run(client, '--undo')).code, 0)
    t.is(text(file), before)
  })
}

onLinux('a file that is not there is made for its user alone, and taken away again', async (t) => {
  const { home, run, config } = machine(t, {})
  t.is((await run('cursor', '--config', config, '--write')).code, 0)
  const file = path.join(home, '.cursor/mcp.json')
  t.is(fs.statSync(file).mode & 0o777, 0o600)
  t.deepEqual(Object.keys(readFile(file).mcpServers), ['gateway'])
  t.is((await run('cursor', '--undo')).code, 0)
  t.false(fs.existsSync(file))
  const { code, stderr } = await run('cursor', '--undo')
  t.is(code, 1)
  t.regex(stderr, /nothing of the gateway was written to ~\/\.cursor\/mcp\.json from here/)
})

onLinux('--replace takes out what the gateway serves as it is, and nothing else', async (t) => {
  const url = 'https://h.example/mcp'
  const theirs = {
    same: { command: 'm', args: ['a'] },
    renamed: { url: `${url}/` },
    key: { url, headers: { 'X-Key': 'mine' } },
    other: { command: 'o' },
    off: { command: 'm', args: ['a'], disabled: true },
  }
  const before = JSON.stringify({ mcpServers: theirs })
  const { run, config, text } = machine(
    t,
    { '.cursor/mcp.json': before },
    {
      mcpServers: { same: { command: 'm', args: ['a'] }, wiki: { url }, key: { url, headers: { 'X-Key': 'another' } } },
    },
  )
  const kept = await run('cursor', '--config', config)
  t.regex(kept.stdout, /= same: it stays; --replace takes out what the gateway serves/)
  const shown = await run('cursor', '--config', config, '--replace', '--write')
  t.regex(shown.stdout, /- same: behind the gateway\n {2}- renamed: behind the gateway\n {2}= key: it stays, since/)
  t.deepEqual(Object.keys(JSON.parse(text('.cursor/mcp.json')).mcpServers), ['key', 'other', 'off', 'gateway'])
  t.is((await run('cursor', '--undo')).code, 0)
  t.is(text('.cursor/mcp.json'), before)
})

onLinux(
  'what a client calls without asking it calls so behind the gateway, and its own approvals there stay',
  async (t) => {
    const notes = { command: 'm', args: ['notes'] }
    const theirs = {
      'my-notes': { ...notes, alwaysAllow: ['list_notes', 'read.note'] },
      mine: { command: 'o', alwaysAllow: ['drop'] },
    }
    const file = '.cursor/mcp.json'
    const { run, config, text, put } = machine(
      t,
      { [file]: JSON.stringify({ mcpServers: theirs }) },
      { mcpServers: { notes } },
    )
    const { stdout } = await run('cursor', '--config', config, '--replace', '--write')
    t.regex(stdout, /alwaysAllow: mcp--notes--list_notes\n {4}asked for again: read\.note\n/)
    const { mcpServers } = JSON.parse(text(file))
    t.deepEqual(mcpServers.gateway.alwaysAllow, ['mcp--notes--list_notes'])
    t.deepEqual(mcpServers.mine, theirs.mine)
    mcpServers.gateway.alwaysAllow.push('mcp_load')
    put(file, JSON.stringify({ mcpServers }))
    await run('cursor', '--config', config, '--replace', '--write')
    t.deepEqual(JSON.parse(text(file)).mcpServers.gateway.alwaysAllow, ['mcp--notes--list_notes', 'mcp_load'])
  },
)

onLinux('a file that has changed since loses the gateway and gets its servers back; what is new stays', async (t) => {
  const entry = { command: 'm' }
  const { put, run, config, text } = machine(
    t,
    { '.cursor/mcp.json': JSON.stringify({ mcpServers: { served: entry } }) },
    { mcpServers: { served: entry } },
  )
  t.is((await run('cursor', '--config', config, '--replace', '--write')).code, 0)
  const written = JSON.parse(text('.cursor/mcp.json'))
  put('.cursor/mcp.json', JSON.stringify({ mcpServers: { ...written.mcpServers, fresh: { command: 'f' } } }))
  const { stdout } = await run('cursor', '--undo')
  t.regex(stdout, /has changed since: the gateway is taken out, and 1 servers are put back/)
  t.deepEqual(JSON.parse(text('.cursor/mcp.json')).mcpServers, { fresh: { command: 'f' }, served: entry })
})

onLinux('writing twice changes one entry, and what is taken back is what was there first', async (t) => {
  const before = '{"mcpServers":{"mine":{"command":"m"}}}'
  const { run, config, text, put, home } = machine(t, { '.cursor/mcp.json': before })
  put('gate/other.json', JSON.stringify({ mcpServers: {} }))
  t.is((await run('cursor', '--config', config, '--write')).code, 0)
  const other = path.join(home, 'gate/other.json')
  t.is((await run('cursor', '--config', other, '--name', 'tools', '--bridge', '--write')).code, 0)
  const { mcpServers } = JSON.parse(text('.cursor/mcp.json'))
  t.deepEqual(Object.keys(mcpServers), ['mine', 'tools'])
  t.deepEqual(mcpServers.tools.args, [CLI, 'connect', '--config', other])
  t.is((await run('cursor', '--undo')).code, 0)
  t.is(text('.cursor/mcp.json'), before)
})

onLinux('in a project it is the file of the project; a link stays a link', async (t) => {
  const { home, run, config } = machine(t, { 'dotfiles/mcp.json': '{}' })
  const shop = path.join(home, 'shop')
  fs.mkdirSync(path.join(shop, '.cursor'), { recursive: true })
  fs.symlinkSync(path.join(home, 'dotfiles/mcp.json'), path.join(shop, '.cursor/mcp.json'))
  t.is((await run('cursor', '--project', shop, '--config', config, '--write')).code, 0)
  t.true(fs.lstatSync(path.join(shop, '.cursor/mcp.json')).isSymbolicLink())
  t.deepEqual(Object.keys(readFile(path.join(home, 'dotfiles/mcp.json')).mcpServers), ['gateway'])
  t.is((await run('cursor', '--project', shop, '--undo')).code, 0)
  t.is(fs.readFileSync(path.join(home, 'dotfiles/mcp.json'), 'utf8'), '{}')
  t.regex((await run('lm-studio', '--project', shop, '--config', config)).stderr, /has no file in a project/)
})

onLinux('what cannot be done is said, and nothing is written', async (t) => {
  const { run, config, text, put } = machine(t, {
    '.cursor/mcp.json': '{"mcpServers":{"gateway":{"command":"another"}}}',
  })
  put('.codeium/windsurf/mcp_config.json', '{"mcpServers": [')
  put('.lmstudio/mcp.json', '{"mcpServers": []}')
  put('.codex/config.toml', 'mcp_servers = { mine = { command = "m" } }\n')
  for (const [args, message] of [
    [['emacs', '--config', config], /no client "emacs" is known; they are claude-desktop, /],
    [['cursor', '--config', config, '--write'], /has another server called gateway; choose a name with --name/],
    [['windsurf', '--config', config, '--write'], /expected JSON, got a syntax error in line 1/],
    [['lm-studio', '--config', config, '--write'], /has something else than servers under mcpServers/],
    [['codex', '--config', config, '--write'], /cannot be changed without losing something|expected TOML/],
    [['roo-code', '--config', config, '--write'], /Roo Code is not installed in any editor here/],
    [['cursor'], /name the configuration of the gateway with --config/],
  ]) {
    const { code, stderr } = await run(...args)
    t.is(code, 1, args.join(' '))
    t.regex(stderr, message)
  }
  t.is(text('.cursor/mcp.json'), '{"mcpServers":{"gateway":{"command":"another"}}}')
  t.is(text('.codex/config.toml'), 'mcp_servers = { mine = { command = "m" } }\n')
})

test('a table of TOML is replaced with what is inside it, and no other', (t) => {
  const before =
    '[mcp_servers.gateway]\ncommand = "x"\n[mcp_servers.gateway.env]\nA = "b"\n\n[mcp_servers."gateway-2"]\ncommand = "y"\n'
  const after = changed(before, 'a.toml', 'mcp_servers', new Map([['gateway', { command: 'z' }]]))
  t.is(after, '[mcp_servers.gateway]\ncommand = "z"\n\n[mcp_servers."gateway-2"]\ncommand = "y"\n')
  t.is(
    changed(after, 'a.toml', 'mcp_servers', new Map([['gateway', undefined]])),
    '[mcp_servers."gateway-2"]\ncommand = "y"\n',
  )
})

onLinux('what Claude Code has for one project alone is told, where the gateway has it too', async (t) => {
  const projects = {
    '/x/app': { mcpServers: { db: { command: 'd', args: ['./app.db'] }, other: { command: 'o' } } },
    '/x/bare': {},
  }
  const before = JSON.stringify({ mcpServers: {}, projects })
  const mcpServers = { db: { command: 'd', args: ['./app.db'], cwd: '/x/app' } }
  const { run, config, text } = machine(t, { '.claude.json': before }, { mcpServers })
  const { stdout } = await run('claude-code', '--config', config, '--replace', '--write')
  t.regex(stdout, /= db of \/x\/app: it runs there beside the gateway, until: claude mcp remove --scope local -- db/)
  t.false(stdout.includes('other'))
  t.deepEqual(JSON.parse(text('.claude.json')).projects, projects)
})
