// What a session says of a tool is what the model of each framework reads: each request that reaches the model is read by itself.

import { Agent, run, setTracingDisabled } from '@openai/agents-core'
import { generateText, isStepCount } from 'ai'
import test from 'ava'
import { AIMessage, createAgent, fakeModel } from 'langchain'

import { routedTools } from '../../adapters/ai-sdk.mjs'
import { toolRouterMiddleware } from '../../adapters/langchain.mjs'
import { routeAgent, runOptions } from '../../adapters/openai-agents.mjs'
import { agentsModel, aiSdkModel } from '../helpers/frameworks.mjs'
import { ModelView } from '../helpers/seen.mjs'
import { whateverHappens } from '../helpers/seen-task.mjs'

setTracingDisabled(true)
const call = async () => 'done'

/** A conversation over many messages of the user. Its history is what the host has, and not what the adapter adds. */
class FrameworkTask {
  history = []
  #requests = []

  constructor(session) {
    this.session = session
  }

  request() {
    return this.#run()
  }

  load(query) {
    return this.#run(['mcp_load', { query }])
  }

  /** The host has condensed its conversation. */
  forget() {
    this.history = [this.user('what was done so far')]
  }

  async #run(called) {
    this.history.push(this.user('go on'))
    this.#requests = []
    await this.run(called)
    const { tools, messages } = this.#requests.at(-1)
    this.view = new ModelView().read({ tools: JSON.stringify(tools), messages: JSON.stringify(messages) })
  }

  /** The model's turn: it makes the call, if there is one, and is done. */
  sent(tools, messages, called) {
    this.#requests.push({ tools: tools.map(({ name, description }) => ({ name, description })), messages })
    return this.#requests.length === 1 ? called : undefined
  }
}

class AiSdkTask extends FrameworkTask {
  user = (content) => ({ role: 'user', content })

  async run(called) {
    const model = aiSdkModel(({ tools = [], prompt }) => this.sent(tools, prompt, called))
    const given = routedTools(this.session, call)
    const { responseMessages } = await generateText({
      model,
      messages: this.history,
      stopWhen: isStepCount(3),
      ...given,
    })
    this.history.push(...responseMessages)
  }
}

class AgentsTask extends FrameworkTask {
  user = (content) => ({ type: 'message', role: 'user', content })
  #agent
  #refresh

  async run(called) {
    this.#agent ??= new Agent({ name: 'coder', instructions: '', tools: [] })
    this.#refresh ??= routeAgent(this.#agent, this.session, call)
    this.#agent.model = agentsModel(({ tools, input }) => this.sent(tools, input, called))
    this.#refresh()
    this.history = (await run(this.#agent, this.history, runOptions(this.session))).history
  }
}

class LangChainTask extends FrameworkTask {
  user = (content) => ({ role: 'user', content })

  async run(called) {
    const asked = called ? fakeModel().respondWithTools([{ name: called[0], args: called[1], id: 'c' }]) : fakeModel()
    const model = asked.respond(new AIMessage('Done.'))
    const lists = []
    const bindTools = model.bindTools.bind(model)
    model.bindTools = (tools, ...more) => {
      lists.push(tools)
      return bindTools(tools, ...more)
    }
    const agent = createAgent({ model, tools: [], middleware: [toolRouterMiddleware(this.session, call)] })
    const { messages } = await agent.invoke({ messages: this.history })
    for (const [at, { messages: read }] of model.calls.entries())
      this.sent(
        lists[at] ?? [],
        read.map(({ content }) => ({ content })),
      )
    this.history = messages
  }
}

for (const [framework, Task] of Object.entries({
  'AI SDK': AiSdkTask,
  'OpenAI Agents': AgentsTask,
  LangChain: LangChainTask,
}))
  test.serial(`${framework}: whatever happens, a model reads what it has, and nothing that it has not`, async (t) => {
    const steps = 'turn named remove back late empty fewer off mode load unload compact'.split(' ')
    await whateverHappens({ delivery: 'append' }, { Task, steps, numRuns: 6 })
    t.pass()
  })
