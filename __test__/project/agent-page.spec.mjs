import { existsSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

import { run } from '../helpers/child.mjs'
import { realServers } from '../helpers/gateway.mjs'
import { read, ROOT } from '../helpers/pages.mjs'
import { tempDir } from '../helpers/temp.mjs'
import { where } from '../helpers/skips.mjs'
import { bodyOf, listening } from '../helpers/listening.mjs'

const installed = existsSync(fileURLToPath(new URL('../../examples/servers/node_modules', import.meta.url)))
const check = where(installed, 'the servers are not installed; npm run setup')

const TASK = 'list the files of the folder'
const CREATE = 'mcp--memory--create_entities'
const ENTITIES = { entities: [{ name: 'Ada', entityType: 'person', observations: ['likes tea'] }] }
/** What the model calls, whatever it is sent. */
const CALLS = [
  ['mcp_load', { query: CREATE }],
  [CREATE, { entities: 'Ada' }],
  [CREATE, ENTITIES],
]

const program = (name) => new RegExp(`^\`\`\`js ${name}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(read('docs/agent.md'))[1]

/** A folder with a program of the page, its servers, and the packages that it imports. */
function project(t, name, more = {}) {
  const folder = tempDir(t)
  const { exports } = JSON.parse(read('package.json'))
  const imported = (source) =>
    source.replaceAll(/'@zoo-code\/tool-router(\/[\w-]+)?'/g, (_, entry = '') =>
      JSON.stringify(pathToFileURL(path.join(ROOT, exports[`.${entry}`].default)).href),
    )
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'), 'junction')
  // A task with few tools has them all: here it must load one.
  const servers = program('servers.mjs').replace(
    'ToolRouter.shared()\n',
    'ToolRouter.shared()\nrouter.configure({ threshold: 5, initialK: 2 })\n',
  )
  for (const [file, source] of Object.entries({ 'servers.mjs': servers, [name]: program(name), ...more }))
    writeFileSync(path.join(folder, file), imported(source))
  const mcpServers = realServers(folder, ['filesystem', 'memory', 'everything'])
  writeFileSync(path.join(folder, 'mcp.json'), JSON.stringify({ mcpServers }))
  const start = (env) =>
    run([name, TASK], { cwd: folder, env: { HOME: folder, XDG_CACHE_HOME: path.join(folder, 'cache'), ...env } })
  return { folder, start }
}

/** A server that answers each request by `answer(at)`, and keeps what it was sent. */
async function model(t, answer) {
  const requests = []
  const url = await listening(t, async (request, response) => {
    requests.push(JSON.parse(await bodyOf(request)))
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer(requests.length - 1)))
  })
  return { requests, url }
}

check('the program for OpenAI loads a tool, mends a call, and sends a list that stays', async (t) => {
  const { requests, url } = await model(t, (at) => {
    const [asked, given] = CALLS[at] ?? []
    const [name, args] = asked === CREATE ? ['mcp_call', { name: asked, arguments: given }] : [asked, given]
    const called = { id: `call_${at}`, type: 'function', function: { name, arguments: JSON.stringify(args) } }
    const message = name
      ? { role: 'assistant', content: null, tool_calls: [called] }
      : { role: 'assistant', content: 'Done.' }
    return {
      id: 'x',
      object: 'chat.completion',
      created: 0,
      model: 'x',
      choices: [{ index: 0, finish_reason: 'stop', message }],
    }
  })
  const { start } = project(t, 'openai.mjs')
  const { code, stdout, stderr } = await start({ OPENAI_API_KEY: 'none', OPENAI_BASE_URL: url })
  t.deepEqual({ code, stderr, stdout }, { code: 0, stderr: '', stdout: 'Done.\n' })
  for (const { tools } of requests) t.deepEqual(tools, requests[0].tools)
  t.deepEqual(
    requests[0].tools.map((tool) => tool.function.name),
    ['mcp_load', 'mcp_call'],
  )
  t.true(JSON.stringify(requests[1].messages).includes(CREATE))
  const results = requests.at(-1).messages.filter(({ role }) => role === 'tool')
  t.is(results.length, 3)
  t.regex(results[1].content, /entities/)
  t.regex(results[2].content, /likes tea/)
})

check('the program for Anthropic finds a tool without touching what stands in front', async (t) => {
  const { requests, url } = await model(t, (at) => {
    const [name, input] = CALLS[at] ?? []
    const content = name ? { type: 'tool_use', id: `call_${at}`, name, input } : { type: 'text', text: 'Done.' }
    return {
      id: 'x',
      type: 'message',
      role: 'assistant',
      model: 'x',
      content: [content],
      stop_reason: 'end_turn',
      usage: {},
    }
  })
  const { start } = project(t, 'anthropic.mjs')
  const { code, stdout, stderr } = await start({ ANTHROPIC_API_KEY: 'none', ANTHROPIC_BASE_URL: url })
  t.deepEqual({ code, stderr, stdout }, { code: 0, stderr: '', stdout: 'Done.\n' })
  const inFront = requests.map(({ tools }) => tools.filter((tool) => !tool.defer_loading))
  for (const at of [1, 2, 3]) t.deepEqual(inFront[at], inFront[0])
  t.true(requests[1].tools.some(({ name, defer_loading: deferred }) => name === CREATE && deferred))
  const blocks = requests.at(-1).messages.flatMap(({ content }) => content)
  const results = blocks.filter(({ type }) => type === 'tool_result')
  t.is(results.length, 3)
  t.regex(JSON.stringify(results[0].content), new RegExp(CREATE))
  t.regex(results[2].content, /likes tea/)
})

check('the program for the AI SDK has what the session has, step by step', async (t) => {
  const script = `
import { MockLanguageModelV4 } from 'ai/test'
const calls = ${JSON.stringify(CALLS)}
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
export const model = new MockLanguageModelV4({ doGenerate: async ({ tools }) => {
  console.log(tools.map(({ name }) => name).join())
  const next = calls.shift()
  const content = next
    ? { type: 'tool-call', toolCallId: 'call_' + calls.length, toolName: next[0], input: JSON.stringify(next[1]) }
    : { type: 'text', text: 'Done.' }
  return { content: [content], finishReason: { unified: next ? 'tool-calls' : 'stop' }, usage, warnings: [] }
} })`
  const { start } = project(t, 'ai-sdk.mjs', { 'model.mjs': script })
  const { code, stdout, stderr } = await start({})
  t.deepEqual({ code, stderr }, { code: 0, stderr: '' })
  const lines = stdout.trim().split('\n')
  t.deepEqual([lines.length, lines.at(-1)], [5, 'Done.'])
  t.false(lines[0].includes(CREATE))
  for (const at of [1, 2, 3]) t.true(lines[at].startsWith(lines[at - 1]), `step ${at}`)
})
