// A missing capability is looked for among servers that were not tried. Claims of the fifth design.
import test from 'ava'
import { router } from '../helpers/router.mjs'
import { onServers, started } from '../helpers/server-registry.mjs'

onServers(test)

test.serial('scopeBy server attaches 10 to 15 tools of the best five servers alone, the best first', async (t) => {
  const planets = ['mars', 'venus', 'earth', 'pluto']
  t.teardown(() => Promise.all(planets.map((name) => router.removeServer(name))))
  for (const name of planets)
    await router.setServer({ name, tools: [{ name: 'orbit', description: `Orbits ${name}` }] })
  const text = 'move a file into another directory'
  const session = router.openSession({
    settings: { threshold: 5, scopeBy: 'server', ranker: 'lexical', delivery: 'append' },
  })
  const { attached } = await session.start(text)
  t.true(attached.length >= 10 && attached.length <= 15, `${attached.length}`)
  const { servers, candidateCount } = await router.rankServers(text, { ranker: 'lexical' })
  t.deepEqual([candidateCount, servers.length], [7, 5])
  const best = servers.map(({ serverName }) => serverName)
  t.true(
    attached.every((name) => best.includes(router.resolveTool(name).serverName)),
    attached.join(),
  )
  t.is(attached[0], 'mcp--filesystem--move_file')
  session.close()
})

const signal = (missingCapability, more = {}) => ({
  status: 'MISSING_CAPABILITY',
  originalQuery: 'Read the notes and keep what they say',
  attemptedServers: ['filesystem'],
  completedSteps: ['Read notes.txt'],
  checkpoint: '{"step":  1}',
  missingCapability,
  reasoning: 'The filesystem only has files',
  ...more,
})

test.serial(
  'a missing capability is found among servers that were not tried: CONTINUE with the checkpoint untouched',
  async (t) => {
    const session = await started()
    const [before, tools] = [session.selection.attached, session.tools()]
    const answer = await session.reroute(signal('a knowledge graph of entities and relations'))
    t.is(answer.status, 'CONTINUE')
    t.is(answer.checkpoint, '{"step":  1}')
    t.deepEqual(answer.completedSteps, ['Read notes.txt'])
    t.deepEqual(answer.servers, ['memory'])
    t.true(answer.loaded.length > 0 && answer.loaded.length <= 4)
    t.is(answer.missingCapability, undefined)
    t.deepEqual(session.selection.attached, [...before, ...answer.loaded.map(({ name }) => name)])
    t.true(session.tools().startsWith(tools.slice(0, -1)))
    session.close()
  },
)

test.serial('what nothing offers is INCOMPLETE with what is missing, and attaches nothing', async (t) => {
  const session = await started()
  const tools = session.tools()
  const answer = await session.reroute(signal('quantum teleportation'))
  t.is(answer.status, 'INCOMPLETE')
  t.is(answer.missingCapability, 'quantum teleportation')
  t.is(answer.checkpoint, '{"step":  1}')
  t.deepEqual(answer.loaded, [])
  t.regex(answer.message, /quantum teleportation/)
  t.is(session.tools(), tools)
  session.close()
})

test.serial('what is no signal is refused by field', async (t) => {
  const session = await started()
  const capability = (more) => JSON.stringify({ originalQuery: 'q', ...more })
  for (const [text, message] of [
    ['[]', 'reroute: expected a JSON object, bare, in a code fence or within prose, got []'],
    ['I cannot send mail {at all}.', 'reroute: expected a JSON object'],
    ['{', 'EOF'],
    [capability({}), 'missing field `missingCapability`'],
    [capability({ missingCapability: ' ' }), 'reroute.missingCapability: expected what is missing'],
    [capability({ missingCapability: 7 }), 'invalid type'],
    [capability({ missingCapability: 'm'.repeat(3_000) }), 'at most 2000 bytes, got 3000'],
    [capability({ missingCapability: 'm', status: 'DONE' }), 'status: expected "MISSING_CAPABILITY", got "DONE"'],
    [`{${' '.repeat(256 * 1024)}`, 'reroute: expected at most 262144 bytes'],
  ]) {
    const error = await t.throwsAsync(session.reroute(text), { code: 'ERR_INVALID_ARGUMENT' })
    t.true(error.message.includes(message), error.message)
  }
  session.close()
})

test.serial('a tried server is left out, unless one of its tools that is not attached fits best of all', async (t) => {
  const session = await started()
  const answer = await session.reroute(signal('rename or move files'))
  t.is(answer.status, 'CONTINUE')
  t.true(
    answer.loaded.some(({ toolName }) => toolName === 'move_file'),
    JSON.stringify(answer.loaded),
  )
  session.close()
})

test.serial(
  'after three signals every other is MAX_REROUTES_EXCEEDED, also in a session that was restored',
  async (t) => {
    const session = await started()
    for (let at = 1; at <= 3; at += 1) t.is((await session.reroute(signal('quantum teleportation'))).rerouteCount, at)
    const fourth = await session.reroute(signal('a knowledge graph'))
    t.deepEqual(
      [fourth.status, fourth.loaded, fourth.rerouteCount, fourth.maxReroutes],
      ['MAX_REROUTES_EXCEEDED', [], 3, 3],
    )
    const state = JSON.stringify(session)
    session.close()
    const restored = await router.restoreSession(state)
    t.is((await restored.reroute(signal('a knowledge graph'))).status, 'MAX_REROUTES_EXCEEDED')
    t.is(JSON.stringify(restored), state)
    restored.close()
  },
)
