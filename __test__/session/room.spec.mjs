// A model's API takes so many tools. What the model or the user names is never out of reach because a first selection or pins
// took the room: what only a ranking brought gives way, then pins; what was named, loaded or called stays.
import test from 'ava'

import { router } from '../helpers/router.mjs'

const VERBS = ['list', 'get', 'create', 'update', 'delete', 'search', 'export', 'archive']
const THINGS = ['invoice', 'ticket', 'page', 'photo', 'branch', 'deployment', 'contact', 'event', 'song', 'metric']
const SERVERS = THINGS.map((thing) => ({
  name: `${thing}s`,
  tools: VERBS.map((verb) => ({ name: `${verb}_${thing}`, description: `${verb} a ${thing}` })),
}))
const PINNED = {
  name: 'pinned',
  alwaysLoad: true,
  tools: VERBS.flatMap((verb) => [1, 2].map((at) => ({ name: `${verb}_${at}` }))),
}
const TEXT = 'create an invoice and list tickets, then get pages and photos'

async function started(t, settings, servers = SERVERS, text = TEXT) {
  router.configure({ ranker: 'lexical' })
  await router.setServers(servers, { replace: true })
  const session = router.openSession({ settings })
  t.teardown(() => session.close())
  await session.start(text)
  return session
}

const own = (session) => session.selection.attached.filter((name) => name.startsWith('mcp--'))
const ROOMS = {
  'a first selection that fills a limit of 12': [{ maxTools: 12 }, SERVERS],
  'native tools of the host': [{ maxTools: 40, nativeToolCount: 30 }, SERVERS],
  'pins that fill the room to the last place': [{ maxTools: 17 }, [...SERVERS, PINNED]],
  'more pins than there is room for': [{ maxTools: 10 }, [...SERVERS, PINNED]],
  'a budget of tokens': [{ tokenBudget: 400 }, SERVERS],
}

for (const [what, [settings, servers]] of Object.entries(ROOMS)) {
  test.serial(`what is named has a place beside ${what}`, async (t) => {
    const limit = settings.maxTools === undefined ? Infinity : settings.maxTools - (settings.nativeToolCount ?? 0) - 1
    const loads = await started(t, settings, servers)
    t.true(own(loads).length <= limit)
    const loaded = await loads.load({ query: 'archive_song' })
    t.deepEqual(
      loaded.loaded.map(({ toolName }) => toolName),
      ['archive_song'],
      JSON.stringify(loaded.unavailable),
    )
    t.true(own(loads).length <= limit)
    const says = await started(t, settings, servers)
    const { attached } = await says.turn('now use archive_metric')
    t.true(attached.includes('mcp--metrics--archive_metric'))
    t.true(own(says).length <= limit)
  })
}

test.serial('a need and a server that the model asks for have places too', async (t) => {
  const session = await started(t, { maxTools: 12 })
  const need = await session.load({ query: 'archive a song' })
  t.true(need.loaded.some(({ toolName }) => toolName === 'archive_song'))
  const server = await session.load({ query: 'metrics' })
  t.true(server.loaded.length > 0)
  t.true(own(session).length <= 11)
})

test.serial(
  'what was loaded or called is never taken for another, and a refusal says what would free a place',
  async (t) => {
    const session = await started(t, { maxTools: 6, searchK: 4 })
    const names = THINGS.slice(4, 9).map((thing) => `archive_${thing}`)
    for (const name of names) await session.load({ query: name })
    const before = own(session)
    t.deepEqual(before.map((name) => name.split('--')[2]).toSorted(), names.toSorted())
    await session.recordUse({ serverName: 'branchs', toolName: 'archive_branch' })
    const refused = await session.load({ query: 'export_metric' })
    t.deepEqual(
      refused.unavailable.map(({ reason }) => reason),
      ['over-limit'],
    )
    t.deepEqual(own(session), before, 'nothing went in vain')
    t.true(refused.mayUnload.length > 0 && refused.mayUnload.every((name) => before.includes(name)))
    t.false(refused.mayUnload.includes('mcp--branchs--archive_branch'), 'the task uses it')
    for (const delivery of ['append', 'defer']) {
      const answer = session.answerLoad(refused, { callId: 'c', provider: 'anthropic', delivery })
      t.true(answer.includes(refused.mayUnload[0]), delivery)
    }
    const told = JSON.parse(session.answerLoad(refused, { callId: 'c', provider: 'anthropic', delivery: 'defer' }))
    t.true(JSON.stringify(told).includes(`unload: ${refused.mayUnload.join(', ')}`))
    await session.load({ query: `unload: ${refused.mayUnload[0]}` })
    t.is((await session.load({ query: 'export_metric' })).loaded.length, 1)
  },
)

test.serial('where tools are called by text there is no limit', async (t) => {
  const session = await started(t, { maxTools: 4, delivery: 'call', initialK: 8 })
  t.is(own(session).length, 8)
  const { loaded, unavailable } = await session.load({ query: 'archive_song, archive_metric' })
  t.deepEqual([loaded.length, unavailable], [2, []])
  t.is(JSON.parse(session.render({ provider: 'openai-chat', delivery: 'call' }).tools).length, 2)
})

test.serial('a tool that would not fit even alone takes nobody’s place', async (t) => {
  const huge = { name: 'huge', tools: [{ name: 'fill_everything', description: 'word '.repeat(9_000) }] }
  const session = await started(t, { tokenBudget: 600 }, [...SERVERS, huge])
  const before = own(session)
  const { unavailable } = await session.load({ query: 'fill_everything' })
  t.is(unavailable[0]?.reason, 'over-budget')
  t.deepEqual(own(session), before)
})
