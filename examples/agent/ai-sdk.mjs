// SPDX-License-Identifier: Apache-2.0
//
// The router behind the AI SDK's own loop: all tools are known to the SDK, and `prepareStep` says before each step which
// of them the model sees, the session's. The model is the SDK's test model with a script; the servers are real.
//
//   node examples/agent/ai-sdk.mjs

import process from 'node:process'
import { createRequire } from 'node:module'

import { generateText, jsonSchema, stepCountIs, tool } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'

import { readDefinitions, RunningServers } from '../demo/servers.mjs'

const { ToolRouter } = createRequire(import.meta.url)('../../index.js')

const TASK = 'Remember in the knowledge graph that Ada is a person who likes tea'
const ENTITIES = [{ name: 'Ada', entityType: 'person', observations: ['likes tea'] }]
/** What the scripted model calls, step by step; then it says that it is done. */
const SCRIPT = [
  ['mcp_load', { query: 'mcp--memory--create_entities' }],
  ['mcp--memory--create_entities', { entities: ENTITIES }],
]

function scriptedModel(seen) {
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
  return new MockLanguageModelV4({
    doGenerate: async ({ tools = [] }) => {
      seen.push(tools.map(({ name }) => name))
      const next = SCRIPT[seen.length - 1]
      const content = next
        ? { type: 'tool-call', toolCallId: `call_${seen.length}`, toolName: next[0], input: JSON.stringify(next[1]) }
        : { type: 'text', text: 'Done.' }
      const finishReason = { unified: next ? 'tool-calls' : 'stop', raw: undefined }
      return { content: [content], finishReason, usage, warnings: [] }
    },
  })
}

/** Plays the task; gives the tools that the model saw in each step, and the results of its calls. */
export async function runAiSdk() {
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

    const call = async (name, args) => {
      const { tool: found, arguments: sent, problem } = await session.checkCall({ name, arguments: args })
      if (problem) return problem.message
      const { client } = servers.get(found.serverName)
      const { content } = await client.callTool({ name: found.toolName, arguments: JSON.parse(sent) })
      return content.map(({ text = '' }) => text).join('\n')
    }
    const listed = await router.listTools()
    const schemas = new Map(
      [...servers].flatMap(([server, { tools }]) => tools.map((own) => [`${server} ${own.name}`, own.inputSchema])),
    )
    const all = Object.fromEntries(
      listed.map(({ name, serverName, toolName, description }) => [
        name,
        tool({
          description,
          inputSchema: jsonSchema(schemas.get(`${serverName} ${toolName}`)),
          execute: (args) => call(name, args),
        }),
      ]),
    )
    const load = JSON.parse(session.selection.mcpLoad).function
    all.mcp_load = tool({
      description: load.description,
      inputSchema: jsonSchema(load.parameters),
      execute: (args) => session.load(args),
    })

    const seen = []
    const { steps } = await generateText({
      model: scriptedModel(seen),
      tools: all,
      stopWhen: stepCountIs(5),
      prompt: TASK,
      prepareStep: () => ({ activeTools: JSON.parse(session.tools()).map(({ function: { name } }) => name) }),
    })
    session.close()
    return { seen, results: steps.flatMap(({ toolResults }) => toolResults.map(({ output }) => output)) }
  } finally {
    await running.close()
  }
}

if (process.argv[1] && import.meta.filename === process.argv[1]) {
  const { seen, results } = await runAiSdk()
  seen.forEach((names, at) => {
    console.log(`step ${at + 1}: the model sees ${names.join(', ')}`)
  })
  for (const result of results) console.log(JSON.stringify(result).slice(0, 300))
}
