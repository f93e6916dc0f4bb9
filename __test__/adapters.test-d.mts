// What TypeScript says of the adapters: they fit their frameworks.
import { Agent, run } from '@openai/agents-core'
import { generateText, type LanguageModel } from 'ai'
import { createAgent } from 'langchain'

import { type Call, routedTools } from '../adapters/ai-sdk.mjs'
import { toolRouterMiddleware } from '../adapters/langchain.mjs'
import { routeAgent, runOptions } from '../adapters/openai-agents.mjs'
import { ToolRouter } from '../index.js'

declare const model: LanguageModel
const router = ToolRouter.shared()
const session = router.openSession()
const call: Call = async ({ serverName, toolName }, args) => `${serverName} ${toolName} ${args.path}`

await generateText({ model, prompt: 'x', ...routedTools(session, call) })
const refresh: () => void = routeAgent(new Agent({ name: 'x' }), session, call)
await run(new Agent({ name: 'x' }), 'x', runOptions(session))
createAgent({ model: 'x', middleware: [toolRouterMiddleware(session, call)] })

// @ts-expect-error an agent is no name
routeAgent('x', session, call)
// @ts-expect-error a call answers
routeAgent(new Agent({ name: 'x' }), session, () => 5)
refresh()
