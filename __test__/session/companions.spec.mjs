// The other half of a step: tools that must come before what was asked for, tools that a request implies, and tools that
// nobody asked to destroy anything with.

import test from 'ava'

import { fresh, names, refused, router, started } from '../helpers/router.mjs'

const tool = (name, description = '', required = [], more = {}) => ({
  name,
  description,
  inputSchema: {
    type: 'object',
    properties: Object.fromEntries(required.map((parameter) => [parameter, { type: 'string' }])),
    required,
  },
  ...more,
})
/** Tools that nothing asks for, of many words. */
const filler = (count) =>
  Array.from({ length: count }, (_, at) => tool(`weigh_planet_${at}`, `Weighs the planet number ${at}`))
const server = (name, ...tools) => ({ name, tools })
const CHAT = server(
  'pigeon',
  tool('post_message', 'Posts a message to a channel', ['channel_id', 'text']),
  tool('list_channels', 'Rooms'),
  tool('get_channel_topic', 'What a room is about', ['channel_id']),
)
const SETTINGS = { threshold: 0, ranker: 'lexical' }
const bare = (attached) => attached.map((name) => name.replace(/^mcp--\w+--/, ''))

test.beforeEach(() => fresh([CHAT, server('planets', ...filler(60))]))

test.serial('a tool brings what finds its argument, and the selection says who brought it and why', async (t) => {
  const { selection } = await started('post a message: planet 7, planet 8 and planet 9 are heavy', SETTINGS)
  t.true(bare(selection.attached).includes('list_channels'))
  t.deepEqual(selection.companions, [
    { name: 'mcp--pigeon--list_channels', of: 'mcp--pigeon--post_message', by: 'channel_id' },
  ])
})

test.serial('company stays within K and never comes before what was asked for', async (t) => {
  for (const initialK of [1, 2, 3, 5, 30, 'auto']) {
    const { selection } = await started('post a message about planet 7', { ...SETTINGS, initialK })
    if (initialK !== 'auto') t.true(selection.attached.length <= initialK, `${initialK}`)
    t.is(bare(selection.attached)[0], 'post_message')
    for (const { name } of selection.companions) t.true(selection.added.includes(name))
  }
})

test.serial('a later turn brings company too, within its three tools', async (t) => {
  const { session } = await started('weigh planet 12', SETTINGS)
  const selection = await session.turn('post a message')
  t.true(selection.added.length <= 3)
  t.true(bare(selection.added).includes('list_channels'))
  t.is(selection.companions[0].by, 'channel_id')
})

test.serial('a search of the model brings company, names bring nothing else', async (t) => {
  const settings = { ...SETTINGS, initialK: 0 }
  const { session } = await started('hello', settings)
  await session.load({ query: 'post_message' })
  t.deepEqual(bare(JSON.parse(session.tools()).map((each) => each.function.name)), ['mcp_load', 'post_message'])
  const found = await session.load({ query: 'post a message to the team' })
  t.true(bare(found.loaded.map(({ name }) => name)).includes('list_channels'))
})

test.serial('what was unloaded, or is out of scope, is not brought', async (t) => {
  const { session } = await started('weigh planet 12', { ...SETTINGS, initialK: 1 })
  await session.load({ query: 'list_channels' })
  await session.unload(['list_channels'])
  t.false(bare((await session.turn('post a message')).attached).includes('list_channels'))
  await fresh([{ ...CHAT, disabledTools: ['list_channels'] }, server('planets', ...filler(60))])
  const { selection } = await started('post a message that the release is out', SETTINGS)
  t.false(bare(selection.attached).includes('list_channels'))
})

test.serial('what the request gives itself is not looked up', async (t) => {
  const issues = server(
    'tracker',
    tool('close_issue', 'Closes an issue', ['issue_number']),
    tool('list_issues', 'Every bug'),
  )
  await fresh([issues, server('planets', ...filler(60))])
  const needed = async (text) =>
    (await router.explain(text, 'mcp--tracker--list_issues', { ranker: 'lexical' })).companionOf.map(({ by }) => by)
  t.deepEqual(await needed('close issue #412'), [])
  t.deepEqual(await needed('close the issue about planets'), ['issue_number'])
})

test.serial('a path implies tools that read files, of whatever server has them', async (t) => {
  const files = server('disk', tool('read_file', 'Contents', ['path']), tool('edit_file', 'Changes', ['path', 'text']))
  await fresh([files, server('planets', ...filler(60))])
  for (const text of [
    'there is a typo in src/pages/Login.tsx',
    'bump it in all the package.jsons',
    '`lib/a.py` is broken',
  ]) {
    const { session, selection } = await started(text, SETTINGS)
    const { attached, directory } = selection
    for (const name of ['mcp--disk--edit_file', 'mcp--disk--read_file'])
      t.true([...attached, ...directory].includes(name), `${text}: ${name}`)
    session.close()
  }
})

test.serial('a server is found by what it wants to be found by', async (t) => {
  const hinted = tool('run', 'Runs', [], { _meta: { 'anthropic/searchHint': 'kubernetes pods cluster' } })
  await fresh([server('ops', hinted), server('planets', ...filler(60))])
  t.is(names(await router.rank('restart the kubernetes pods', { topK: 1, ranker: 'lexical' }))[0], 'mcp--ops--run')
  for (const odd of [7, null, {}, ['x']]) {
    const { refused } = await fresh([server('ops', { ...hinted, _meta: { 'anthropic/searchHint': odd } })])
    t.deepEqual(refused, [])
  }
})

const HOSTS = ['github', 'gitlab'].map((name) =>
  server(name, tool('list_merge_requests', 'Open requests of a project')),
)
const REMOTE = { remotes: ['git@gitlab.com:acme/secret-project.git'] }

test.serial('a workspace decides between servers that fit alike, and nothing of it is kept', async (t) => {
  await fresh([...HOSTS, server('planets', ...filler(60))])
  const first = async (options) => {
    const session = router.openSession({ settings: { ...SETTINGS, initialK: 1 } })
    const { attached } = await session.start('what are my open merge requests', options)
    t.false(JSON.stringify([session, session.selection]).includes('secret'))
    return attached[0]
  }
  t.is(await first(), 'mcp--github--list_merge_requests')
  t.is(await first({ workspace: {} }), 'mcp--github--list_merge_requests')
  t.is(await first({ workspace: REMOTE }), 'mcp--gitlab--list_merge_requests')
  t.is(await first({ workspace: { openFiles: ['.gitlab-ci.yml'] } }), 'mcp--gitlab--list_merge_requests')
})

test.serial('options of start that cannot be read are refused, and the session has not started', async (t) => {
  for (const options of [
    7,
    { workspaces: {} },
    { workspace: [] },
    { workspace: { remotes: 'x' } },
    { workspace: { branch: 7 } },
    { workspace: { remote: [] } },
  ]) {
    const session = router.openSession({ settings: SETTINGS })
    await refused(t, 'ERR_INVALID_ARGUMENT', () => session.start('weigh planet 12', options), JSON.stringify(options))
    t.is(session.selection, null)
  }
})

test.serial('what a task called leads a later one that shares its words there', async (t) => {
  const parcels = ['north', 'south'].map((name) => server(name, tool('send_parcel', 'Sends a parcel')))
  await fresh([...parcels, server('planets', ...filler(60))])
  const first = async (text) => names(await router.rank(text, { topK: 1, ranker: 'lexical' }))[0]
  t.is(await first('send the parcel of aunt Gertrude'), 'mcp--north--send_parcel')
  const { session } = await started('aunt Gertrude waits for a parcel', SETTINGS)
  for (let use = 0; use < 3; use++) await session.recordUse('mcp--south--send_parcel')
  t.is(await first('send the parcel of aunt Gertrude'), 'mcp--south--send_parcel')
  const { tools } = await router.rank('weigh the planet of aunt Gertrude', { topK: 70, ranker: 'lexical' })
  t.is(tools.find(({ toolName, serverName }) => serverName === 'south' && toolName === 'send_parcel').boost, 0)
})

test.serial('what was called before a tool in earlier tasks comes along with it, and is told', async (t) => {
  // Nothing in either tool says that one needs the other, and they are of two servers.
  const gauge = server('gauge', tool('read_barometer', 'Pressure of the air'))
  await fresh([CHAT, gauge, server('planets', ...filler(60))])
  const calls = async (text, ...called) => {
    const { session } = await started(text, SETTINGS)
    for (const toolName of called) {
      const { name } = [gauge, CHAT].find((each) => each.tools.some((own) => own.name === toolName))
      await session.recordUse({ serverName: name, toolName })
    }
  }
  const asked = () => started('post a message: planet 7, planet 8 and planet 9 are heavy', SETTINGS)
  t.false(bare((await asked()).selection.attached).includes('read_barometer'))
  await calls('tell the crew', 'read_barometer', 'post_message')
  const { selection } = await asked()
  t.true(bare(selection.attached).includes('read_barometer'))
  t.is(bare(selection.attached)[0], 'post_message')
  const by = 'called before it in earlier tasks'
  const told = { name: 'mcp--gauge--read_barometer', of: 'mcp--pigeon--post_message', by }
  t.deepEqual(
    selection.companions.filter((each) => each.by === by),
    [told],
  )
  const reference = { serverName: 'gauge', toolName: 'read_barometer' }
  const { companionOf } = await router.explain('post a message', reference, { ranker: 'lexical' })
  t.deepEqual(companionOf, [told])
})

test.serial('a call of another request is not an earlier call', async (t) => {
  await fresh([CHAT, server('gauge', tool('read_hygrometer', 'Damp of the air')), server('planets', ...filler(60))])
  const { session } = await started('how damp is the air', SETTINGS)
  await session.recordUse({ serverName: 'gauge', toolName: 'read_hygrometer' })
  await session.turn('tell the crew')
  await session.recordUse({ serverName: 'pigeon', toolName: 'post_message' })
  const { selection } = await started('post a message: planet 7, planet 8 and planet 9 are heavy', {
    ...SETTINGS,
    initialK: 8,
  })
  t.false(bare(selection.attached).includes('read_hygrometer'))
})

test.serial('an explanation says which tools are ways into their server', async (t) => {
  const tools = [
    tool('update_deal', '', ['deal_id']),
    tool('add_note', '', ['deal_id']),
    tool('search_deals', '', ['query']),
  ]
  await fresh([server('crm', ...tools)], { ranker: 'lexical' })
  const placeOf = async (name) => (await router.explain('what is our pipeline?', `mcp--crm--${name}`)).wayIn
  t.is(await placeOf('search_deals'), 1)
  t.is(await placeOf('update_deal'), undefined)
  t.regex((await router.explain('x', 'mcp--crm--search_deals')).text, /way 1 into its server/)
})
