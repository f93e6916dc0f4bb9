// What a host asks by name: tools to attach, servers that a task is for, and what a wrong name may mean.
import test from 'ava'

import { bulk, servers } from '../helpers/catalogue.mjs'
import { fresh, refused, router, shown, started } from '../helpers/router.mjs'

const DYNAMIC = { threshold: 0, initialK: 0 }
const byName = (list) => list.map(({ name }) => name)

test.serial('attach attaches what it names, in its order, and ranks nothing', async (t) => {
  await fresh(servers())
  const events = []
  router.onTelemetry(({ event }) => events.push(event))
  const { session } = await started('hello', DYNAMIC)
  const wanted = ['mcp--codehub--list_issues', { serverName: 'codehub', toolName: 'create_issue' }]
  const { attached, alreadyAttached, unavailable } = await session.attach(wanted)
  t.deepEqual(byName(attached), ['mcp--codehub--list_issues', 'mcp--codehub--create_issue'])
  t.deepEqual([alreadyAttached, unavailable], [[], []])
  t.deepEqual(shown(session).slice(1), byName(attached))
  t.deepEqual(session.selection.added, byName(attached))
  await router.countTokens('a call after it: events are told by then')
  t.false(events.includes('dynamic_tools.mcp_load_invoked'))
  const again = await session.attach(wanted)
  t.deepEqual([again.attached, again.alreadyAttached], [[], byName(attached)])
})

test.serial('attach stays within the limit of the model’s API, and needs a start', async (t) => {
  await fresh([bulk('s', 20)])
  const names = Array.from({ length: 20 }, (_, at) => ({ serverName: 's', toolName: bulk('s', 20).tools[at].name }))
  const { session } = await started('hello', { ...DYNAMIC, maxTools: 6 })
  const { attached, unavailable } = await session.attach(names)
  t.deepEqual([attached.length, unavailable.length, unavailable[0].reason], [5, 15, 'over-limit'])
  await refused(t, 'ERR_INVALID_ARGUMENT', () => router.openSession().attach(names))
  for (const wrong of [undefined, 'a', [5], [{ toolName: 'a' }], [''], {}])
    await refused(t, 'ERR_INVALID_ARGUMENT', () => session.attach(wrong))
})

test.serial('a session for some servers sees no others, and its saved state and forks keep them', async (t) => {
  await fresh(servers(), { hostModes: { ask: { blockedMcpServers: ['codehub'] } } })
  const { session, selection } = await started(
    'list the open issues',
    { threshold: 0 },
    { servers: ['codehub', 'later'] },
  )
  const isOwn = (name) => router.resolveTool(name).serverName === 'codehub'
  t.true(selection.attached.length > 0 && selection.attached.every(isOwn))
  const [outside] = (await session.load({ query: 'mcp--chatroom--post_message' })).unavailable
  t.not(outside.reason, undefined)
  t.false(session.selection.mcpLoad.includes('chatroom'))
  t.is((await session.fork().sync()).scopedCount, selection.scopedCount)
  const restored = await router.restoreSession(JSON.stringify(session))
  await router.setServer({ name: 'later', tools: [{ name: 'come_later', description: 'Lists what came later' }] })
  t.is((await restored.sync()).scopedCount, selection.scopedCount + 1, 'a server that is set later')
  await restored.sync({ hostMode: 'ask' })
  t.is((await restored.sync()).scopedCount, 1, 'a host mode narrows it further')
  for (const wrong of [null, 'a', [5], {}])
    await refused(t, 'ERR_INVALID_ARGUMENT', () => router.openSession({ servers: wrong }))
})

test.serial('near names are those in scope, by the tool’s own name or by its provider name', async (t) => {
  await fresh(servers(), { hostModes: { ask: { blockedMcpServers: ['codehub'] } } })
  t.is(router.nearNames('creat_issue')[0], 'mcp--codehub--create_issue')
  t.is(router.nearNames('mcp--codehub--creat_issue')[0], 'mcp--codehub--create_issue')
  t.is(router.nearNames('create_issue')[0], 'mcp--codehub--create_issue', 'a name without its server')
  t.deepEqual(router.nearNames('no_such_thing_at_all'), [])
  t.false(router.nearNames('creat_issue', { hostMode: 'ask' }).includes('mcp--codehub--create_issue'))
  t.false(router.nearNames('creat_issue', { servers: ['nobody'] }).includes('mcp--codehub--create_issue'))
  t.true(router.nearNames('issue').length <= 3)
  for (const wrong of [undefined, 5, null]) await refused(t, 'ERR_INVALID_ARGUMENT', () => router.nearNames(wrong))
  await refused(t, 'ERR_INVALID_ARGUMENT', () => router.nearNames('x', { hostMode: 'nowhere' }))
})
