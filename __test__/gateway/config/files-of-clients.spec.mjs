// Everybody's file: what each client writes is read as that client means it. The files are made up; their form is that of
// the clients' documentation.
import { readdirSync } from 'node:fs'
import path from 'node:path'
import test from 'ava'
import { readConfigFile } from '../../../packages/gateway/config/read.mjs'
import { EXPECTED, ENV, HOME, project, FILES, KEY } from '../../helpers/client-files.mjs'

/** A server in a few words: what is started or reached, and all that differs from what an entry of one line gives. */
function summary({ command, args, env, cwd, url, headers, isOldSse, ...rest }) {
  const { timeoutMs, startMs, onlyAllow, disabledTools, oauth = {}, headersHelper } = rest
  const set = (map) => map && map.size > 0 && Object.fromEntries(map)
  const all = {
    run: command === undefined ? undefined : [command, ...args].join(' '),
    env: set(env),
    cwd,
    at: url?.href,
    headers: set(headers),
    helper: headersHelper,
    old: isOldSse,
    s: timeoutMs === 60_000 ? undefined : timeoutMs / 1000,
    startS: startMs === 60_000 ? undefined : startMs / 1000,
    only: onlyAllow.length > 0 && onlyAllow,
    not: disabledTools.length > 0 && disabledTools,
    oauth: Object.values(oauth).some((value) => value !== undefined) && JSON.parse(JSON.stringify(oauth)),
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined && value !== false))
}

const where = { env: ENV, home: HOME }

const read = (name) => readConfigFile(path.join(FILES, name), where)

for (const [name, expected] of Object.entries(EXPECTED)) {
  test(`${name} is read as its client means it`, (t) => {
    if (expected instanceof RegExp) {
      const error = t.throws(() => read(name), { code: 'ERR_CONFIG_INVALID', message: expected })
      t.notRegex(error.message + error.cause, /hunter2/)
      return
    }
    const { off = [], out = {}, notes = [], ...servers } = expected
    const config = read(name)
    t.deepEqual(
      Object.fromEntries([...config.servers].map(([server, definition]) => [server, summary(definition)])),
      servers,
    )
    t.deepEqual([...config.off], off)
    t.deepEqual(
      config.leftOut.map((entry) => entry.name),
      Object.keys(out),
    )
    for (const { name: left, reason } of config.leftOut) t.regex(reason, out[left])
    t.is(config.notes.length, notes.length, config.notes.join('\n'))
    for (const [at, note] of notes.entries()) t.regex(config.notes[at], note)
  })
}

test('at least 60 files are read, and none of the folder is forgotten', (t) => {
  const files = readdirSync(FILES, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(jsonc?|toml|ya?ml)$/.test(entry.name))
    .map((entry) => path.relative(FILES, path.join(entry.parentPath ?? entry.path, entry.name)).replaceAll('\\', '/'))
  t.deepEqual(files.toSorted(), Object.keys(EXPECTED).toSorted())
  t.true(files.length >= 60)
})

test('values of variables are known as secrets, folders are not', (t) => {
  const { servers } = read('cursor/.cursor/mcp.json')
  t.deepEqual(servers.get('local').secrets, [KEY])
  t.deepEqual(read('claude-code/.mcp.json').servers.get('api').secrets, [KEY])
})

test('the workspace is the project of the file, or what is said to be it', (t) => {
  const file = path.join(FILES, 'vscode/.vscode/mcp.json')
  const other = readConfigFile(file, { ...where, workspace: path.resolve('/elsewhere') }).servers.get('files')
  t.deepEqual(other.args, ['./server.js', path.resolve('/elsewhere')])
  const home = readConfigFile(file, { ...where, home: project('vscode') }).servers.get('files')
  t.deepEqual([home.args[1], home.cwd], [process.cwd(), undefined], "in the user's own folder it is for all projects")
})
