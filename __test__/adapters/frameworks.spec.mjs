// The adapters for agent frameworks, each with the framework's own loop and test model: what the model is sent, step by
// step, and what its calls get.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

import { Agent, run, setTracingDisabled } from '@openai/agents-core'
import { generateText, isStepCount } from 'ai'
import test from 'ava'
import { AIMessage, createAgent, fakeModel, tool } from 'langchain'

import { routedTools } from '../../adapters/ai-sdk.mjs'
import { toolRouterMiddleware } from '../../adapters/langchain.mjs'
import { routeAgent, runOptions } from '../../adapters/openai-agents.mjs'
import { answerCall } from '../../adapters/session-calls.mjs'
import { servers } from '../helpers/catalogue.mjs'
import { agentsModel, aiSdkModel } from '../helpers/frameworks.mjs'
import { router, shown } from '../helpers/router.mjs'
import { tempDir } from '../helpers/temp.mjs'

setTracingDisabled(true)
const TASK = 'list the issues of the repository'
const WANTED = 'mcp--weatherly--forecast'

test.beforeEach(async () => {
  router.configure({ threshold: 5, initialK: 3 })
  await router.setServers(servers(), { replace: true })
})

/** A session at its first turn, and a host that notes the calls that it makes. */
async function task() {
  const session = router.openSession()
  await session.start(TASK)
  const calls = []
  const call = async ({ serverName, toolName }, args) => {
    calls.push([serverName, toolName, args])
    return { content: [{ type: 'text', text: 'It will rain.' }] }
  }
  return { session, call, calls }
}

/** What every framework's model does: it loads a tool, calls it wrongly, calls it rightly, and is done. */
const SCRIPT = [
  ['mcp_load', { query: WANTED }],
  [WANTED, { days: 'soon' }],
  [WANTED, { city: 'Oslo', days: 2 }],
]

/** What must hold in every framework: `seen` has the names that the model was sent per step, `answers` what it got. */
function holds(t, { seen, answers, calls, own = [] }) {
  t.is(seen.length, 4)
  t.deepEqual(seen[0].slice(0, own.length + 1), [...own, 'mcp_load'])
  t.true(seen[0].length > own.length + 3 && !seen[0].includes(WANTED))
  t.true(seen[1].includes(WANTED))
  // Only added behind what was there: the provider's cache keeps its prefix.
  for (const at of [1, 2, 3]) t.deepEqual(seen[at].slice(0, seen[at - 1].length), seen[at - 1], `step ${at}`)
  t.regex(answers[0], /mcp--weatherly--forecast/)
  t.regex(answers[1], /days/)
  t.is(answers[2], 'It will rain.')
  t.deepEqual(calls, [['weatherly', 'forecast', { city: 'Oslo', days: 2 }]])
}

const ownTool = {
  name: 'own_tool',
  description: 'A tool of the agent',
  parameters: { type: 'object', properties: {}, required: [], additionalProperties: false },
  needsApproval: async () => false,
  isEnabled: async () => true,
}
const agentWith = (model) => {
  const own = { ...ownTool, type: 'function', strict: false, invoke: async () => 'x' }
  return new Agent({ name: 'coder', instructions: '', model, tools: [own] })
}

/** Each framework with its test model, which plays a script of calls: what it was sent per step, and what it got. */
const PLAYS = {
  async 'AI SDK'(script, { session, call }) {
    const seen = []
    const model = aiSdkModel(({ tools = [] }) => script[seen.push(tools.map(({ name }) => name)) - 1])
    const given = { model, stopWhen: isStepCount(5), prompt: TASK, ...routedTools(session, call) }
    const { steps } = await generateText(given)
    const isAnswer = ({ type }) => type === 'tool-error' || type === 'tool-result'
    const said = ({ error, output }) => error?.message ?? error ?? output
    return { seen, answers: steps.flatMap(({ content }) => content.filter(isAnswer).map(said)) }
  },

  async 'OpenAI Agents SDK'(script, { session, call }) {
    const [seen, answers] = [[], []]
    const model = agentsModel(({ tools, input }) => {
      const last = Array.isArray(input) ? input.at(-1) : undefined
      if (last?.type === 'function_call_result') answers.push(last.output.text ?? last.output)
      return script[seen.push(tools.map(({ name }) => name)) - 1]
    })
    const agent = agentWith(model)
    routeAgent(agent, session, call)
    await run(agent, TASK, runOptions(session))
    return { seen, answers, own: ['own_tool'] }
  },

  async LangChain(script, { session, call }) {
    const seen = []
    const model = script
      .reduce((built, [name, args], at) => built.respondWithTools([{ name, args, id: `call_${at}` }]), fakeModel())
      .respond(new AIMessage('Done.'))
    const bindTools = model.bindTools.bind(model)
    model.bindTools = (tools, ...more) => {
      seen.push(tools.map(({ name }) => name))
      return bindTools(tools, ...more)
    }
    const own = tool(() => 'x', { name: 'own_tool', description: 'A tool of the agent', schema: ownTool.parameters })
    const agent = createAgent({ model, tools: [own], middleware: [toolRouterMiddleware(session, call)] })
    const { messages } = await agent.invoke({ messages: [{ role: 'user', content: TASK }] })
    const answers = messages.filter((message) => message.getType() === 'tool').map(({ content }) => content)
    return { seen, answers, own: ['own_tool'] }
  },
}

/** A misspelt name, a name of another provider, and a tool that is not loaded. */
const WRONG = ['mcp--weatherly--forcast', 'weatherly.forecast_of_city', WANTED]

for (const [framework, play] of Object.entries(PLAYS)) {
  test.serial(`${framework}: each step has the tools of the session, in their order and behind its own`, async (t) => {
    const host = await task()
    holds(t, { ...(await play(SCRIPT, host)), calls: host.calls })
  })

  test.serial(`${framework}: a wrong name is answered with near names, and the run goes on`, async (t) => {
    const host = await task()
    const script = WRONG.map((name) => [name, { city: 'Oslo', days: 2 }])
    const { answers } = await play(script, host)
    t.is(answers.length, 3)
    for (const [at, answer] of answers.entries()) {
      t.regex(String(answer), /mcp--weatherly--forecast|mcp_load/, WRONG[at])
      t.true(String(answer).length < 800, `${String(answer).length} characters: not a list of all`)
    }
    t.deepEqual(host.calls, [])
  })
}

test.serial('OpenAI Agents SDK: a later turn of the session is in the tools of its agent', async (t) => {
  const { session, call } = await task()
  const agent = agentWith()
  const refresh = routeAgent(agent, session, call)
  await session.turn('delete the branch')
  refresh()
  t.deepEqual(
    agent.tools.slice(1).map(({ name }) => name),
    shown(session),
  )
})

test.serial('a call that fails is no use of its tool, whatever the framework', async (t) => {
  const { session } = await task()
  await session.load({ query: WANTED })
  const used = []
  session.recordUse = async ({ toolName }) => used.push(toolName)
  const call = (answer) => answerCall(session, async () => answer, WANTED, { city: 'Oslo', days: 2 })
  await call({ isError: true, content: [] })
  await t.throwsAsync(answerCall(session, () => Promise.reject(new Error('gone')), WANTED, { city: 'Oslo', days: 2 }))
  t.deepEqual(used, [])
  await call({ content: [] })
  t.deepEqual(used, ['forecast'])
})

for (const [adapter, name, version, exported, said] of [
  [
    'ai-sdk',
    'ai',
    '6.0.326',
    ['jsonSchema', 'tool', 'NoSuchToolError'],
    /version 7 .*'ai', got 6\.0\.326; npm install ai@7, on Node\.js 22/,
  ],
  ['langchain', 'langchain', '0.9.0', ['tool'], /version 1 .*'langchain', got 0\.9\.0; npm install langchain@1$/],
])
  test(`${adapter}: a framework that is too old is named with what to install`, async (t) => {
    const folder = tempDir(t)
    const put = (file, text) => {
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
      writeFileSync(path.join(folder, file), text)
    }
    for (const file of [`${adapter}.mjs`, 'session-calls.mjs', 'exact-json.mjs'])
      put(file, readFileSync(new URL(`../../adapters/${file}`, import.meta.url), 'utf8'))
    const exports = { '.': './index.js', './package.json': './package.json' }
    put(`node_modules/${name}/package.json`, JSON.stringify({ name, version, type: 'module', exports }))
    put(`node_modules/${name}/index.js`, `export const ${exported.map((one) => `${one} = 1`).join(', ')}`)
    const { message } = await t.throwsAsync(import(pathToFileURL(path.join(folder, `${adapter}.mjs`)).href))
    t.regex(message, said)
  })

test.serial('where all tools are attached, a framework gets them and no mcp_load', async (t) => {
  router.configure({ threshold: 1000 })
  const { session, call } = await task()
  const { tools, prepareStep } = routedTools(session, call)
  t.false('mcp_load' in tools)
  t.deepEqual(Object.keys(tools).toSorted(), prepareStep({ messages: [] }).activeTools.toSorted())
})
