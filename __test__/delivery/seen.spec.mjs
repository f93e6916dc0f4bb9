// What a session says of a tool is what a model can read in the requests: at every provider, whatever happens in the task.
import test from 'ava'
import fc from 'fast-check'
import { ToolRouter } from '../../index.js'
import { ModelView } from '../helpers/seen.mjs'

const router = ToolRouter.shared()
const VERBS = ['list', 'get', 'create', 'update', 'delete', 'search', 'export', 'archive']
const THINGS = ['invoice', 'ticket', 'page', 'photo', 'branch', 'deploy', 'contact', 'event', 'song', 'metric']
const ALL = THINGS.map((thing, at) => ({
  name: `srv-${at}`,
  tools: VERBS.map((verb) => ({
    name: `${verb}_${thing}`,
    description: `${verb}s ${thing}s`,
    inputSchema: { type: 'object', properties: { id: { type: 'string' }, note: { type: 'string' } }, required: ['id'] },
  })),
}))
const EARLY = ALL.slice(0, 7)
const PROVIDERS = ['anthropic', 'openai-responses', 'openai-chat', 'gemini', 'bedrock', 'vscode']
const PAIRS = [
  ...PROVIDERS.map((provider) => ({ provider })),
  { provider: 'anthropic', delivery: 'changes' },
  { provider: 'anthropic', delivery: 'program' },
]
const HOST_MODES = { ask: { blockedMcpServers: ['srv-0', 'srv-1', 'srv-2'] }, code: {} }
/** Reasons of a call that say that the model should not have it now. */
const AWAY = new Set(['server-gone', 'tool-gone', 'out-of-scope', 'disabled'])

const said = (thing) => `${VERBS[thing % VERBS.length]} the ${THINGS[thing % THINGS.length]} and share it`

/** What happens in a task, each by a number. */
const STEPS = {
  turn: (task, n) => task.session.turn(said(n)),
  named: (task, n) => task.session.turn(`now use ${VERBS[n % 8]}_${THINGS[n % 7]}`),
  remove: (_, n) => router.removeServer(EARLY[n % 7].name),
  back: (_, n) => router.setServer(EARLY[n % 7]),
  late: (_, n) => router.setServer(ALL[7 + (n % 3)]),
  empty: (_, n) => router.setServer({ ...EARLY[n % 7], tools: [] }),
  fewer: (_, n) => router.setServer({ ...EARLY[n % 7], tools: EARLY[n % 7].tools.slice(2) }),
  off: (_, n) => router.setServer({ ...EARLY[n % 7], disabled: true }),
  mode: (task, n) => task.session.sync({ hostMode: n % 2 ? 'ask' : 'code' }),
  async load(task, n) {
    const result = await task.session.load({ query: said(n) })
    task.view.hear(task.session.answerLoad(result, { callId: 'c' }))
  },
  async unload(task, n) {
    const result = await task.session.load({ query: `unload: ${task.session.selection.attached[n % 5] ?? 'x'}` })
    task.view.hear(task.session.answerLoad(result, { callId: 'c' }))
  },
  async compact(task) {
    await task.session.compact('the task goes on')
    task.view.forget()
  },
  async restore(task) {
    const state = JSON.stringify(task.session)
    task.session.close()
    task.session = await router.restoreSession(state)
  },
}

async function begun(pair, first) {
  router.configure({ ranker: 'lexical', hostModes: HOST_MODES })
  await router.setServers(EARLY, { replace: true })
  const session = router.openSession({ hostMode: 'code', settings: { threshold: 5, ...pair } })
  const task = { session, view: new ModelView(), pair }
  await session.start(first)
  task.view.read(session.render())
  return task
}

/** What the session says and the model does not read, or reads and should not. */
async function faults({ session, view }) {
  const { attached, directory } = await session.sync()
  view.read(session.render())
  const found = []
  for (const name of attached) {
    const { problem } = await session.checkCall({ name })
    const isAway = AWAY.has(problem?.reason)
    const seen = view.sees(name)
    if (isAway === (seen !== undefined)) found.push(`${name} is ${isAway ? problem.reason : 'attached'}, seen: ${seen}`)
  }
  for (const name of directory) if (!view.sees(name)) found.push(`${name} is in the directory, and not seen`)
  for (const { name, off } of await router.listTools())
    if (off && view.sees(name)) found.push(`${name} is off, and seen`)
  return found
}

for (const pair of PAIRS) {
  const label = `${pair.provider}, ${pair.delivery ?? 'by itself'}`
  test.serial(`${label}: whatever happens, a model reads what it has, and nothing that it has not`, async (t) => {
    const step = fc.tuple(fc.constantFrom(...Object.keys(STEPS)), fc.nat(1000))
    await fc.assert(
      fc.asyncProperty(fc.nat(70), fc.array(step, { minLength: 1, maxLength: 8 }), async (first, steps) => {
        const task = await begun(pair, said(first))
        for (const [kind, number] of steps) {
          await STEPS[kind](task, number)
          const found = await faults(task)
          if (found.length > 0) throw new Error(`after ${kind}(${number}): ${found.slice(0, 4).join('; ')}`)
        }
        task.session.close()
      }),
      { numRuns: 25 },
    )
    t.pass()
  })

  test.serial(`${label}: a switch of the mode leaves no line and no server of the old one`, async (t) => {
    const task = await begun(pair, 'list the invoices, tickets and pages')
    const ofOld = (name) => /srv-[012]--/.test(name)
    t.true([...task.session.selection.attached, ...task.session.selection.directory].some(ofOld))
    await task.session.sync({ hostMode: 'ask' })
    t.deepEqual(await faults(task), [])
    const stale = ALL.slice(0, 3).flatMap(({ name, tools }) =>
      tools.filter((tool) => task.view.sees(`mcp--${name}--${tool.name}`)),
    )
    t.deepEqual(stale, [])
    await task.session.sync({ hostMode: 'code' })
    t.deepEqual(await faults(task), [])
  })
}
