// The first selection: K, pins, names of the task, budget and limits.
import test from 'ava'
import { fresh, provider, router, shown, started } from '../helpers/router.mjs'
import { servers } from '../helpers/catalogue.mjs'

const TOTAL = 58

const TASK = 'deploy the service and fetch its logs'

test.serial('K tools are attached, in the order of the ranking', async (t) => {
  await fresh(servers())
  const { tools: ranked } = await router.rank(TASK, { topK: 1000 })
  const places = new Map(ranked.map(({ name, rank }) => [name, rank]))
  for (const initialK of [1, 5, 57, 58, 1000]) {
    const { selection } = await started(TASK, { initialK })
    t.is(selection.attached.length, Math.min(initialK, TOTAL))
    const by = (a, b) => places.get(a) - places.get(b)
    t.deepEqual(selection.attached, selection.attached.toSorted(by))
    t.is(selection.attached[0], ranked[0].name)
    t.deepEqual(selection.added, selection.attached)
  }
})

const PINS = [
  ['a server that is always loaded', (list) => Object.assign(list[9], { alwaysLoad: true }), (list9) => list9],
  [
    'a list of tools of a server',
    (list) => Object.assign(list[9], { alwaysLoad: ['marine', 'history', 'nobody'] }),
    (all) => all.filter((name) => /marine|history/.test(name)),
  ],
  [
    'a tool that says so, where the host lets it',
    (list) => Object.assign(Object.assign(list[9], { ownPins: true }).tools[3], { alwaysLoad: true }),
    (all) => all.filter((name) => /marine/.test(name)),
  ],
  [
    'a tool whose server says so in _meta',
    (list) =>
      Object.assign(Object.assign(list[9], { ownPins: true }).tools[3], { _meta: { 'anthropic/alwaysLoad': true } }),
    (all) => all.filter((name) => /marine/.test(name)),
  ],
]

for (const [what, pin, expected] of PINS) {
  test.serial(`pins: ${what} is attached and does not count against K`, async (t) => {
    const list = servers()
    pin(list)
    await fresh(list)
    const pinned = expected(provider('weatherly', ...list[9].tools.map(({ name }) => name)))
    const { selection } = await started('merge the branch and add a note', { initialK: 4 })
    t.deepEqual(
      selection.attached.filter((name) => name.startsWith('mcp--weatherly--')),
      pinned,
    )
    t.is(selection.attached.length, pinned.length + 4)
  })
}

test.serial('pins: a wish of a server that is not exactly true under its key pins nothing', async (t) => {
  const wishes = [{ 'anthropic/alwaysLoad': false }, { 'anthropic/alwaysLoad': 'true' }, { alwaysLoad: true }]
  for (const meta of wishes) {
    const list = servers()
    list[9].tools[3]._meta = meta
    await fresh(list)
    t.false((await started('merge the branch', { initialK: 1 })).selection.attached.includes('mcp--weatherly--marine'))
  }
})

test.serial('pins: a pinned tool that is off or out of scope is not attached', async (t) => {
  const list = servers()
  Object.assign(list[9], { alwaysLoad: true, disabledTools: ['marine'] })
  Object.assign(list[8], { alwaysLoad: true })
  await fresh(list, { hostModes: { m: { blockedMcpServers: ['designer'] } } })
  const { selection } = await started('merge', { initialK: 1 }, { hostMode: 'm' })
  t.is(selection.attached.filter((name) => name.startsWith('mcp--weatherly--')).length, 6)
  t.false(selection.attached.some((name) => name.includes('marine') || name.includes('designer')))
})

test.serial('tools that the task names are attached and come first; beside K when they are many', async (t) => {
  await fresh(servers())
  const wanted = ['create_issue', 'read_file', 'run_query', 'postMessage', 'fill-form', 'deploy_service']
  const { selection } = await started(wanted.join(', '), { initialK: 2 })
  for (const name of wanted)
    t.true(
      selection.attached.slice(0, 6).some((attached) => attached.includes(`--${name}`)),
      name,
    )
  t.true(selection.attached.length <= 8)
})

test.serial('the token budget is never exceeded, and what does not fit is reported', async (t) => {
  const list = [
    ...servers(),
    {
      name: 'giant',
      tools: [{ name: 'deploy_giant', description: `Deploy the service. ${'Many words here. '.repeat(500)}` }],
    },
  ]
  await fresh(list)
  for (const tokenBudget of [1, 40, 120, 400, 1000]) {
    const { selection } = await started(TASK, { tokenBudget, initialK: 60 })
    t.true(selection.tokens.attached <= tokenBudget, `${selection.tokens.attached} of ${tokenBudget}`)
    t.true(
      selection.notAttached.some(({ name, reason }) => name === 'mcp--giant--deploy_giant' && reason === 'over-budget'),
    )
    t.true(selection.notAttached.every(({ name }) => !selection.attached.includes(name)))
  }
})

test.serial('pins over the hard limit are reported', async (t) => {
  const list = servers()
  for (const server of list) server.alwaysLoad = true
  await fresh(list)
  const { session, selection } = await started(TASK, { maxTools: 11 })
  t.is(shown(session).length, 11, 'the places that are left are for what the task asks for')
  t.is(new Set([...selection.attached, ...selection.notAttached.map(({ name }) => name)]).size, TOTAL)
})
