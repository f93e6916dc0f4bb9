// What cannot be used is refused by itself, with its position and the field.
import test from 'ava'
import { definitions, fresh, nothing, refused, router } from '../helpers/router.mjs'
import { summary, ids } from '../helpers/odd-catalogue.mjs'

const round = {}
round.a = round

const UNUSABLE = [
  ['without a name', { description: 'x' }, '', 'name'],
  ['with a blank name', { name: ' \t' }, ' \t', 'name'],
  ['with a name that UTF-8 cannot hold', { name: 'a\ud800' }, undefined, 'name'],
  ['with a schema that is no JSON', { name: 't', inputSchema: '{"a":' }, 't', 'inputSchema'],
  ['with a schema that is a list', { name: 't', inputSchema: '[]' }, 't', 'inputSchema'],
  ['with a schema followed by more', { name: 't', inputSchema: '{} {}' }, 't', 'inputSchema'],
  ['with a schema that holds itself', { name: 't', inputSchema: round }, 't', 'inputSchema'],
  ['with a description that is a number', { name: 't', description: 4 }, 't', 'description'],
  ['that is null', null, '', 'tools[1]'],
]

for (const [what, tool, toolName, field] of UNUSABLE) {
  test.serial(`a tool ${what} is refused alone, with its position and the field`, async (t) => {
    await fresh()
    const change = await router.setServer({ name: 's', tools: [{ name: 'before' }, tool, { name: 'after' }] })
    t.deepEqual(ids(change.added), ['s/before', 's/after'])
    t.is(change.refused.length, 1)
    const [{ position, reason, serverName, ...rest }] = change.refused
    t.deepEqual({ position, serverName }, { position: 1, serverName: 's' })
    if (toolName !== undefined) t.is(rest.toolName, toolName)
    t.true(reason.includes('tools[1]') && reason.includes(field), reason)
    t.regex(reason, /expected .+, got /)
  })
}

test.serial('the same name twice in a server is the first tool, and the second is refused', async (t) => {
  await fresh()
  const change = await router.setServer({
    name: 's',
    tools: [
      { name: 'a', description: 'first' },
      { name: 'a', description: 'second' },
    ],
  })
  t.deepEqual(summary(change), { ...nothing, added: ['s/a'], refused: ['s/a@1'] })
  t.is((await definitions())[0].description, 'first')
})

test.serial('the same server twice in one call is an error that names both places', async (t) => {
  await fresh()
  const twice = [
    { name: 's', tools: [] },
    { name: 'o', tools: [] },
    { name: 's', tools: [] },
  ]
  const error = await refused(t, 'ERR_INVALID_ARGUMENT', () => router.setServers(twice))
  t.true(error.message.includes('[2]') && error.message.includes('[0]'), error.message)
  t.is(router.status.serverCount, 0)
  await router.setServers([
    { name: 's', tools: [], source: 'project' },
    { name: 's', tools: [] },
  ])
})
