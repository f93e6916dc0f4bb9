// What a task may use, and by which text a tool is found and shown.
import test from 'ava'
import { definitions, fresh, refused, router, started } from '../helpers/router.mjs'
import { ids } from '../helpers/odd-catalogue.mjs'

const OF_ONE_NAME = [
  { name: 's', tools: [{ name: 'theirs' }] },
  { name: 's', source: 'project', tools: [{ name: 'mine' }] },
]

test.serial('a project server hides the global one of its name until it is removed', async (t) => {
  await fresh(OF_ONE_NAME)
  t.deepEqual(
    (await definitions()).map(({ name }) => name),
    ['mcp--s--mine'],
  )
  t.is(router.status.serverCount, 1)
  await router.removeServer('s', 'project')
  t.deepEqual(
    (await definitions()).map(({ name }) => name),
    ['mcp--s--theirs'],
  )
})

test.serial('removing a name without a source removes both', async (t) => {
  await fresh(OF_ONE_NAME)
  t.deepEqual(ids((await router.removeServer('s')).removed).sort(), ['s/mine', 's/theirs'])
  t.is(router.status.serverCount, 0)
})

const SCOPE = [
  ['onlyAllow of a tool that is not there turns all off', { onlyAllow: ['nobody'] }, {}, []],
  ["onlyAllow 'none' turns all off", { onlyAllow: 'none' }, {}, []],
  ['what is excluded is off whatever else allows it', { onlyAllow: ['a', 'b'], disabledTools: ['a'] }, {}, ['b']],
  ['a disabled server is off whatever it allows', { disabled: true, onlyAllow: ['a'] }, {}, []],
  [
    'enabledForPrompt: false keeps a tool off whatever is allowed',
    { onlyAllow: ['a', 'b'] },
    { enabledForPrompt: false },
    ['b'],
  ],
  [
    'enabledForPrompt: true turns on nothing that is off',
    { disabledTools: ['a'] },
    { enabledForPrompt: true },
    ['b', 'c'],
  ],
  ['names are compared exactly', { disabledTools: ['A', 'mcp--s--a'] }, {}, ['a', 'b', 'c']],
]

for (const [rule, config, ofA, expected] of SCOPE) {
  test.serial(`scope: ${rule}`, async (t) => {
    await fresh([
      {
        name: 's',
        ...config,
        tools: [
          { name: 'a', description: 'word', ...ofA },
          { name: 'b', description: 'word' },
          { name: 'c', description: 'word' },
        ],
      },
    ])
    t.deepEqual((await router.rank('word a b c')).tools.map(({ toolName }) => toolName).sort(), expected)
    t.deepEqual(
      (await definitions()).map(({ name }) => name.slice(-1)),
      expected,
    )
    t.is(router.status.toolCount, 3)
    for (const name of ['a', 'b', 'c'].filter((name) => !expected.includes(name))) {
      const error = await refused(t, 'ERR_OUT_OF_SCOPE', () =>
        router.explain('word', { serverName: 's', toolName: name }),
      )
      t.true(error.message.includes(`mcp--s--${name}`), error.message)
    }
  })
}

for (const [what, config, ofA] of [
  ['of the tool', {}, { searchDescription: 'hidden narwhal' }],
  ['of the server', { searchDescriptions: { a: 'hidden narwhal' } }, {}],
]) {
  test.serial(`a search description ${what} is indexed and never shown`, async (t) => {
    await fresh([
      {
        name: 's',
        ...config,
        tools: [
          { name: 'a', description: 'shown penguin', ...ofA },
          { name: 'b', description: 'other' },
        ],
      },
    ])
    t.is((await router.rank('narwhal')).supportedCount, 1)
    t.is((await router.rank('penguin')).supportedCount, 0)
    const { session } = await started('narwhal', { threshold: 0, initialK: 1 })
    const loaded = [await session.load({ query: 'narwhal' }), await session.load({ query: 'mcp--s--a' })]
    const shown = JSON.stringify([session.tools(), session.selection, loaded, await router.rank('narwhal'), session])
    t.false(shown.includes('narwhal'))
    t.true(session.tools().includes('shown penguin'))
  })
}
