// Tasks in which anything may happen, and what their models read of it.

import fc from 'fast-check'

import { ToolRouter } from '../../index.js'
import { ModelView } from './seen.mjs'

const router = ToolRouter.shared()
const VERBS = ['list', 'get', 'create', 'update', 'delete', 'search', 'export', 'archive']
const THINGS = ['invoice', 'ticket', 'page', 'photo', 'branch', 'deploy', 'contact', 'event', 'song', 'metric']
export const ALL = THINGS.map((thing, at) => ({
  name: `srv-${at}`,
  tools: VERBS.map((verb) => ({
    name: `${verb}_${thing}`,
    description: `${verb}s ${thing}s`,
    inputSchema: { type: 'object', properties: { id: { type: 'string' }, note: { type: 'string' } }, required: ['id'] },
  })),
}))
const EVERY = ALL.flatMap(({ name, tools }) => tools.map((tool) => `mcp--${name}--${tool.name}`))
const EARLY = ALL.slice(0, 7)
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
  load: (task, n) => task.load(said(n)),
  unload: (task, n) => task.load(`unload: ${task.session.selection.attached[n % 5] ?? 'x'}`),
  async compact(task) {
    await task.session.compact('the task goes on')
    task.forget()
  },
  async restore(task) {
    const state = JSON.stringify(task.session)
    task.session.close()
    task.session = await router.restoreSession(state)
  },
}

/** A task of a host that renders each request by itself. */
class RenderedTask {
  view = new ModelView()

  constructor(session) {
    this.session = session
  }

  request() {
    this.view.read(this.session.render())
  }

  async load(query) {
    const result = await this.session.load({ query })
    this.view.hear(this.session.answerLoad(result, { callId: 'c' }))
  }

  forget() {
    this.view.forget()
  }
}

/** A task at its first request. `Task`: who makes its requests. */
export async function begun(settings, first, Task = RenderedTask) {
  router.configure({ ranker: 'lexical', hostModes: HOST_MODES })
  await router.setServers(EARLY, { replace: true })
  const session = router.openSession({ hostMode: 'code', settings: { threshold: 5, ...settings } })
  const task = new Task(session)
  await session.start(first)
  await task.request()
  return task
}

/** What the session says and the model does not read, or reads and should not. */
export async function faults(task) {
  const { session } = task
  const { attached, directory } = await session.sync()
  await task.request()
  const { view } = task
  const found = []
  for (const name of attached) {
    const { problem } = await session.checkCall({ name })
    const isAway = AWAY.has(problem?.reason)
    const seen = view.sees(name)
    if (isAway === (seen !== undefined)) found.push(`${name} is ${isAway ? problem.reason : 'attached'}, seen: ${seen}`)
  }
  for (const name of directory) if (!view.sees(name)) found.push(`${name} is in the directory, and not seen`)
  for (const name of EVERY) {
    if (attached.includes(name) || !view.sees(name)) continue
    const { problem } = await session.checkCall({ name })
    if (AWAY.has(problem?.reason)) found.push(`${name} is ${problem.reason}, and seen as ${view.sees(name)}`)
  }
  return found
}

/** Plays tasks of all kinds, and fails at the first request in which a model reads something else than the session says. */
export async function whateverHappens(settings, { Task, steps = Object.keys(STEPS), numRuns = 25 } = {}) {
  const step = fc.tuple(fc.constantFrom(...steps), fc.nat(1000))
  await fc.assert(
    fc.asyncProperty(fc.nat(70), fc.array(step, { minLength: 1, maxLength: 8 }), async (first, happened) => {
      const task = await begun(settings, said(first), Task)
      for (const [kind, number] of happened) {
        await STEPS[kind](task, number)
        const found = await faults(task)
        if (found.length > 0) throw new Error(`after ${kind}(${number}): ${found.slice(0, 4).join('; ')}`)
      }
      task.session.close()
    }),
    { numRuns, includeErrorInReport: true },
  )
}
