// What destroys is asked for, and what becomes of a program meanwhile.
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { closePrograms } from '../../packages/programs/index.mjs'
import { fresh, router } from '../helpers/router.mjs'
import { SERVERS, task, text } from '../helpers/program-servers.mjs'

test.beforeEach(() => fresh(SERVERS))
test.after.always(closePrograms)

/** In order: calls run one after the other in one process. */
const serial = test.serial

serial('what destroys is asked for, one call after the other, with the arguments that will be sent', async (t) => {
  const { run, made } = await task()
  const asked = []
  let open = 0
  const approve = async ({ serverName, toolName, kind, arguments: args }) => {
    open += 1
    asked.push([serverName, toolName, kind, args, open])
    await sleep(5)
    open -= 1
    return true
  }
  const code = `await Promise.all([tools.github.delete_repo({ repo: 'a' }), tools.github.sync_all(), tools.github.list_issues()])`
  const { ok, text: said } = await run(code, { approve })
  t.true(ok, said)
  t.deepEqual(
    asked.toSorted(([, one], [, other]) => one.localeCompare(other)),
    [
      ['github', 'delete_repo', 'destructive', { repo: 'a' }, 1],
      ['github', 'sync_all', 'destructive', {}, 1],
    ],
  )
  t.is(made.length, 3)
})

serial(
  'a refusal ends the program, and so does the lack of anybody to ask; the answer says what has taken effect',
  async (t) => {
    for (const approve of [undefined, () => false, () => 'yes', () => Promise.reject(new Error('closed'))]) {
      const { run, made } = await task()
      const {
        ok,
        problem,
        text: said,
        calls,
      } = await run(
        `await tools.github.create_issue({ title: 'a' })
       try { await tools.github.delete_repo() } catch {}
       await tools.github.create_issue({ title: 'b' })`,
        { approve },
      )
      t.false(ok)
      t.is(problem.reason, 'refused')
      t.deepEqual(
        made.map(([name]) => name),
        ['github/create_issue'],
      )
      t.deepEqual(
        calls.map(({ state }) => state),
        ['done', 'refused'],
      )
      t.regex(said, /delete_repo may destroy something/)
      t.regex(said, /Calls made: 1 \(github\/create_issue\)\. Took effect: github\/create_issue\./)
    }
  },
)

serial('a tool that says in the midst of a program that it destroys is asked for', async (t) => {
  const [github] = SERVERS
  const tools = github.tools.map((tool) => ({ ...tool, annotations: { destructiveHint: true } }))
  const { run, made } = await task(async ({ toolName }) => {
    if (toolName === 'list_issues') await router.setServer({ name: 'github', tools })
    return text([])
  })
  const code = `await tools.github.create_issue({ title: 'a' })
    await tools.github.list_issues()
    await tools.github.create_issue({ title: 'b' })`
  const { ok, problem } = await run(code, { approve: () => false })
  t.false(ok)
  t.is(problem.reason, 'refused')
  t.is(made.length, 2)
})

serial('a tool that is called as promises and JSON are asked is told by a spelling that can be called', async (t) => {
  await fresh([
    { name: 'later', tools: [{ name: 'then', description: 'Does the next thing' }] },
    { name: 'toJSON', tools: [{ name: 'convert', description: 'Converts a document' }] },
  ])
  const { run } = await task(() => text('called'), { servers: ['later', 'toJSON'] })
  const { value } = await run(`
    const [next, convert] = [await tools.describe('later/then'), await tools.describe('toJSON/convert')]
    return [next.call, convert.call]`)
  t.deepEqual(value, ['tools["later/then"]', 'tools["toJSON/convert"]'])
  for (const call of value) {
    const { value: said, text: why } = await run(`return ${call}()`)
    t.is(said, 'called', why)
  }
})

serial('the time in which somebody is asked does not count', async (t) => {
  const { run } = await task()
  const { ok } = await run('await tools.github.delete_repo()', {
    approve: async () => sleep(1_500, true),
    limits: { timeMs: 1_000 },
  })
  t.true(ok)
})

serial('who is asked and does not answer ends the program in a time of its own', async (t) => {
  const { run, made } = await task()
  let signal
  const approve = (request) => new Promise(() => (signal = request.signal))
  const { problem, text: said } = await run(`await tools.github.delete_repo()`, { approve, limits: { askMs: 200 } })
  t.is(problem.reason, 'refused')
  t.regex(said, /github\/delete_repo may destroy something, and nobody answered within 200 ms/)
  t.true(signal.aborted)
  t.deepEqual(made, [])
})

serial('programs whose person is asked take no place of those that run, up to 24 of them', async (t) => {
  const asked = []
  const approve = () => new Promise((resolve) => asked.push(resolve))
  const waiting = []
  for (let at = 0; at < 24; at += 4) {
    const { run } = await task()
    for (let of = 0; of < 4; of += 1) waiting.push(run(`await tools.github.delete_repo()`, { approve }))
  }
  while (asked.length < 24) await sleep(5)
  const { run } = await task()
  t.is((await run('return 1')).text, '1')
  const { text: said } = await run(`await tools.github.delete_repo()`, { approve })
  t.regex(said, /nobody can be asked now/)
  for (const answer of asked) answer(true)
  t.true((await Promise.all(waiting)).every(({ ok }) => ok))
  t.is((await run('return 2')).text, '2')
})
