// SPDX-License-Identifier: Apache-2.0
//
// The router behind the AI SDK's own loop, in two ways. All tools are known to the SDK, and
//
// - `prepareStep` says before each step which of them the model sees: those of the session;
// - or the SDK's own `toolSearch` finds them: the session's first selection is there, the others are deferred, and the
//   session answers the model's searches.
//
// Both change the list of tools: the SDK has no way to put a definition behind the conversation, but for its code mode.
// The model is the SDK's test model with a script; the servers are real.
//
//   node examples/agent/ai-sdk.mjs

import process from 'node:process'
import { createRequire } from 'node:module'

import { generateText, jsonSchema, stepCountIs, tool, toolSearch } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'

import { readDefinitions, RunningServers } from '../demo/servers.mjs'

const { ToolRouter } = createRequire(import.meta.url)('../../index.js')

const TASK = 'Remember in the knowledge graph that Ada is a person who likes tea'
const ENTITIES = [{ name: 'Ada', entityType: 'person', observations: ['likes tea'] }]
const CREATE = 'mcp--memory--create_entities'
/** Tools that one search of the SDK's gives: as many as `mcp_load` does. */
const FOUND = 10

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

/** Starts the servers and a session; `work` gets the session, and all tools as the SDK wants them. */
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
    const result = await work(session, toolsOf(session, servers, await router.listTools()))
    session.close()
    return result
  } finally {
    await running.close()
  }
}

/** Every tool in scope by the name that the model calls it by. A call is checked by the session and made by the server. */
function toolsOf(session, servers, listed) {
  const call = async (name, args) => {
    const { tool: found, arguments: sent, problem } = await session.checkCall({ name, arguments: args })
    if (problem) return problem.message
    const { client } = servers.get(found.serverName)
    const { content } = await client.callTool({ name: found.toolName, arguments: JSON.parse(sent) })
    return content.map(({ text = '' }) => text).join('\n')
  }
  const schemas = new Map(
    [...servers].flatMap(([server, { tools }]) => tools.map((own) => [`${server} ${own.name}`, own.inputSchema])),
  )
  const entry = ({ name, serverName, toolName, description }) => [
    name,
    {
      description,
      inputSchema: jsonSchema(schemas.get(`${serverName} ${toolName}`)),
      execute: (args) => call(name, args),
    },
  ]
  return Object.fromEntries(listed.map(entry))
}

async function generate(script, options) {
  const seen = []
  const { steps } = await generateText({
    model: scriptedModel(script, seen),
    stopWhen: stepCountIs(5),
    prompt: TASK,
    ...options,
  })
  return { seen, results: steps.flatMap(({ toolResults }) => toolResults.map(({ output }) => output)) }
}

/** With `prepareStep`; gives the tools that the model saw in each step, and the results of its calls. */
export async function runAiSdk() {
  return withSession((session, all) => {
    const load = JSON.parse(session.selection.mcpLoad).function
    const tools = Object.fromEntries(Object.entries(all).map(([name, own]) => [name, tool(own)]))
    tools.mcp_load = tool({
      description: load.description,
      inputSchema: jsonSchema(load.parameters),
      execute: (args) => session.load(args),
    })
    return generate(
      [
        ['mcp_load', { query: CREATE }],
        [CREATE, { entities: ENTITIES }],
      ],
      {
        tools,
        prepareStep: () => ({ activeTools: JSON.parse(session.tools()).map(({ function: { name } }) => name) }),
      },
    )
  })
}

/** With `toolSearch`; gives the same. */
export async function runToolSearch() {
  return withSession((session, all) => {
    const first = new Set(session.selection.attached)
    const tools = Object.fromEntries(
      Object.entries(all).map(([name, own]) => [name, tool({ ...own, deferLoading: !first.has(name) })]),
    )
    tools.search = toolSearch({
      maxResults: FOUND,
      search: async ({ query }) => {
        const { loaded, alreadyAttached } = await session.load({ query })
        return [...loaded.map(({ name }) => name), ...alreadyAttached]
      },
    })
    return generate(
      [
        ['search', { query: 'create entities in the knowledge graph' }],
        [CREATE, { entities: ENTITIES }],
      ],
      { tools },
    )
  })
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
