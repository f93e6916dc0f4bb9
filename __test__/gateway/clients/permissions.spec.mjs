// What a person's clients never call, call without asking or ask about holds behind the gateway too.
import test from 'ava'

import { CLAUDE, CURSOR, machine, of } from '../../helpers/files-of-clients.mjs'

test('what Claude Code denies is off in what is written, whichever client has the server', (t) => {
  const server = { command: 'github' }
  const { gather } = machine(t, {
    [CLAUDE]: of({
      github: server,
      shell: { command: 'shell' },
      'my notes': { command: 'notes', onlyAllow: ['read', 'rm'] },
    }),
    [CURSOR]: of({ github: server, other: { command: 'other' } }),
    '.claude/settings.json': {
      permissions: {
        allow: ['mcp__github__get_issue', 'mcp__github__delete_file'],
        deny: ['mcp__github__delete_file', 'mcp__github__drop_*', 'mcp__shell', 'Bash(rm)', 'mcp__my_notes__rm', 7],
      },
    },
  })
  const { servers, found, pins } = gather()
  t.deepEqual([...servers.keys()], ['github', 'my notes', 'other'])
  t.deepEqual(servers.get('github').disabledTools, ['delete_file', 'drop_*'])
  t.deepEqual(servers.get('my notes').onlyAllow, ['read'])
  t.is(servers.get('other').disabledTools, undefined)
  t.deepEqual([...pins], [['github', ['get_issue']]])
  t.deepEqual(
    found.map(({ name, state }) => `${name} ${state}`),
    ['github taken', 'shell off', 'my notes taken', 'github same', 'other taken'],
  )
  t.regex(found[0].why[0], /^off, since its clients never call it: delete_file, drop_\*$/)
})

test('what Claude Code and Zed ask about is asked about behind the gateway, and a rule that is none drops nothing', (t) => {
  const { gather } = machine(t, {
    [CLAUDE]: of({ git: { command: 'git' }, notes: { command: 'notes', toolKinds: { write: 'read' } } }),
    '.claude/settings.json': {
      permissions: {
        ask: ['mcp__git__push', 'mcp__git__re*', 'mcp__notes__write', 'mcp__git__gone'],
        deny: ['mcp__git(push)', 'mcp__git__gone'],
      },
    },
    '.config/zed/settings.json': {
      agent: {
        tool_permissions: {
          default: 'allow',
          tools: {
            terminal: { default: 'deny' },
            'mcp:shop:refund': { default: 'confirm' },
            'mcp:shop:drop_table': { default: 'deny' },
            'mcp:shop:list_orders': { default: 'allow' },
          },
        },
      },
      context_servers: { shop: { command: 'shop', args: [] } },
    },
  })
  const { servers, found, pins } = gather()
  t.deepEqual(servers.get('git'), {
    command: 'git',
    disabledTools: ['gone'],
    toolKinds: { push: 'destructive', gone: 'destructive' },
  })
  t.deepEqual(servers.get('notes').toolKinds, { write: 'read' }, 'what the person has said of it already')
  t.like(servers.get('shop'), { disabledTools: ['drop_table'], toolKinds: { refund: 'destructive' } })
  t.deepEqual([...pins], [['shop', ['list_orders']]])
  const why = (name) => found.find((each) => each.name === name).why.join('; ')
  t.regex(why('git'), /asked about before each call, as what destroys is: push, gone; its clients ask before re\*;/)
})
