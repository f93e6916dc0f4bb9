// An MCP server of both eras that has the tools, prompts and resources which the scenarios of the official conformance
// suite call by name. It listens on a loopback port that it prints.

import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import http from 'node:http'
import process from 'node:process'
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'

import {
  CLIENT_CAPABILITIES_META_KEY,
  createMcpHandler,
  hostHeaderValidationResponse,
  isLegacyRequest,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  LOG_LEVEL_META_KEY,
  McpServer,
  originValidationResponse,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
const SILENCE = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA='
const ANYTHING = { '~standard': { version: 1, vendor: 'conformance', validate: (value) => ({ value }) } }
/** Between two notifications of one call. */
const STEP_MS = 50

const string = (more = {}) => ({ type: 'string', ...more })
const object = (properties = {}, required = []) => ({ type: 'object', properties, required })
const text = (value) => ({ content: [{ type: 'text', text: value }] })
const image = { type: 'image', data: PIXEL, mimeType: 'image/png' }
const fail = (code, message, data) => Object.assign(new Error(message), { code, data })

// --- questions to the client -----------------------------------------------------------------------

const elicit = (message, properties, required = Object.keys(properties)) => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema: object(properties, required) },
})
const sample = (prompt, maxTokens = 100) => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: prompt } }], maxTokens },
})
const roots = { method: 'roots/list', params: {} }
const asks = (inputRequests, requestState) => ({
  resultType: 'input_required',
  inputRequests,
  ...(requestState && { requestState }),
})
const responses = (ctx) => ctx.mcpReq.inputResponses ?? {}
const name = elicit('What is your name?', { name: string() })

/** The client's answer in the midst of a call of the older era. */
async function live(ctx, { method, params }) {
  const { mode, ...older } = params
  return ctx.mcpReq.send({ method, params: older }, ANYTHING)
}

/** States that nobody else can write. */
const KEY = randomBytes(32)
const sign = (value) => `${value}.${createHmac('sha256', KEY).update(value).digest('base64url')}`
function verified(state) {
  const value = String(state).slice(0, Math.max(0, String(state).lastIndexOf('.')))
  const [given, wanted] = [Buffer.from(String(state)), Buffer.from(sign(value))]
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted))
    throw fail(-32602, 'the state was tampered with')
  return value
}

function confirmed({ ctx }) {
  const state = ctx.mcpReq.requestState()
  if (state === undefined) return asks({ confirm: elicit('Please confirm', { ok: { type: 'boolean' } }) }, sign('ok'))
  return text(`state-${verified(state)}`)
}

// --- what there is ---------------------------------------------------------------------------------

const lists = { tools: 0, prompts: 0 }
/** Those who tell clients that a list has changed. */
const listeners = new Set()
const change = (kind) => {
  lists[kind] += 1
  for (const listener of listeners) listener(kind)
  return text('Changed.')
}

async function log(ctx, message) {
  const level = ctx.mcpReq.envelope?.[LOG_LEVEL_META_KEY]
  if (ctx.mcpReq.envelope && level === undefined) return
  await ctx.mcpReq.notify({ method: 'notifications/message', params: { level: 'info', data: message } })
}

async function logThrice({ ctx }) {
  for (const message of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
    await log(ctx, message)
    await pause(STEP_MS)
  }
  return text('All was logged.')
}

const defaults = {
  name: string({ default: 'John Doe' }),
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: string({ enum: ['active', 'inactive', 'pending'], default: 'active' }),
  verified: { type: 'boolean', default: true },
}
const titled = (title) => [1, 2, 3].map((at) => ({ const: `value${at}`, title: `${title} ${at}` }))
const plain = ['option1', 'option2', 'option3']
const enums = {
  untitledSingle: string({ enum: plain }),
  titledSingle: string({ oneOf: titled('Option') }),
  legacyEnum: string({ enum: ['opt1', 'opt2', 'opt3'], enumNames: ['Option One', 'Option Two', 'Option Three'] }),
  untitledMulti: { type: 'array', items: string({ enum: plain }) },
  titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
}
const completed = ({ action, content }) =>
  text(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`)

const DIALECT = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: { address: { $anchor: 'addressDef', type: 'object', properties: { street: string(), city: string() } } },
  properties: {
    name: string(),
    address: { $ref: '#/$defs/address' },
    contactMethod: string({ enum: ['phone', 'email'] }),
    phone: string(),
    email: string(),
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
}

/** By name: description, input schema, what it does; of one era alone where it says so. */
const TOOLS = {
  test_simple_text: ['Answers a text.', object(), () => text('This is a simple text response for testing.')],
  test_image_content: ['Answers a picture.', object(), () => ({ content: [image] })],
  test_audio_content: [
    'Answers a sound.',
    object(),
    () => ({ content: [{ type: 'audio', data: SILENCE, mimeType: 'audio/wav' }] }),
  ],
  test_embedded_resource: [
    'Answers a resource.',
    object(),
    () => ({
      content: [
        {
          type: 'resource',
          resource: {
            uri: 'test://embedded-resource',
            mimeType: 'text/plain',
            text: 'This is an embedded resource content.',
          },
        },
      ],
    }),
  ],
  test_multiple_content_types: [
    'Answers a text, a picture and a resource.',
    object(),
    () => ({
      content: [
        { type: 'text', text: 'Multiple content types test:' },
        image,
        {
          type: 'resource',
          resource: {
            uri: 'test://mixed-content-resource',
            mimeType: 'application/json',
            text: JSON.stringify({ test: 'data', value: 123 }),
          },
        },
      ],
    }),
  ],
  test_tool_with_logging: ['Logs three times.', object(), logThrice],
  test_logging_tool: ['Logs three times.', object(), logThrice],
  test_error_handling: [
    'Always fails.',
    object(),
    () => ({ ...text('This tool intentionally returns an error for testing'), isError: true }),
  ],
  test_tool_with_progress: [
    'Reports progress.',
    object(),
    async ({ ctx }) => {
      const progressToken = ctx.mcpReq._meta?.progressToken
      for (const progress of [0, 50, 100]) {
        const params = { progressToken, progress, total: 100 }
        if (progressToken !== undefined) await ctx.mcpReq.notify({ method: 'notifications/progress', params })
        await pause(STEP_MS)
      }
      return text('Done.')
    },
  ],
  test_sampling: [
    'Asks the model of the client.',
    object({ prompt: string() }, ['prompt']),
    async ({ args, ctx }) => text(`LLM response: ${(await live(ctx, sample(args.prompt))).content.text}`),
    'legacy',
  ],
  test_elicitation: [
    'Asks the user of the client.',
    object({ message: string() }, ['message']),
    async ({ args, ctx }) => {
      const question = elicit(args.message, {
        username: string({ description: "User's response" }),
        email: string({ description: "User's email address" }),
      })
      const { action, content } = await live(ctx, question)
      return text(`User response: ${JSON.stringify({ action, content })}`)
    },
    'legacy',
  ],
  test_elicitation_sep1034_defaults: [
    'Asks with defaults.',
    object(),
    async ({ ctx }) => completed(await live(ctx, elicit('Please check the defaults.', defaults, []))),
    'legacy',
  ],
  test_elicitation_sep1330_enums: [
    'Asks with enumerations.',
    object(),
    async ({ ctx }) => completed(await live(ctx, elicit('Please choose.', enums, []))),
    'legacy',
  ],
  test_reconnection: [
    'Closes its stream before it answers.',
    object(),
    async ({ ctx }) => {
      ctx.http?.closeSSE?.()
      await pause(STEP_MS * 2)
      return text('Answered after the stream was closed.')
    },
    'legacy',
  ],
  json_schema_2020_12_tool: ['Tool with JSON Schema 2020-12 features', DIALECT, () => text('Accepted.')],
  test_custom_header: [
    'Has a parameter that stands in a header.',
    object({ region: string({ 'x-mcp-header': 'Region' }) }),
    ({ args }) => text(`Region ${args.region}`),
  ],
  test_missing_capability: [
    'Needs a client with a model.',
    object(),
    ({ ctx }) => {
      if (ctx.mcpReq.envelope?.[CLIENT_CAPABILITIES_META_KEY]?.sampling) return text('It has one.')
      throw fail(-32021, 'sampling is needed', { requiredCapabilities: { sampling: {} } })
    },
  ],
  test_streaming_elicitation: [
    'Asks, and reports progress before.',
    object(),
    ({ ctx }) => (responses(ctx).user_name ? text('Thank you.') : asks({ user_name: name })),
    'modern',
  ],
  test_trigger_tool_change: ['Changes the list of tools.', object(), () => change('tools')],
  test_trigger_prompt_change: ['Changes the list of prompts.', object(), () => change('prompts')],
  test_input_required_result_elicitation: [
    'Asks for a name.',
    object(),
    ({ ctx }) => {
      const said = responses(ctx).user_name?.content?.name
      return typeof said === 'string' ? text(`Hello, ${said}!`) : asks({ user_name: name })
    },
    'modern',
  ],
  test_input_required_result_sampling: [
    'Asks the model.',
    object(),
    ({ ctx }) => {
      const said = responses(ctx).capital_question?.content?.text
      return said ? text(said) : asks({ capital_question: sample('What is the capital of France?') })
    },
    'modern',
  ],
  test_input_required_result_list_roots: [
    'Asks for folders.',
    object(),
    ({ ctx }) => {
      const said = responses(ctx).client_roots?.roots
      return said ? text(said.map(({ uri }) => uri).join(', ')) : asks({ client_roots: roots })
    },
    'modern',
  ],
  test_input_required_result_request_state: ['Asks and keeps a state.', object(), confirmed, 'modern'],
  test_input_required_result_tampered_state: [
    'Keeps a state that nobody else can write.',
    object(),
    confirmed,
    'modern',
  ],
  test_input_required_result_multiple_inputs: [
    'Asks for three things together.',
    object(),
    ({ ctx }) => {
      const said = responses(ctx)
      if (said.user_name && said.greeting && said.client_roots)
        return text(`${verified(ctx.mcpReq.requestState())}: all there`)
      return asks({ user_name: name, greeting: sample('Generate a greeting', 50), client_roots: roots }, sign('three'))
    },
    'modern',
  ],
  test_input_required_result_multi_round: [
    'Asks twice.',
    object(),
    ({ ctx }) => {
      const { step1, step2 } = responses(ctx)
      const state = ctx.mcpReq.requestState()
      if (step2) return text(`${verified(state)} likes ${step2.content.color}`)
      if (!step1) return asks({ step1: elicit('Step 1: What is your name?', { name: string() }) }, sign('1'))
      verified(state)
      return asks(
        { step2: elicit('Step 2: What is your favorite color?', { color: string() }) },
        sign(`2 ${step1.content.name}`),
      )
    },
    'modern',
  ],
  test_input_required_result_capabilities: [
    'Asks for what the client can do.',
    object(),
    ({ ctx }) => {
      if (Object.keys(responses(ctx)).length > 0) return text('Thank you.')
      const { elicitation, sampling, roots: folders } = ctx.mcpReq.envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? {}
      return asks({
        ...(elicitation && { user_name: name }),
        ...(sampling && { greeting: sample('Generate a greeting', 50) }),
        ...(folders && { client_roots: roots }),
      })
    },
    'modern',
  ],
}

const user = (content) => ({ role: 'user', content })
const words = (value) => user({ type: 'text', text: value })
const argument = (argumentName) => ({ name: argumentName, description: `The ${argumentName}.`, required: true })

/** By name: arguments, messages. */
const PROMPTS = {
  test_simple_prompt: [[], () => [words('This is a simple prompt for testing.')]],
  test_prompt_with_arguments: [
    [argument('arg1'), argument('arg2')],
    ({ arg1, arg2 }) => [words(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  ],
  test_prompt_with_embedded_resource: [
    [argument('resourceUri')],
    ({ resourceUri: uri }) => [
      user({
        type: 'resource',
        resource: { uri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
      }),
      words('Please process the embedded resource above.'),
    ],
  ],
  test_prompt_with_image: [[], () => [user(image), words('Please analyze the image above.')]],
  test_input_required_result_prompt: [
    [],
    (_, ctx) => {
      const said = responses(ctx).user_context?.content?.context
      const question = elicit('What context should the prompt use?', { context: string() })
      return said ? [words(`Context: ${said}`)] : asks({ user_context: question })
    },
  ],
}

const RESOURCES = {
  'test://static-text': { mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
  'test://static-binary': { mimeType: 'image/png', blob: PIXEL },
  'test://watched-resource': { mimeType: 'text/plain', text: 'This is watched.' },
}

function read(uri) {
  const known = Object.hasOwn(RESOURCES, uri) ? RESOURCES[uri] : undefined
  if (known) return { contents: [{ uri, ...known }] }
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1]
  if (id === undefined) throw fail(-32602, 'Resource not found', { uri })
  const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` })
  return { contents: [{ uri, mimeType: 'application/json', text: data }] }
}

// --- the server ------------------------------------------------------------------------------------

const listed = (era) => Object.entries(TOOLS).filter(([, [, , , only = era]]) => only === era)

async function answer({ method, params = {} }, ctx, era) {
  switch (method) {
    case 'tools/list': {
      const tools = listed(era).map(([toolName, [description, inputSchema]]) => ({
        name: toolName,
        description,
        inputSchema,
      }))
      const later = { name: `added_${lists.tools}`, description: 'Came with the last change.', inputSchema: object() }
      return { tools: lists.tools === 0 ? tools : [...tools, later] }
    }
    case 'tools/call': {
      const [, tool] = listed(era).find(([toolName]) => toolName === params.name) ?? []
      if (!tool) throw fail(-32602, `Unknown tool: ${params.name}`)
      return tool[2]({ args: params.arguments ?? {}, ctx })
    }
    case 'resources/list':
      return {
        resources: Object.entries(RESOURCES).map(([uri, { mimeType }]) => ({
          uri,
          name: uri.slice('test://'.length),
          description: 'For testing.',
          mimeType,
        })),
      }
    case 'resources/templates/list':
      return {
        resourceTemplates: [
          {
            uriTemplate: 'test://template/{id}/data',
            name: 'template',
            description: 'For testing.',
            mimeType: 'application/json',
          },
        ],
      }
    case 'resources/read':
      return read(params.uri)
    case 'resources/subscribe':
    case 'resources/unsubscribe':
    case 'logging/setLevel':
      return {}
    case 'prompts/list': {
      const prompts = Object.entries(PROMPTS).map(([promptName, [args]]) => ({
        name: promptName,
        description: 'For testing.',
        arguments: args,
      }))
      const later = { name: `added_${lists.prompts}`, description: 'Came with the last change.' }
      return { prompts: lists.prompts === 0 ? prompts : [...prompts, later] }
    }
    case 'prompts/get': {
      const prompt = Object.hasOwn(PROMPTS, params.name) ? PROMPTS[params.name] : undefined
      if (!prompt) throw fail(-32602, `Unknown prompt: ${params.name}`)
      const made = prompt[1](params.arguments ?? {}, ctx)
      return Array.isArray(made) ? { messages: made } : made
    }
    case 'completion/complete':
      return {
        completion: { values: ['paris', 'park', 'party'].filter((each) => each.startsWith(params.argument.value)) },
      }
    default:
      throw fail(-32601, 'Method not found')
  }
}

const METHODS = (
  'tools/list tools/call resources/list resources/templates/list resources/read prompts/list prompts/get ' +
  'completion/complete'
).split(' ')

class ConformanceServer extends McpServer {
  toolInputSchemaJson(toolName) {
    return Object.hasOwn(TOOLS, toolName) ? TOOLS[toolName][1] : undefined
  }
}

function makeServer(era, method) {
  const made = new ConformanceServer(
    { name: 'conformance', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        prompts: { listChanged: true },
        completions: {},
        logging: {},
      },
    },
  )
  for (const each of [...METHODS, 'logging/setLevel']) made.server.removeRequestHandler(each)
  if (era === 'legacy' || METHODS.includes(method))
    made.server.fallbackRequestHandler = (request, ctx) => answer(request, ctx, era)
  return made
}

const modern = createMcpHandler(({ requestInfo }) => makeServer('modern', requestInfo.headers.get('mcp-method')), {
  legacy: 'reject',
})
listeners.add((kind) => (kind === 'tools' ? modern.notify.toolsChanged() : modern.notify.promptsChanged()))

/** Events of streams that a client may come back to. */
class Events {
  #events = []

  async storeEvent(streamId, message) {
    this.#events.push({ streamId, message })
    return String(this.#events.length)
  }

  async replayEventsAfter(lastEventId, { send }) {
    const from = Number(lastEventId)
    const { streamId } = this.#events[from - 1] ?? {}
    for (const [at, event] of this.#events.entries())
      if (at >= from && event.streamId === streamId && event.message.jsonrpc) await send(String(at + 1), event.message)
    return streamId
  }

  async getStreamIdForEventId(eventId) {
    return this.#events[Number(eventId) - 1]?.streamId
  }
}

const sessions = new Map()

async function serveLegacy(request, parsedBody) {
  const id = request.headers.get('mcp-session-id')
  if (id !== null)
    return sessions.get(id)?.handleRequest(request, { parsedBody }) ?? new Response(null, { status: 404 })
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void sessions.set(id, transport),
    onsessionclosed: (id) => void sessions.delete(id),
    eventStore: new Events(),
    retryInterval: 500,
  })
  const made = makeServer('legacy')
  await made.connect(transport)
  const tell = (kind) =>
    void made.server.notification({ method: `notifications/${kind}/list_changed` }).catch(() => listeners.delete(tell))
  listeners.add(tell)
  return transport.handleRequest(request, { parsedBody })
}

async function serve(request, parsedBody) {
  const refused =
    hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
    originValidationResponse(request, localhostAllowedOrigins())
  if (refused) return refused
  const isLegacy = await isLegacyRequest(request, parsedBody)
  return isLegacy ? serveLegacy(request, parsedBody) : modern.fetch(request, { parsedBody })
}

const listener = http.createServer(async (request, response) => {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const headers = new Headers(Object.entries(request.headers).filter(([, value]) => typeof value === 'string'))
  const asked = new Request('http://localhost/mcp', { method: request.method, headers, signal: gone.signal })
  let body
  try {
    body = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString('utf8')) : undefined
  } catch {
    return response.writeHead(400).end()
  }
  const made = await serve(asked, body)
  response.writeHead(made.status, Object.fromEntries(made.headers))
  response.flushHeaders()
  if (made.body === null) return response.end()
  return Readable.fromWeb(made.body)
    .on('error', () => {})
    .pipe(response)
})
listener.listen(0, '127.0.0.1', () => process.stdout.write(`${listener.address().port}\n`))
