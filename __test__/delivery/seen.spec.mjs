// What a session says of a tool is what a model can read in the requests: at every provider, whatever happens in the task.
import test from 'ava'
import { ALL, begun, faults, whateverHappens } from '../helpers/seen-task.mjs'

const PROVIDERS = ['anthropic', 'openai-responses', 'openai-chat', 'gemini', 'bedrock', 'vscode']
const PAIRS = [
  ...PROVIDERS.map((provider) => ({ provider })),
  { provider: 'openai-chat', delivery: 'append' },
  { provider: 'anthropic', delivery: 'changes' },
  { provider: 'anthropic', delivery: 'program' },
]

for (const pair of PAIRS) {
  const label = `${pair.provider}, ${pair.delivery ?? 'by itself'}`
  test.serial(`${label}: whatever happens, a model reads what it has, and nothing that it has not`, async (t) => {
    await whateverHappens(pair)
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
