// import: what clients on this machine have, in one file. The clients' folders are made in a folder of the test's own.
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import test from 'ava'

import { clientFiles } from '../../../packages/gateway/clients/clients.mjs'
import { readConfigFile } from '../../../packages/gateway/config/read.mjs'
import { CLAUDE, CURSOR, machine as machineOf, of } from '../../helpers/files-of-clients.mjs'
import { folder, odd, overStdio, startCli } from '../../helpers/gateway.mjs'
import { where } from '../../helpers/skips.mjs'

const FIXTURES = fileURLToPath(new URL('../../fixtures/config/', import.meta.url))
const EXTENSIONS = '.config/Code/User/globalStorage'

/** Where each fixture is put, as the client would have it on Linux. */
const INSTALLED = {
  'claude-desktop/claude_desktop_config.json': '.config/Claude/claude_desktop_config.json',
  'claude-code/home.json': '.claude.json',
  'cursor/remote.json': '.cursor/mcp.json',
  'vscode/settings.json': '.config/Code/User/settings.json',
  'windsurf/mcp_config.json': '.codeium/windsurf/mcp_config.json',
  'gemini/settings.json': '.gemini/settings.json',
  'roo/mcp_settings.json': `${EXTENSIONS}/rooveterinaryinc.roo-cline/settings/mcp_settings.json`,
  'zoo/mcp_settings.json': `${EXTENSIONS}/someone.zoo-code/settings/mcp_settings.json`,
  'cline/cline_mcp_settings.json': `${EXTENSIONS}/saoudrizwan.claude-dev/settings/cline_mcp_settings.json`,
  'codex/tools.toml': '.codex/config.toml',
  'zed/settings.json': '.config/zed/settings.json',
  'opencode/opencode.json': '.config/opencode/opencode.json',
  'copilot-cli/mcp-config.json': '.copilot/mcp-config.json',
  'amazon-q/mcp.json': '.aws/amazonq/mcp.json',
  'kiro/.kiro/settings/mcp.json': '.kiro/settings/mcp.json',
  'amp/settings.json': '.config/amp/settings.json',
  'junie/mcp.json': '.junie/mcp/mcp.json',
  'qwen/settings.json': '.qwen/settings.json',
  'lm-studio/mcp.json': '.lmstudio/mcp.json',
}

/** Other files of the same clients and of more, with accounts, placeholders, switches, lists and YAML. */
const MORE = {
  'claude-desktop/accounts.json': '.config/Claude/claude_desktop_config.json',
  'claude-code/plugin.json': '.claude.json',
  'cursor/home.json': '.cursor/mcp.json',
  'vscode/inputs.json': '.config/Code/User/profiles/a1/mcp.json',
  'windsurf/file.json': '.codeium/windsurf/mcp_config.json',
  'windsurf/token.txt': '.codeium/windsurf/token.txt',
  'gemini/text.json': '.gemini/settings.json',
  'roo/odd.json': `${EXTENSIONS}/rooveterinaryinc.roo-cline/settings/mcp_settings.json`,
  'cline/remote.json': `${EXTENSIONS}/saoudrizwan.claude-dev/settings/cline_mcp_settings.json`,
  'codex/objects.toml': '.codex/config.toml',
  'zed/mixed.json': '.config/zed/settings.json',
  'opencode/switches.jsonc': '.config/opencode/opencode.jsonc',
  'opencode/key.txt': '.config/opencode/key.txt',
  'copilot-cli/more.json': '.copilot/mcp-config.json',
  'kiro/more.json': '.kiro/settings/mcp.json',
  'continue/config.yaml': '.continue/config.yaml',
  'continue/config.json': '.continue/config.json',
  'goose/config.yaml': '.config/goose/config.yaml',
  'shapes/utf16.json': '.lmstudio/mcp.json',
  'shapes/named-like-ours.json': '.junie/mcp/mcp.json',
}

const env = { API_KEY: 'k', CLIENT_ID: 'c' }

/** A user's folder with clients in it, and a project. */
function machine(t, installed = INSTALLED) {
  const files = Object.entries(installed).map(([fixture, file]) => [
    file,
    fs.readFileSync(path.join(FIXTURES, fixture)),
  ])
  return machineOf(t, Object.fromEntries(files), { env })
}

const onLinux = where(process.platform === 'linux', 'wants Linux')

onLinux('the files of 19 clients are found, shown, and not changed; nothing is written unasked', async (t) => {
  const { home, run } = machine(t)
  const before = fs.readdirSync(home, { recursive: true }).toSorted()
  const { code, stdout } = await run()
  t.is(code, 0)
  for (const file of Object.values(INSTALLED)) t.true(stdout.includes(`~/${file}`), file)
  for (const client of ['Claude Desktop', 'Roo Code', 'Zoo Code', 'Cline', 'Codex', 'Kiro', 'LM Studio'])
    t.regex(stdout, new RegExp(`^${client}  ~/`, 'm'))
  t.regex(stdout, /^ {2}\+ filesystem: npx -y @modelcontextprotocol\/server-filesystem/m)
  t.regex(stdout, /^ {2}- puppeteer: it is switched off there$/m)
  t.regex(stdout, /^ {2}= playwright: the same as |^ {2}\+ playwright as playwright-amp: /m)
  t.regex(stdout, /^ {2}! extension: expected a command or a url, got "an entry with neither"$/m)
  t.regex(stdout, /^34 servers would be written \(5 left, 2 not readable\)\. Nothing was\./m)
  t.deepEqual(fs.readdirSync(home, { recursive: true }).toSorted(), before)
})

for (const [what, installed, least] of [
  ['19 clients', INSTALLED, 30],
  ['files with accounts, placeholders, switches, lists and YAML', MORE, 35],
]) {
  onLinux(`what is written of ${what} is what they had, and the gateway takes all of it`, async (t) => {
    const { home, out, run } = machine(t, installed)
    const { code, stdout } = await run('--out', out)
    t.is(code, 0)
    t.regex(stdout, /servers written to ~\/shop\/mcp\.json.* It may hold keys: it is readable for you alone\./)
    t.is(fs.statSync(out).mode & 0o777, 0o600)
    const all = readConfigFile(out, { env, home })
    t.deepEqual([all.notes, [...all.off]], [[], []])
    const same = ({
      command,
      args,
      url,
      timeoutMs,
      onlyAllow,
      disabledTools,
      env: variables,
      headers,
      oauth,
      ...rest
    }) =>
      JSON.stringify([command, args, url, timeoutMs, rest.startMs, rest.isOldSse, rest.headersHelper]) +
      JSON.stringify([
        [...(variables ?? [])].toSorted(),
        [...(headers ?? [])].toSorted(),
        oauth,
        onlyAllow,
        onlyAllow.length > 0 || disabledTools,
      ])
    const written = new Set([...all.servers.values()].map(same))
    let [count, leftOut] = [0, 0]
    for (const file of Object.values(installed).filter((name) => !name.endsWith('.txt'))) {
      const read = readConfigFile(path.join(home, file), { env, home })
      for (const server of read.servers.values()) {
        t.true(written.has(same(server)), `${file}: ${server.name} ${same(server)}`)
        count += 1
      }
      leftOut += read.leftOut.filter(({ reason }) => /environment variable|placeholder/.test(reason)).length
    }
    t.is(all.leftOut.length, leftOut, 'what waits for a variable is written too')
    t.true(count >= least, String(count))
  })
}

onLinux('a file that is there is not replaced unasked, and a link is not followed', async (t) => {
  const { project, out, run } = machine(t, { 'lm-studio/mcp.json': '.lmstudio/mcp.json' })
  const other = path.join(project, 'other.json')
  fs.writeFileSync(other, 'mine')
  fs.symlinkSync(other, out)
  const refused = await run('--out', out)
  t.is(refused.code, 1)
  t.regex(refused.stderr, /is there already; name another file, or replace it with --force/)
  t.regex((await run('--out', out, '--force')).stderr, /is no regular file/)
  t.is(fs.readFileSync(other, 'utf8'), 'mine')
  fs.unlinkSync(out)
  fs.writeFileSync(out, 'old', { mode: 0o644 })
  t.is((await run('--out', out, '--force')).code, 0)
  t.is(fs.statSync(out).mode & 0o777, 0o600)
})

onLinux('tools that clients always allow are proposed as pins, and written with --pin', async (t) => {
  const { home, put, out, run } = machine(t)
  put('.claude/settings.json', { permissions: { allow: ['mcp__notion__search', 'mcp__shell', 'Bash(ls)'] } })
  put('shop/.mcp.json', of({ refused: { command: 'refused' } }))
  put('shop/.claude/settings.local.json', { disabledMcpjsonServers: ['refused'] })
  const shown = await run()
  t.regex(shown.stdout, /^ {2}local-roo-code: read, search$/m)
  t.regex(shown.stdout, /^ {2}notion: search$/m)
  t.regex(shown.stdout, /^ {2}- refused: it is switched off there$/m)
  t.regex(shown.stdout, /^ {2}chrome: open$/m)
  t.regex(shown.stdout, /Write them as pinned tools with --pin\./)
  t.is((await run('--out', out)).code, 0)
  const pins = () =>
    Object.fromEntries(
      [...readConfigFile(out, { env, home }).servers].map(([name, { alwaysLoad }]) => [name, alwaysLoad]),
    )
  t.deepEqual(pins()['local-roo-code'], [])
  t.is((await run('--out', out, '--force', '--pin')).code, 0)
  t.deepEqual([pins()['local-roo-code'], pins().notion, pins().chrome], [['read', 'search'], ['search'], ['open']])
})

onLinux("a project's files come first, and their folders become those of the project", async (t) => {
  const { home, project, put, run } = machine(t, {})
  put('shop/.vscode/mcp.json', fs.readFileSync(path.join(FIXTURES, 'vscode/.vscode/mcp.json')))
  put('shop/.mcp.json', of({ here: { command: 'node', args: ['server.js'] } }))
  put(CLAUDE, { projects: { [project]: of({ mine: { command: 'mine' } }), '/other': of({ not: { command: 'not' } }) } })
  put(CURSOR, of({ here: { command: 'other' }, files: { command: 'a', args: ['${workspaceFolder}'] } }))
  const out = path.join(project, 'all.json')
  t.is((await run('--out', out)).code, 0)
  const { mcpServers } = JSON.parse(fs.readFileSync(out, 'utf8'))
  t.deepEqual(Object.keys(mcpServers), ['here', 'perplexity', 'files', 'github', 'mine', 'here-cursor', 'files-cursor'])
  t.deepEqual(mcpServers.files, { command: 'node', args: ['./server.js', project], cwd: project })
  t.is(mcpServers.here.cwd, project)
  t.deepEqual(mcpServers['files-cursor'].args, ['${workspaceFolder}'], 'of no project: it stays as it is')
  t.deepEqual(mcpServers.perplexity.env, {
    PERPLEXITY_API_KEY: '${INPUT_PERPLEXITY_KEY}',
    REGION: '${INPUT_REGION:-eu}',
  })
  const read = readConfigFile(out, { env: { ...env, INPUT_PERPLEXITY_KEY: 'typed' }, home })
  t.is(read.servers.get('perplexity').env.get('REGION'), 'eu')
})

onLinux('the gateway itself, what cannot be read, and keys are not taken for servers', async (t) => {
  const { put, run } = machine(t, {})
  const self = { command: 'npx', args: ['-y', '@zoo-code/tool-router-gateway', '--config', 'x.json'] }
  const keyed = { command: 'x', args: ['--api-key', 'hunter2'], env: { TOKEN: 'hunter3' }, disabledTool: [] }
  put(CURSOR, of({ self, keyed, remote: { url: 'https://u:hunter4@h.example/?key=hunter5' } }))
  put('.codeium/windsurf/mcp_config.json', '{ "mcpServers": { "hunter6" } }')
  const { code, stdout } = await run()
  t.is(code, 0)
  t.regex(stdout, /- self: it is this gateway/)
  t.regex(stdout, /\+ keyed: x --api-key \[hidden\] \(the key "disabledTool" is not read; is disabledTools meant\?\)/)
  t.regex(stdout, /! config: expected JSON, got a syntax error in line 1/)
  t.notRegex(stdout, /hunter/)
})

onLinux('only clients that are asked for are read, and none found is said', async (t) => {
  const { run } = machine(t)
  const { stdout } = await run('--from', 'roo', '--from', 'claude-desktop')
  t.deepEqual(
    [...stdout.matchAll(/^(\S.*?) {2}~/gm)].map(([, client]) => client),
    ['Claude Desktop', 'Roo Code'],
  )
  for (const name of ['vscode', 'vs-code', 'VS Code'])
    t.regex((await run('--from', name)).stdout, /^VS Code {2}~/m, name)
  const none = await run('--from', 'emacs')
  t.deepEqual([none.code, none.stdout], [1, 'no file of a client was found here\n'])
})

test('each system has its own places', (t) => {
  const home = folder(t)
  const put = (...parts) => {
    fs.mkdirSync(path.join(home, ...parts.slice(0, -1)), { recursive: true })
    fs.writeFileSync(path.join(home, ...parts), '{}')
  }
  put('Library', 'Application Support', 'Claude', 'claude_desktop_config.json')
  put('Library', 'Application Support', 'Code', 'User', 'mcp.json')
  put('Roaming', 'Claude', 'claude_desktop_config.json')
  put('Roaming', 'Cursor', 'User', 'globalStorage', 'x.roo-cline', 'settings', 'mcp_settings.json')
  const found = (platform, env = {}) =>
    clientFiles({ home, project: path.join(home, 'none'), platform, env }).map(({ client, file }) => [
      client,
      path.relative(home, file).split(path.sep)[0],
    ])
  t.deepEqual(found('darwin'), [
    ['Claude Desktop', 'Library'],
    ['VS Code', 'Library'],
  ])
  t.deepEqual(found('win32', { APPDATA: path.join(home, 'Roaming') }), [
    ['Claude Desktop', 'Roaming'],
    ['Roo Code', 'Roaming'],
  ])
  t.deepEqual(found('linux'), [])
})

onLinux('from a fresh machine to a served task: import, doctor, gateway', async (t) => {
  const { home, put, out, run } = machine(t, {})
  put(CURSOR, of({ odd: odd({ alwaysAllow: ['tell_pid'], autoApprove: ['echo'] }) }))
  t.is((await run('--out', out, '--pin')).code, 0)
  const doctor = startCli(t, ['doctor', '--config', out], { env: { HOME: home, USERPROFILE: home } })
  t.is((await doctor.ended).code, 0)
  t.regex(doctor.stdout, /^ok +odd .*\n(note .*\n)*\n1 of 1 work\./m)
  const client = await overStdio(t, JSON.parse(fs.readFileSync(out, 'utf8')))
  const names = await client.names()
  t.deepEqual(
    names.slice(-2),
    ['mcp--odd--echo', 'mcp--odd--tell_pid'].filter((name) => names.includes(name)),
  )
  t.false((await client.use('mcp--odd--tell_pid')).isError ?? false)
})

onLinux(
  'a server that Claude Code has for one project starts in its folder, and those of other projects are named',
  async (t) => {
    const { home, project, put, run } = machine(t, {})
    const entry = { command: 'node', args: ['notes.mjs', '--db-path', './app.db'] }
    const projects = { [project]: of({ local: entry }), '/srv/other': of({ elsewhere: entry }), '/srv/none': {} }
    put(CLAUDE, { mcpServers: { everywhere: entry }, projects })
    const out = path.join(home, 'mcp.json')
    const { stdout } = await run('--out', out)
    t.regex(stdout, /servers of other projects, to be imported from there: \/srv\/other$/m)
    t.regex(stdout, /it starts in .*shop, whatever project is open/)
    const { mcpServers } = JSON.parse(fs.readFileSync(out, 'utf8'))
    t.deepEqual(
      [mcpServers.local.cwd, mcpServers.everywhere.cwd, mcpServers.elsewhere],
      [project, undefined, undefined],
    )
  },
)
