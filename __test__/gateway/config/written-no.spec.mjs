// What a person has switched off is off, however it is written and whatever allows it; what allows means one tool.
import test from 'ava'
import fc from 'fast-check'

import { kindsOf } from '../../../packages/gateway/catalogue/kinds.mjs'
import { thereOf } from '../../../packages/gateway/catalogue/parts.mjs'
import { switchesOf } from '../../../packages/gateway/catalogue/withheld.mjs'
import { readConfig } from '../../../packages/gateway/config/read.mjs'
import { readServer } from '../../../packages/gateway/config/server.mjs'
import { kindOf } from '../../../packages/gateway/names/tool-kind.mjs'

const ROOMS = ['list_rooms', 'book_room', 'delete_room', 'delete_all_rooms']
/** The habits in which a server may write one name. */
const HABITS = ['listIt', 'List-It', 'LIST_IT', 'list.it', 'listit', 's/list_it', 'mcp__s__list_it']
const named = (names) => names.map((name) => ({ name }))

/** Names of tools that are on, of an entry or of what a profile has of it. */
function on(config, names, { profile } = {}) {
  const whole = config.mcpServers ? config : { mcpServers: { s: { command: 'x', ...config } } }
  const definition = readConfig(whole, { profile }).servers.get('s')
  if (definition === undefined) return []
  const { disabledTools, onlyAllow } = switchesOf(definition, new Map(), named(names))
  const there = thereOf(definition, named(names)).map(({ name }) => name)
  if (onlyAllow === 'none') return []
  const isOn = (name) => (onlyAllow.length > 0 ? onlyAllow.includes(name) : !disabledTools.includes(name))
  return there.filter(isOn)
}

for (const [how, entry] of [
  ['our own lists', { onlyAllow: ['*_room'], disabledTools: ['delete_room'] }],
  ['a pattern that forbids', { onlyAllow: ['book_room', 'delete_room'], disabledTools: ['delete_*'] }],
  ['another habit', { onlyAllow: ['*_room'], disabledTools: ['Delete-Room'] }],
  ["the server's name before it", { onlyAllow: ['*_room'], disabledTools: ['mcp__s__delete_room'] }],
  ['a list of another gateway', { onlyAllow: ['*_room'], blockedTools: ['delete_room'] }],
  ['a switch of one tool', { onlyAllow: ['*_room'], tools: { delete_room: false } }],
  ['a switch in an object', { onlyAllow: ['*_room'], tools: { delete_room: { enabled: false } } }],
  ['a filter', { onlyAllow: ['*_room'], toolFilter: { exclude: ['delete_room'] } }],
  ['lists of Gemini', { includeTools: ['book_room', 'delete_room'], excludeTools: ['delete_*'] }],
  ['lists of Codex', { enabled_tools: ['*_room'], disabled_tools: ['delete_room'] }],
  ['lists of others', { allowedTools: ['*_room'], denied_tools: ['delete_room'] }],
  ['lists of still others', { allowed_tools: ['*_room'], disallowed_tools: ['delete_room'] }],
  ['a list within tools', { onlyAllow: ['*_room'], tools: { exclude: ['delete_room'] } }],
  ['words', { tools: { delete_room: 'deny', list_rooms: 'off', delete_all_rooms: 'disabled' } }],
  ['a filter both ways', { toolFilter: { allow: ['*_room'] }, deniedTools: ['Delete-Room'] }],
])
  test(`a tool is off by ${how}, though a list allows it`, (t) => {
    t.deepEqual(on(entry, ROOMS), ['book_room'])
  })

test('of several lists that allow each counts, and of patterns only those that are alike', (t) => {
  t.deepEqual(on({ onlyAllow: ['*_room'], allowedTools: ['book_room'] }, ROOMS), ['book_room'])
  t.deepEqual(on({ includeTools: ROOMS, enabled_tools: ['*_room'], tools: ['book_room', '*_all'] }, ROOMS), [
    'book_room',
  ])
  t.deepEqual(on({ onlyAllow: ['*'], tools: { allow: ['book_room'] }, toolFilter: { only: ROOMS } }, ROOMS), [
    'book_room',
  ])
  t.deepEqual(on({ includeTools: ['list_rooms'], allowed_tools: ['book_room'] }, ROOMS), [])
  const entry = { command: 'x', onlyAllow: ['*_room'], allowedTools: ['book_*'] }
  t.throws(() => readServer('s', entry), { message: /one list of tools that are on.*\*_room, book_\*/ })
})

for (const key of ['onlyAllow', 'allowedTools', 'includeTools', 'enabled_tools', 'tools', 'toolFilter'])
  test(`a list that allows is a list of names, and leaves nothing on by being none: ${key}`, (t) => {
    const read = (value) => () => readServer('s', { command: 'x', [key]: value })
    const values = ['book_room', 7, ['*', '!book_room'], ['-book_room'], { allow: 'book_room' }, { allow: ['!x'] }]
    for (const value of values) t.throws(read(value), { code: 'ERR_INVALID_ARGUMENT' }, JSON.stringify(value))
    t.deepEqual([on({ [key]: '*' }, ROOMS), on({ [key]: ['book_room'] }, ROOMS)], [ROOMS, ['book_room']])
  })

test('where all that is allowed is off, nothing is on, in the file and of a server read by itself', (t) => {
  t.deepEqual(on({ onlyAllow: ['book_room'], disabledTools: ['book_room'] }, ROOMS), [])
  t.deepEqual([on({ disabledTools: ['*'] }, ROOMS), on({ allowedTools: ['*'] }, ROOMS)], [[], ROOMS])
  const entry = { command: 'x', includeTools: ['book_room'], excludeTools: ['book_room'] }
  t.deepEqual(switchesOf(readServer('s', entry), new Map(), named(ROOMS)).disabledTools, ROOMS)
})

test('a profile has no tool that it or the entry switches off, whatever either names', (t) => {
  const s = { command: 'x', onlyAllow: ['*_room'], disabledTools: ['delete_room'] }
  const profiles = {
    named: { tools: ['s/delete_room', 's/book_room'] },
    whole: { servers: ['s'], disabledTools: ['s/Book-Room'] },
    both: { servers: ['s'], tools: ['s/book_room'], disabledTools: ['s/book_*'] },
  }
  const of = (profile) => on({ mcpServers: { s }, profiles }, ROOMS, { profile })
  t.deepEqual([of('named'), of('whole'), of('both')], [['book_room'], [], []])
})

test('a tool that is off is off with any lists around it', (t) => {
  const spelling = fc.constantFrom(...ROOMS, '*', '*_room', 'delete_*', 'Book-Room', 's/list_rooms')
  const lists = fc.record({ onlyAllow: fc.array(spelling), disabledTools: fc.array(spelling) })
  fc.assert(
    fc.property(lists, fc.constantFrom(...ROOMS), ({ onlyAllow, disabledTools }, name) => {
      t.false(on({ onlyAllow, disabledTools: [...disabledTools, name] }, ROOMS).includes(name))
    }),
  )
})

test('a list that allows means the tool of exactly that name, or the only one of that spelling', (t) => {
  const profiles = { p: { tools: ['s/list_it'] } }
  const ways = [
    (names) => on({ onlyAllow: ['list_it'] }, names),
    (names) => on({ mcpServers: { s: { command: 'x' } }, profiles }, names, { profile: 'p' }),
  ]
  for (const allowed of ways) {
    t.deepEqual(allowed(['list_it', ...HABITS]), ['list_it'])
    t.deepEqual(allowed(HABITS), [])
    t.deepEqual(allowed(['listIt', 'other']), ['listIt'])
  }
  t.deepEqual(
    on({ mcpServers: { s: { command: 'x' } }, profiles: { p: { tools: ['s/!list_it'] } } }, ['list_it'], {
      profile: 'p',
    }),
    [],
  )
  t.deepEqual(on({ onlyAllow: ['list_*'] }, ['list_it', 'listThat', 'LIST_ALL']), ['list_it'])
  t.deepEqual(on({ onlyAllow: ['s/list_it'] }, ['list_it', 'listIt']), ['list_it'])
})

test('a name that is allowed does not pass to another tool where a profile lacks its own', (t) => {
  const s = { command: 'x', onlyAllow: ['list_it'] }
  const profiles = { p: { servers: ['s'], disabledTools: ['s/list_it'] } }
  t.deepEqual(on({ mcpServers: { s }, profiles }, ['list_it', 'listIt'], { profile: 'p' }), [])
})

test('a kind that is more harmless means one tool, one that is more harmful all that may be meant', (t) => {
  const kinds = (toolKinds, names) => {
    const given = kindsOf(readServer('s', { command: 'x', toolKinds }), named(names))
    return named(names).map((tool) => kindOf(tool, given))
  }
  const writes = HABITS.map((name) => name.replace(/list/i, (word) => (word === 'LIST' ? 'SEND' : 'send')))
  t.deepEqual(new Set(kinds({ send_it: 'read' }, writes)), new Set(['write']))
  t.deepEqual(kinds({ send_it: 'read' }, ['send_it', 'sendIt']), ['read', 'write'])
  t.deepEqual(kinds({ send_it: 'read' }, ['sendIt']), ['read'])
  t.deepEqual(kinds({ 's/send_it': 'read' }, ['send_it', 'sendIt']), ['read', 'write'])
  t.deepEqual(kinds({ '*': 'read' }, ['send_it']), ['write'])
  t.deepEqual(new Set(kinds({ send_it: 'destructive' }, ['sendIt', 'Send-It', 'send_it'])), new Set(['destructive']))
  t.deepEqual(on({ disabledTools: ['send_it'] }, ['sendIt', 'send_it', 'other']), ['other'])
})

for (const [what, entry, more = {}] of [
  ['permissions in an entry', { permissions: { deny: ['delete_room'] } }],
  ['a policy in an entry', { policy: { blocked: ['delete_room'] } }],
  ['rules by tool', { toolPermissions: { delete_room: 'deny' } }],
  ['a list within settings', { settings: { disabledTools: ['delete_room'] } }],
  ['a switch within a key', { default_config: { enabled: false } }],
  ['a switch of a tool within a key', { configs: { delete_room: { enabled: false } } }],
  ['permissions beside the servers', {}, { permissions: { deny: ['mcp__s__delete_room'] } }],
  ['a list beside the servers', {}, { disabledTools: ['delete_room'] }],
  ['switches beside the servers', {}, { tools: { s_delete_room: false } }],
  ['a list of servers that are denied', {}, { deniedMcpServers: [{ serverName: 's' }] }],
])
  test(`what nobody reads is told: ${what}`, (t) => {
    const { notes, unsure } = readConfig({ mcpServers: { s: { command: 'x', ...entry } }, ...more })
    t.true(notes.some((note) => /may restrict/.test(note)))
    t.deepEqual(unsure, ['s'])
  })

test('a state that says off switches off', (t) => {
  t.deepEqual(on({ state: 'off' }, ROOMS), [])
  t.deepEqual(on({ state: 'connected' }, ROOMS), ROOMS)
})

test('what is about something else is no restriction', (t) => {
  const entry = { command: 'x', oauth: {}, alwaysAllow: ['x'], sandbox: { deny: ['x'] }, settings: { theme: 'x' } }
  const more = { permissions: { deny: ['Bash(rm:*)'] }, telemetry: { disabled: true }, inputs: [] }
  t.deepEqual(readConfig({ mcpServers: { s: entry }, ...more }).unsure, [])
})

test("opencode's switch of all tools does not bring back one that is off", (t) => {
  const s = { type: 'local', command: ['x'], disabledTools: ['own'] }
  const { servers } = readConfig({ mcp: { s }, tools: { s_one: false, 's_*': true } })
  t.deepEqual(servers.get('s').disabledTools, ['own', 'one'])
})
