// What is known of servers: its files, who wrote them, and what it does for a task.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import test from 'ava'

import { compared } from '../../research/make/knowledge.mjs'
import { FOLDER, knownServers, parse, written } from '../../research/make/knowledge-files.mjs'
import { run } from '../helpers/child.mjs'
import { fresh, router } from '../helpers/router.mjs'
import { tempDir } from '../helpers/temp.mjs'

const ADDON = Object.keys(createRequire(import.meta.url).cache).find((file) => file.endsWith('.node'))
const TASK = 'polish the chrome bumper'
const SETTINGS = { threshold: 0, delivery: 'append' }

/** Three tools of a well-known server under another name, among others that fit the task as well. */
const SERVERS = [
  {
    name: 'chat',
    tools: ['slack_list_channels', 'slack_post_message', 'slack_get_users'].map((name) => ({
      name,
      description: name === 'slack_post_message' ? 'Polishes the chrome bumper' : 'Counts sheep',
    })),
  },
  {
    name: 'other',
    tools: Array.from({ length: 40 }, (_, at) => ({ name: `thing_${at}`, description: 'Polishes a bumper' })),
  },
]

test('every file says what users call its server, whose tools it is about, who wrote it and when', (t) => {
  const known = knownServers()
  t.true(known.length > 100)
  for (const { name, header, tools } of known) {
    const [names, from, by] = ['named', 'from', 'written'].map((key) => header.filter(([each]) => each === key))
    t.is(names.length, 1, name)
    t.notRegex(names[0][1], /-(ref|ea)\b/, `${name}: nobody's server is called so`)
    for (const [, of] of from) t.regex(of, /^\S+ \S+$/, name)
    t.true(from.length > 0 && by.length === 1, name)
    t.regex(by[0][1], /^\d{4}-\d\d-\d\d, by \S/, name)
    t.true(tools.size > 0, name)
  }
})

test('a file that is written again is the same', (t) => {
  for (const server of knownServers()) t.is(written(server), readFileSync(join(FOLDER, `${server.name}.txt`), 'utf8'))
})

test('a file out of format is told with its line', (t) => {
  const head = 'named: a\nwritten: 2026-01-01, by us\n'
  for (const [text, told] of [
    ['a\n', /expected a header/],
    ['named: a\nby: us\n\nx\n', /expected a header/],
    ['named: a\n\nx\n', /expected written:/],
    [`${head}\n  said\nx\n`, /expected a tool before {3}said/],
    [`${head}\nx\nx\n`, /expected a tool, once, got x/],
    [`${head}\nx: y\n`, /expected other tools of the file before x, got y/],
    [`${head}\nx: a, b, c, d\na\nb\nc\nd\n`, /expected at most 3 tools before x, got 4/],
    [`${head}\nx\n\ny\n`, /expected one empty line/],
  ])
    t.throws(() => parse('a', text), { message: told }, text)
})

test('a tool that a server lost is gone, one of two packages may have lost nothing, and a new one is unknown', (t) => {
  const known = [
    parse('a', 'named: a\nfrom: a 1\nwritten: 2026-01-01, by us\n\nold\nolder (gone a 0.9)\nkept\n'),
    parse('b', 'named: b\nfrom: b 1\nfrom: c 1\nwritten: 2026-01-01, by us\n\nold\n'),
  ]
  const live = [
    { name: 'a', tools: [{ name: 'kept' }, { name: 'new' }] },
    { name: 'b', tools: [] },
  ]
  t.deepEqual(compared(known, live), [
    { name: 'a', gone: ['old'], unknown: ['new'], several: false },
    { name: 'b', gone: ['old'], unknown: [], several: true },
  ])
})

test.serial('what usually comes first on a known server comes along, whatever the server is called', async (t) => {
  await fresh(SERVERS)
  const { companions } = await router.openSession({ settings: SETTINGS }).start(TASK)
  t.deepEqual(
    companions.map(({ name, of, by }) => [name, of, by]),
    ['slack_list_channels', 'slack_get_users'].map((name) => [
      `mcp--chat--${name}`,
      'mcp--chat--slack_post_message',
      'usually called before it',
    ]),
  )
})

/** The companions of the task in a process whose model package is a folder. */
async function companionsWith(folder) {
  const script = `
    const addon = require(${JSON.stringify(ADDON)})
    addon.__setAssetFolders(undefined, ${JSON.stringify(folder)})
    const router = addon.ToolRouter.shared()
    router
      .setServers(${JSON.stringify(SERVERS)})
      .then(() => router.openSession({ settings: ${JSON.stringify(SETTINGS)} }).start(${JSON.stringify(TASK)}))
      .then(({ companions }) => console.log(JSON.stringify(companions.map(({ name }) => name))))`
  const { code, stdout, stderr } = await run(['-e', script])
  return { code, stderr, names: stdout && JSON.parse(stdout) }
}

test('without the files nothing is known and all else works, and a file of the folder is read', async (t) => {
  const folder = tempDir(t)
  t.deepEqual(await companionsWith(folder), { code: 0, stderr: '', names: [] })
  mkdirSync(join(folder, 'knowledge', 'servers'), { recursive: true })
  const file = join(folder, 'knowledge', 'servers', 'own.txt')
  writeFileSync(
    file,
    'named: own\nwritten: 2026-01-01, by us\n\nslack_post_message: slack_get_users\nslack_get_users\nslack_list_channels\n',
  )
  t.deepEqual((await companionsWith(folder)).names, ['mcp--chat--slack_get_users'])
})
