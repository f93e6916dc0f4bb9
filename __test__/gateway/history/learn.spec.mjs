// What a history teaches reaches the gateway that is asked to learn, and nothing else; and it is measured on what it was not taught.
import fs from 'node:fs'
import path from 'node:path'

import test from 'ava'

import { readConfigFile } from '../../../packages/gateway/config/read.mjs'
import { KnownNames } from '../../../packages/gateway/history/called-names.mjs'
import { measured, pinsOf, seedUses, writePins } from '../../../packages/gateway/history/learn.mjs'
import { History, sourcesOf } from '../../../packages/gateway/history/read.mjs'
import { openLists, tallyOf, tasksOf } from '../../../packages/gateway/history/record.mjs'
import { opened } from '../../../packages/gateway/history/would.mjs'
import { openStore } from '../../../packages/gateway/store/store.mjs'
import { servers } from '../../helpers/catalogue.mjs'
import { run } from '../../helpers/child.mjs'
import { putConversation } from '../../helpers/histories.mjs'
import { fresh, router } from '../../helpers/router.mjs'
import { tempDir } from '../../helpers/temp.mjs'
import { put } from '../../helpers/transcripts.mjs'

const CLI = path.join(import.meta.dirname, '../../..', 'packages', 'gateway', 'cli.mjs')
const MARKED = path.join(import.meta.dirname, '../../fixtures', 'marked-server.mjs')
const say = () => {}
const seed = 1

/** Sessions in the words of one person, who means another tool than the words say. */
function putHabit(home, number) {
  for (let at = 0; at < number; at++)
    putConversation(home, {
      id: `h${String(at).padStart(2, '0')}`,
      day: at,
      turns: [
        {
          text: `get the repository ready for the week, number ${at}`,
          steps: [{ calls: ['mcp__codehub__merge_pull_request'] }],
        },
      ],
    })
}

async function tasksIn(home, settings) {
  await fresh([], settings)
  const { tools, scoped } = await openLists(router, servers(), { lexical: true, say })
  const history = new History(sourcesOf(['claude-code'], { home, platform: 'linux', env: {} }))
  const open = opened(router)
  return {
    open,
    tasks: await tasksOf(await tallyOf(history, 50), new KnownNames(tools), { count: open.count, scoped }),
  }
}

test.serial('a habit of the first half is known in the second, and forgotten again', async (t) => {
  const home = tempDir(t)
  putHabit(home, 24)
  const { open, tasks } = await tasksIn(home, { threshold: 0, initialK: 10, directoryTokens: 0 })
  const { taught, asked, needed, before, after, difference } = await measured(open, tasks, seed)
  t.deepEqual([taught, asked, needed], [12, 12, 12])
  t.true(after.share > before.share, `${before.share} ${after.share}`)
  t.true(difference.interval[0] > 0)
  const again = await measured(open, tasks, seed)
  t.is(again.before.share, before.share)
  t.is(await measured(open, tasks.slice(0, 3), seed), undefined)
})

test.serial('a tool that many sessions call is worth a pin; one of a few is not', async (t) => {
  const home = tempDir(t)
  putHabit(home, 4)
  for (let at = 0; at < 4; at++)
    putConversation(home, {
      id: `o${at}`,
      turns: [{ text: 'read it', steps: [{ calls: at < 2 ? ['mcp__filesystem__read_file'] : [] }] }],
    })
  const { tasks } = await tasksIn(home)
  t.deepEqual(pinsOf(tasks), [{ serverName: 'codehub', toolName: 'merge_pull_request', sessions: 4 }])
})

test('a gateway is told how often tools were used, and no more than it would take over', async (t) => {
  const folder = tempDir(t)
  const config = { mcpServers: { codehub: { command: 'node' } }, gateway: { dir: path.join(folder, 'kept') } }
  const file = put(path.join(folder, 'mcp.json'), config)
  const [codehub] = servers()
  const listed = [codehub, { name: 'elsewhere', tools: [{ name: 'tool' }] }]
  const calls = [
    { name: `codehub/${codehub.tools[0].name}`, count: 40 },
    { name: `codehub/${codehub.tools[1].name}`, count: 2 },
    { name: 'elsewhere/tool', count: 9 },
  ]
  t.is(await seedUses(file, undefined, listed, calls), 2)
  const { settings, servers: definitions } = readConfigFile(file)
  const store = await openStore(settings)
  t.teardown(() => store.close())
  const counts = await store.uses.readOthers([definitions.get('codehub')])
  t.deepEqual(counts.map(({ count }) => count).toSorted(), [2, 6])
})

test('pins are written into the file as it is, and never over what it says', (t) => {
  const folder = tempDir(t)
  const text =
    '{\n  // mine\n  "mcpServers": {\n    "a": { "command": "x" },\n    "b": { "command": "y", "alwaysLoad": ["own"] }\n  }\n}\n'
  const file = put(path.join(folder, 'mcp.jsonc'), text)
  fs.chmodSync(file, 0o600)
  const pins = [
    { serverName: 'a', toolName: 'one' },
    { serverName: 'a', toolName: 'two' },
    { serverName: 'b', toolName: 'three' },
    { serverName: 'gone', toolName: 'four' },
  ]
  t.deepEqual(writePins(file, pins), ['a/one', 'a/two'])
  const after = fs.readFileSync(file, 'utf8')
  t.true(after.includes('// mine') && after.includes('"own"') && !after.includes('three'))
  t.deepEqual(readConfigFile(file).servers.get('a').alwaysLoad, ['one', 'two'])
  t.is(fs.statSync(file).mode & 0o777, 0o600)
})

test('servers are asked where that is wanted: those of a file, or those of the user and of no project', async (t) => {
  const home = tempDir(t)
  const server = (mark) => ({ command: process.execPath, args: [MARKED, mark, '4'] })
  put(path.join(home, '.cursor', 'mcp.json'), { mcpServers: { shop: server('shop') } })
  const project = path.join(home, 'project')
  put(path.join(project, '.mcp.json'), { mcpServers: { foreign: server('foreign') } })
  for (let at = 0; at < 4; at++)
    putConversation(home, {
      id: `s${at}`,
      day: at,
      turns: [{ text: 'list the invoices', steps: [{ calls: ['mcp__shop__shop_list_t1'] }] }],
    })
  const place = (name) => path.join(home, name)
  const env = {
    ...{ HOME: home, CLAUDE_CONFIG_DIR: place('.claude'), XDG_CONFIG_HOME: place('.config') },
    ...{ XDG_CACHE_HOME: place('cache'), XDG_STATE_HOME: place('state') },
  }
  const replay = (...args) => run([CLI, 'replay', '--lexical', ...args], { env, cwd: project, limit: 120_000 })
  const lists = path.join(home, 'lists.jsonl')
  const asked = await replay('--ask', '--out', lists)
  t.is(asked.code, 0, asked.stderr)
  t.regex(asked.stdout, /4 tools of 1 server \(the servers of your clients\)[\s\S]*Never called: 3 of 4/)
  t.false((asked.stdout + fs.readFileSync(lists, 'utf8')).includes('foreign'))
  const kept = await replay('--tools', lists)
  t.regex(kept.stdout, /4 tools of 1 server \(lists\.jsonl\)[\s\S]*Never called: 3 of 4/)

  const config = put(path.join(home, 'mcp.json'), {
    mcpServers: { shop: server('shop'), dead: { command: path.join(home, 'no-such-program') } },
    gateway: { dir: place('kept') },
  })
  const learned = await replay('--config', config, '--learn', '--pin')
  t.is(learned.code, 0, learned.stderr)
  t.regex(learned.stdout, /without dead: /)
  t.regex(
    learned.stdout,
    /taught by 2 sessions, asked in the next 2[\s\S]*knows now which tools are used: 1[\s\S]*Pinned in .*: shop\/shop_list_t1/,
  )
  t.deepEqual(readConfigFile(config).servers.get('shop').alwaysLoad, ['shop_list_t1'])
  const refused = await replay('--learn', '--tools', lists)
  t.deepEqual(
    [refused.code, /--learn: expected the gateway that learns behind --config/.test(refused.stderr)],
    [1, true],
  )
  const both = await replay('--ask', '--tools', lists)
  t.deepEqual([both.code, /one of --tools, --config and --ask/.test(both.stderr)], [1, true])
})
