// The router behind the AI SDK's own loop, in the two ways of the adapter `@zoo-code/tool-router/ai-sdk`: with
// `prepareStep`, and with the SDK's own `toolSearch`.
//
// Both change the list of tools: the SDK has no way to put a definition behind the conversation, but for its code mode.
// The model is the SDK's test model with a script; the servers are real.
//
//   node examples/agent/ai-sdk.mjs

import process from 'node:process'
import { createRequire } from 'node:module'

import { generateText, isStepCount } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'

import { routedTools, searchedTools } from '../../adapters/ai-sdk.mjs'
import { readDefinitions, RunningServers } from '../demo/servers.mjs'

const { ToolRouter } = createRequire(import.meta.url)('../../index.js')

const TASK = 'Remember in the knowledge graph that Ada is a person who likes tea'
const ENTITIES = [{ name: 'Ada', entityType: 'person', observations: ['likes tea'] }]
const CREATE = 'mcp--memory--create_entities'

/** A model that calls what its script says, step by step, and then says that it is done. */
function scriptedModel(script, seen) {
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
  return new MockLanguageModelV4({
    doGenerate: async ({ tools = [] }) => {
      seen.push(tools.map(({ name }) => name))
      const next = script[seen.length - 1]
      const content = next
        ? { type: 'tool-call', toolCallId: `call_${seen.length}`, toolName: next[0], input: JSON.stringify(next[1]) }
        : { type: 'text', text: 'Done.' }
      const finishReason = { unified: next ? 'tool-calls' : 'stop', raw: undefined }
      return { content: [content], finishReason, usage, warnings: [] }
    },
  })
}

/** Starts the servers and a session; `work` gets the router, the session, and what makes a call. */
async function withSession(work) {
  const router = ToolRouter.shared()
  const running = new RunningServers()
  const servers = new Map()
  try {
    await running.startAll(
      readDefinitions(['filesystem', 'memory', 'everything']),
      ({ name, client, tools, reason }) => {
        if (reason !== undefined) throw new Error(`${name} did not start: ${reason}; run \`npm run setup\``)
        servers.set(name, { client, tools })
      },
    )
    router.configure({ threshold: 5 })
    await router.setServers(
      [...servers].map(([name, { tools }]) => ({ name, tools })),
      { replace: true },
    )
    const session = router.openSession({ settings: { initialK: 2 } })
    await session.start('read the text of a file')
    const call = ({ serverName, toolName }, args) =>
      servers.get(serverName).client.callTool({ name: toolName, arguments: args })
    const result = await work(router, session, call)
    session.close()
    return result
  } finally {
    await running.close()
  }
}

async function generate(script, options) {
  const seen = []
  const { steps } = await generateText({
    model: scriptedModel(script, seen),
    stopWhen: isStepCount(5),
    prompt: TASK,
    ...options,
  })
  return { seen, results: steps.flatMap(({ toolResults }) => toolResults.map(({ output }) => output)) }
}

/** With `prepareStep`; gives the tools that the model saw in each step, and the results of its calls. */
export async function runAiSdk() {
  const script = [
    ['mcp_load', { query: CREATE }],
    [CREATE, { entities: ENTITIES }],
  ]
  return withSession((...all) => generate(script, routedTools(...all)))
}

/** With `toolSearch`; gives the same. */
export async function runToolSearch() {
  const script = [
    ['search', { query: 'create entities in the knowledge graph' }],
    [CREATE, { entities: ENTITIES }],
  ]
  return withSession((...all) => generate(script, searchedTools(...all)))
}

function print(title, { seen, results }) {
  console.log(title)
  seen.forEach((names, at) => {
    console.log(`  step ${at + 1}: the model sees ${names.join(', ')}`)
  })
  for (const result of results) console.log(`  ${JSON.stringify(result).slice(0, 300)}`)
}

if (process.argv[1] && import.meta.filename === process.argv[1]) {
  print('prepareStep', await runAiSdk())
  print('toolSearch', await runToolSearch())
}
