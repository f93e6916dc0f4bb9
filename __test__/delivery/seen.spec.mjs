// What a session says of a tool is what a model can read in the requests: at every provider, whatever happens in the task.
import test from 'ava'
import { whateverHappens } from '../helpers/seen-task.mjs'

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
}
