// Clients and servers of both eras of the protocol, over the official SDK of each.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import { Client, InMemoryTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldHttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { InMemoryTransport as OldInMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import * as types from '@modelcontextprotocol/sdk/types.js'

import { allAsked, CLI, configFile, folder, LONG_MS, ODD, patient } from './gateway.mjs'

const file = (name) => fileURLToPath(new URL(name, import.meta.url))
const MODERN = file('../fixtures/modern-server.mjs')
const ASKING = file('../fixtures/asking-server.mjs')
const WIDGETS = file('../fixtures/widget-server.mjs')
const PROGRAMS = { modern: MODERN, asking: ASKING, odd: ODD, echo: file('../fixtures/echo-numbers.mjs') }

/** Servers of the configuration. */
export const modern = (more = {}, ...args) => ({ command: process.execPath, args: [MODERN, ...args], ...more })
export const asking = (more = {}, ...args) => ({ command: process.execPath, args: [ASKING, ...args], ...more })
export const widgets = (more = {}, ...args) => ({ command: process.execPath, args: [WIDGETS, ...args], ...more })

/** One of them over HTTP, started. @returns {Promise<{ url: string }>} as the configuration has it */
export function startedOverHttp(t, fixture, ...args) {
  const program = PROGRAMS[fixture]
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [program, '--http', '0', ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
    t.teardown(() => child.kill('SIGKILL'))
    child.stdout.once('data', (chunk) => resolve({ url: `http://127.0.0.1:${Number(chunk)}/mcp` }))
  })
}

/** What the user of a test client answers, by what is asked. `asked` collects the questions. */
export function answering({ elicit = 'blue', sample = 'Hello!', roots = ['file:///project'], asked = [] } = {}) {
  return {
    asked,
    'elicitation/create': (params) => {
      asked.push(['elicitation/create', params])
      const value = typeof elicit === 'function' ? elicit(params) : elicit
      return params.mode === 'url' ? { action: 'accept' } : { action: 'accept', content: { value } }
    },
    'sampling/createMessage': (params) => {
      asked.push(['sampling/createMessage', params])
      return { role: 'assistant', model: 'a-model', content: { type: 'text', text: sample } }
    },
    'roots/list': (params) => {
      asked.push(['roots/list', params])
      return { roots: roots.map((uri) => ({ uri })) }
    },
  }
}

export const EVERYTHING = { elicitation: { form: {}, url: {} }, sampling: {}, roots: { listChanged: true } }
const CAPABILITY = { 'elicitation/create': 'elicitation', 'sampling/createMessage': 'sampling', 'roots/list': 'roots' }

function withWords(client) {
  patient(client)
  client.names = async () => (await client.listTools()).tools.map(({ name }) => name)
  client.use = (name, args = {}, options) => client.callTool({ name, arguments: args }, options)
  client.said = async (name, args, options) => (await client.use(name, args, options)).content[0].text
  client.ask = async (name, args) => {
    const answer = await client.use(name, args)
    return answer.isError ? { error: answer.content[0].text } : JSON.parse(answer.content[0].text)
  }
  return client
}

/** A client of the current era. `heard` collects notifications. */
export async function modernClient(t, transport, { capabilities = {}, answers = answering(), mode } = {}) {
  const client = new Client(
    { name: 'test', version: '0.0.0' },
    { capabilities, versionNegotiation: { mode: mode ?? { pin: '2026-07-28' } } },
  )
  client.onerror = () => {}
  client.heard = []
  client.fallbackNotificationHandler = async (notification) => void client.heard.push(notification)
  for (const [method, capability] of Object.entries(CAPABILITY))
    if (capabilities[capability]) client.setRequestHandler(method, ({ params }) => answers[method](params))
  await client.connect(transport, { timeout: LONG_MS })
  t.teardown(() => client.close())
  return withWords(client)
}

/** A client of the older era, over its own SDK. */
export async function legacyClient(t, transport, { capabilities = {}, answers = answering() } = {}) {
  const client = new OldClient({ name: 'test', version: '0.0.0' }, { capabilities })
  client.onerror = () => {}
  client.heard = []
  client.fallbackNotificationHandler = async (notification) => void client.heard.push(notification)
  const schemas = {
    'elicitation/create': types.ElicitRequestSchema,
    'sampling/createMessage': types.CreateMessageRequestSchema,
    'roots/list': types.ListRootsRequestSchema,
  }
  for (const [method, capability] of Object.entries(CAPABILITY))
    if (capabilities[capability]) client.setRequestHandler(schemas[method], ({ params }) => answers[method](params))
  await client.connect(transport, { timeout: LONG_MS })
  t.teardown(() => client.close())
  const { callTool } = client
  // As in the SDK of the current era.
  client.callTool = (params, options) => callTool.call(client, params, undefined, options)
  return withWords(client)
}

/** In this process. */
export async function inProcess(t, opened, options) {
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  await opened.connect(theirs)
  return modernClient(t, ours, options)
}

export async function legacyInProcess(t, opened, options) {
  const [ours, theirs] = OldInMemoryTransport.createLinkedPair()
  await opened.connect(theirs)
  return legacyClient(t, ours, options)
}

/** Over HTTP. */
export function overHttp(t, { url, token }, options) {
  const requestInit = { headers: { Authorization: `Bearer ${token}` } }
  return modernClient(t, new StreamableHTTPClientTransport(new URL(url), { requestInit }), options)
}

export function legacyOverHttp(t, { url, token }, options) {
  const requestInit = { headers: { Authorization: `Bearer ${token}` } }
  return legacyClient(t, new OldHttpTransport(new URL(url), { requestInit }), options)
}

/** Clients of both eras, by the way to the gateway. */
export const CLIENTS = {
  'an older client in process': { open: legacyInProcess, isHttp: false, isModern: false },
  'an older client over HTTP': { open: legacyOverHttp, isHttp: true, isModern: false },
  'a modern client in process': { open: inProcess, isHttp: false, isModern: true },
  'a modern client over HTTP': { open: overHttp, isHttp: true, isModern: true },
}

/** Over stdio of the command line. */
export async function overStdio(t, config, options) {
  const whole = { ...config, gateway: { dir: folder(t), ...config.gateway } }
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [CLI, 'gateway', '--config', configFile(t, whole), '--lexical', '--quiet'],
    env: process.env,
    stderr: 'ignore',
  })
  const client = await modernClient(t, transport, options)
  client.pid = transport.pid
  await allAsked(client)
  return client
}
