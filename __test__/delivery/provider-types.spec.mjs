// What is rendered has the types of each provider's own package: rendered once, written as literals into a file that the
// compiler checks, with misuse that must not compile.
import { symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import test from 'ava'

import { servers } from '../helpers/catalogue.mjs'
import { run } from '../helpers/child.mjs'
import { PAIRS, router } from '../helpers/delivered.mjs'
import { ROOT } from '../helpers/pages.mjs'
import { tempDir } from '../helpers/temp.mjs'

const IMPORTS = `
import type Anthropic from '@anthropic-ai/sdk'
import type OpenAI from 'openai'
import type { Content, FunctionDeclaration, Part, Tool as GeminiTool } from '@google/genai'
import type { ContentBlock, Message, Tool as BedrockTool } from '@aws-sdk/client-bedrock-runtime'
import type { LanguageModelChatTool } from 'vscode'
import type { ProviderTools } from ${JSON.stringify(join(ROOT, 'index.js'))}
`

/** The types of a request's tools, of its messages, and of the answer to a load. */
const TYPES = {
  'openai-chat': {
    tools: 'OpenAI.Chat.Completions.ChatCompletionFunctionTool[]',
    messages: 'OpenAI.Chat.Completions.ChatCompletionMessageParam[]',
    answer: 'OpenAI.Chat.Completions.ChatCompletionMessageParam[]',
  },
  'openai-responses': {
    tools: 'OpenAI.Responses.Tool[]',
    messages: 'OpenAI.Responses.ResponseInputItem[]',
    answer: 'OpenAI.Responses.ResponseInputItem[]',
  },
  anthropic: {
    tools: 'Anthropic.ToolUnion[]',
    messages: 'Anthropic.Beta.BetaMessageParam[]',
    answer: '(Anthropic.ToolResultBlockParam | Anthropic.TextBlockParam)[]',
  },
  gemini: { tools: 'GeminiTool[]', messages: 'Content[]', answer: 'Part[]' },
  bedrock: { tools: 'BedrockTool[]', messages: 'Message[]', answer: 'ContentBlock[]' },
  // Messages and results are classes there: the host makes them of these values.
  vscode: {
    tools: 'LanguageModelChatTool[]',
    messages: '{ role: 1; content: { value: string }[] }[]',
    answer: '{ callId: string; content: { value: string }[] }[]',
  },
}

/** Every part of a session that attaches, loads, loses and regains tools, for all pairs. */
async function rendered() {
  router.configure({ threshold: 5, hostModes: { ask: { blockedMcpServers: ['codehub'] } } })
  await router.setServers(
    [
      ...servers(),
      // Odd schemas are real: without a type, with a list of types, without anything.
      {
        name: 'odd',
        tools: [
          {
            name: 'issue_untyped',
            description: 'List open issues',
            inputSchema: '{"properties":{"a":{"type":"string"}}}',
          },
          { name: 'issue_nullable', description: 'List open issues', inputSchema: '{"type":["object","null"]}' },
          { name: 'issue_bare' },
        ],
      },
    ],
    { replace: true },
  )
  const session = router.openSession({ settings: { initialK: 6 } })
  await session.start('List the open issues of the repository: issue_untyped, issue_nullable, issue_bare')
  const parts = []
  const note = () => {
    for (const [provider, types] of Object.entries(TYPES)) {
      for (const delivery of PAIRS[provider]) {
        const { tools, messages } = session.render({ provider, delivery })
        parts.push(
          { type: types.tools, text: tools },
          { type: `ProviderTools['${provider}']`, text: tools },
          { type: types.messages, text: messages },
        )
      }
    }
  }
  note()
  await session.turn('post a message to the team channel')
  note()
  const result = await session.load({ query: 'Chat Room' })
  for (const [provider, types] of Object.entries(TYPES)) {
    for (const delivery of PAIRS[provider])
      parts.push({ type: types.answer, text: session.answerLoad(result, { provider, delivery, callId: 'call_1' }) })
  }
  note()
  await session.sync({ hostMode: 'ask' })
  await session.sync()
  note()
  return parts
}

/** Shapes that a provider refuses must not compile: otherwise the check would check nothing. */
const MISUSE = `
// @ts-expect-error a Messages tool has an input_schema
export const a: Anthropic.Tool = { name: 'x', description: 'y' }
// @ts-expect-error the schema of Messages is an object
export const b: Anthropic.Tool = { name: 'x', input_schema: { type: 'string' } }
// @ts-expect-error a reference has a tool_name
export const c: Anthropic.ToolResultBlockParam = { type: 'tool_result', tool_use_id: 'x', content: [{ type: 'tool_reference', name: 'x' }] }
// @ts-expect-error a change refers to a tool by its name
export const d: Anthropic.Beta.BetaMessageParam = { role: 'system', content: [{ type: 'tool_addition', tool: { type: 'tool_reference', tool_name: 'x' } }] }
// @ts-expect-error a namespace has a description
export const e: OpenAI.Responses.ResponseInputItem = { type: 'tool_search_output', call_id: 'x', execution: 'client', status: 'completed', tools: [{ type: 'namespace', name: 'x', tools: [] }] }
// @ts-expect-error a Converse tool stands under toolSpec
export const f: BedrockTool = { name: 'x', inputSchema: { json: {} } }
// @ts-expect-error a caller has the date of its tool
export const k: Anthropic.Tool = { name: 'x', input_schema: { type: 'object' }, allowed_callers: ['code_execution'] }
// @ts-expect-error the callers of Responses are not those of Messages
export const l: OpenAI.Responses.Tool = { type: 'function', name: 'x', parameters: {}, strict: false, allowed_callers: ['code_execution_20260120'] }
// @ts-expect-error Gemini takes no array of declarations
export const g: GeminiTool[] = [{ functionDeclarations: { name: 'x' } }]
export const h: FunctionDeclaration = { name: 'x', parametersJsonSchema: {} }
// @ts-expect-error a type of ours is as strict as the provider's
export const i: ProviderTools['anthropic'] = [{ name: 'x', description: 'y', input_schema: { type: 'string' } }]
// @ts-expect-error and has the names of its provider
export const j: ProviderTools['gemini'] = [{ functionDeclarations: [{ name: 'x', description: 'y', parameters: {} }] }]
`

/** What we say that a request holds can be given to the provider's own package. */
const TAKEN = Object.entries(TYPES).map(
  ([provider, { tools }], at) => `export const taken${at} = (own: ProviderTools['${provider}']): ${tools} => own`,
)

test.serial('every shape has the types of the provider’s own package', async (t) => {
  const parts = await rendered()
  const seen = new Set()
  const lines = parts
    .filter(({ type, text }) => text !== '[]' && !seen.has(`${type} ${text}`) && seen.add(`${type} ${text}`))
    .map(({ type, text }, at) => `export const part${at}: ${type} = ${text}`)
  t.true(lines.length > 40)
  for (const { tools, messages, answer } of Object.values(TYPES))
    for (const type of [tools, messages, answer])
      t.true(
        lines.some((line) => line.includes(`: ${type} = `)),
        `nothing was rendered for ${type}`,
      )
  const folder = tempDir(t)
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction')
  writeFileSync(join(folder, 'shapes.mts'), `${IMPORTS}\n${[...lines, ...TAKEN].join('\n')}\n${MISUSE}`)
  const options = {
    strict: true,
    noEmit: true,
    target: 'es2022',
    module: 'nodenext',
    moduleResolution: 'nodenext',
    // The packages' own declarations are theirs to check.
    skipLibCheck: true,
    types: ['node', 'vscode'],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['shapes.mts'] }))
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
  const { code, stdout } = await run([tsc, '--project', folder], { cwd: ROOT })
  t.deepEqual({ code, stdout: stdout.slice(0, 3000) }, { code: 0, stdout: '' })
})
