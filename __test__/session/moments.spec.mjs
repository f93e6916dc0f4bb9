// What comes into scope within a task is chosen for what the task has said. One catalogue of 58 tools of ten servers.
import test from 'ava'
import fc from 'fast-check'
import { fresh as reset, router, shown, started } from '../helpers/router.mjs'
import { servers } from '../helpers/catalogue.mjs'

const TASK = 'List the open issues of the repository and comment on the newest one'
const TEXTS = [
  TASK,
  'deploy the service and tell the channel that it is live',
  'take a screenshot of the page and read the logs',
  'which ticket is assigned to whom, and what is the weather in Lisbon?',
]
const ALL = servers()
const NAMES = ALL.map(({ name }) => name)

const fresh = (list = servers(), settings = {}) => reset(list, { threshold: 5, ...settings })

const ofServer = (names, server) => names.filter((name) => name.startsWith(`mcp--${server}--`))
const idsOf = (session) =>
  shown(session)
    .filter((name) => name !== 'mcp_load')
    .map((name) => session.resolveTool(name))
    .map(({ serverName, toolName }) => `${serverName}::${toolName}`)
    .toSorted()
const without = (names) => ALL.filter(({ name }) => !names.includes(name))

test.serial('a server that connects after the first text has its tools with the next sync, and is named', async (t) => {
  await fresh(without(['codehub']))
  const { session } = await started(TASK, { initialK: 10 })
  await router.setServers(ALL)
  const { added, rewrite, mcpLoad, evidence } = await session.sync()
  t.true(added.includes('mcp--codehub--list_issues'))
  t.true(ofServer(added, 'codehub').length === added.length, 'only what is new comes')
  t.deepEqual(rewrite, { causes: ['server'], withdrawn: [], returned: [], changed: [] })
  t.true(mcpLoad.includes('codehub'))
  t.true(evidence > 0)
  t.is((await session.sync()).added.length, 0)
})

test.serial('a turn that says nothing brings them too, and after the window as well', async (t) => {
  for (const settings of [{}, { searchTurns: 1 }]) {
    await fresh(without(['codehub']))
    const { session } = await started(TASK, { initialK: 10, ...settings })
    await router.setServers(ALL)
    t.true((await session.turn('ok')).added.includes('mcp--codehub--list_issues'), JSON.stringify(settings))
  }
})

test.serial('a setting that frees tools is a change of scope, and what was unloaded stays away', async (t) => {
  await fresh(ALL.map((server) => (server.name === 'codehub' ? { ...server, disabled: true } : server)))
  const { session } = await started(TASK, { initialK: 10 })
  t.deepEqual(ofServer(shown(session), 'codehub'), [])
  await router.setServers(ALL)
  t.true((await session.sync()).added.includes('mcp--codehub--list_issues'))
  await session.unload(['mcp--codehub--list_issues'])
  await router.setServer({ name: 'newcomer', tools: [{ name: 'list_open_issues', description: 'List open issues.' }] })
  const { attached } = await session.sync()
  t.true(attached.includes('mcp--newcomer--list_open_issues'))
  t.false(attached.includes('mcp--codehub--list_issues'))
})

test.serial('whichever servers connect late, and in which order, a sync brings what they would have had', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.shuffledSubarray(NAMES, { minLength: 1, maxLength: 8 }),
      fc.constantFrom(...TEXTS),
      fc.oneof(fc.integer({ min: 2, max: 20 }), fc.constant('auto')),
      async (late, text, initialK) => {
        await fresh()
        const whole = (await started(text, { initialK })).session
        const wanted = idsOf(whole)
        await fresh(without(late))
        const { session, selection } = await started(text, { initialK })
        for (const name of late) await router.setServer(ALL.find((server) => server.name === name))
        const after = await session.sync()
        const isLate = (id) => late.includes(id.split('::')[0])
        if (selection.mode === 'dynamic') {
          t.deepEqual(idsOf(session).filter(isLate), wanted.filter(isLate))
          t.deepEqual(after.attached.slice(0, selection.attached.length), selection.attached)
        } else for (const id of wanted.filter(isLate)) t.true(idsOf(session).includes(id))
        session.close()
        whole.close()
      },
    ),
    { numRuns: 25 },
  )
})

test.serial('a mode switched within a task has the definitions of a task that began in it', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.subarray(NAMES, { minLength: 2, maxLength: 9 }),
      fc.subarray(NAMES, { minLength: 2, maxLength: 9 }),
      fc.constantFrom(...TEXTS),
      fc.oneof(fc.integer({ min: 2, max: 20 }), fc.constant('auto')),
      async (plan, code, text, initialK) => {
        const hostModes = { plan: { allowedMcpServers: plan }, code: { allowedMcpServers: code } }
        await fresh(ALL, { hostModes })
        const wanted = (await started(text, { initialK, hostModes }, { hostMode: 'code' })).session
        const { session } = await started(text, { initialK, hostModes }, { hostMode: 'plan' })
        const { rewrite } = await session.sync({ hostMode: 'code' })
        t.deepEqual(idsOf(session), idsOf(wanted))
        if (rewrite)
          t.true(
            rewrite.causes.every((cause) => ['scope', 'gate'].includes(cause)),
            rewrite.causes.join(),
          )
        session.close()
        wanted.close()
      },
    ),
    { numRuns: 30 },
  )
})

test.serial('what the task used, or the model loaded, stays over a switch of the mode', async (t) => {
  const hostModes = { plan: { blockedMcpServers: ['codehub'] }, code: {} }
  await fresh(ALL, { hostModes })
  const { session, selection } = await started(TASK, { initialK: 6, hostModes }, { hostMode: 'plan' })
  const used = selection.attached.at(-1)
  await session.recordUse(used)
  const { loaded } = await session.load({ query: 'marine' })
  const { attached, rewrite } = await session.sync({ hostMode: 'code' })
  t.true(attached.includes(used) && attached.includes(loaded[0].name))
  t.true(attached.includes('mcp--codehub--list_issues'))
  t.deepEqual(rewrite.causes, ['scope'])
  t.true(session.selection.mcpLoad.includes('codehub'))
})

test.serial('a restored task loses nothing to a mode that knows only what was said since', async (t) => {
  const hostModes = { plan: { blockedMcpServers: ['weatherly'] }, code: {} }
  await fresh(ALL, { hostModes })
  const { session, selection } = await started(TASK, { initialK: 8, hostModes }, { hostMode: 'plan' })
  const restored = await router.restoreSession(JSON.stringify(session))
  await restored.turn('ok')
  const { attached } = await restored.sync({ hostMode: 'code' })
  t.deepEqual(attached.slice(0, selection.attached.length), selection.attached)
})

test.serial('messages that say nothing use up no turn of the window', async (t) => {
  await fresh()
  const { session } = await started(TASK, { initialK: 1, searchTurns: 2 })
  for (let at = 0; at < 5; at++) {
    const { added, frozen } = await session.turn('ok')
    t.deepEqual([added, frozen], [[], false])
  }
  const restored = await router.restoreSession(JSON.stringify(session))
  const { added, frozen, turn } = await restored.turn('the weather forecast')
  t.deepEqual([added.length > 0, frozen, turn], [true, true, 7])
  t.deepEqual((await restored.turn('read a file')).added, [])
})

test.serial('an order in a language that nobody knows words of is shown lines', async (t) => {
  await fresh()
  for (const text of ['გახსენი ანგარიში და გააგზავნე', 'ลบไฟล์ในเซิร์ฟเวอร์']) {
    const { selection } = await started(text)
    t.deepEqual([selection.attached, selection.directory.length > 0], [[], true], text)
  }
})

test.serial(
  'a first text that speaks of code alone attaches nothing, and what follows makes the first selection',
  async (t) => {
    await fresh()
    for (const text of [
      'convert these callbacks to async/await',
      'warum ist die Variable total in der Schleife null?',
    ]) {
      const { session, selection } = await started(text, { initialK: 10 })
      t.deepEqual([selection.mode, selection.attached], ['dynamic', []], text)
      t.deepEqual((await session.turn('ok')).attached, [])
      const { attached } = await session.turn(TASK)
      t.is(attached.length, 10)
      t.true(attached.includes('mcp--codehub--list_issues'))
    }
    const both = await started('convert these callbacks to async/await, then create an issue for the rest', {
      initialK: 10,
    })
    t.true(both.selection.attached.includes('mcp--codehub--create_issue'))
  },
)

test.serial('a first text that names a server attaches its tools, however little else it says', async (t) => {
  await fresh([
    ...ALL,
    { name: 'slack', tools: [{ name: 'post_message', description: 'Post a message to a channel.' }] },
  ])
  const { selection } = await started('スラックに投稿して', { initialK: 5 })
  t.true(selection.attached.includes('mcp--slack--post_message'), selection.attached.join())
})
