// SPDX-License-Identifier: Apache-2.0
//
// Resources, prompts and completions: asked of the server that has them. Addresses of resources stay as they are, since
// results of tools link to them; names of prompts get their server's name before them, since they would collide.

import { ErrorCode, McpError, PromptSchema, ResourceSchema, ResourceTemplateSchema } from '@modelcontextprotocol/sdk/types.js'

import { plain } from './errors.mjs'

/** The code that the protocol has for a resource that does not exist. */
const RESOURCE_NOT_FOUND = -32002
/** Addresses whose server is remembered. */
const MAX_KNOWN = 50_000
/** Resources that one client may subscribe to. */
const MAX_SUBSCRIBED = 1_000
/** Characters of an address or a name. */
const MAX_TEXT = 8_192
/** Between a server's name and a prompt's. */
const SEPARATOR = '--'

export class Passthrough {
  #catalogue
  #owners = new Map()
  #templates = []
  /** `{ server, sessions }` by address. */
  #subscribed = new Map()

  constructor(catalogue) {
    this.#catalogue = catalogue
    catalogue.on('updated', (uri) => {
      for (const session of this.#subscribed.get(uri)?.sessions ?? []) session.resourceUpdated(uri)
    })
    catalogue.on('listed', () => this.#owners.clear())
    // A server that was started again knows of no subscription.
    catalogue.on('ready', (name) => {
      for (const [uri, { server }] of this.#subscribed) if (server === name) void this.#ask(server, 'resources/subscribe', { uri }).catch(() => {})
    })
  }

  /** Answers a request of a client that is not about tools. */
  async answer(session, method, params, options) {
    switch (method) {
      case 'resources/list':
        return { resources: await this.#resources() }
      case 'resources/templates/list':
        return { resourceTemplates: await this.#resourceTemplates() }
      case 'resources/read':
        return (await this.#ownerOf(text(params.uri, 'uri'))).downstream.request(method, params, options)
      case 'resources/subscribe':
        return this.#subscribe(session, text(params.uri, 'uri'), options)
      case 'resources/unsubscribe':
        return this.#unsubscribe(session, text(params.uri, 'uri'))
      case 'prompts/list':
        return { prompts: await this.#prompts() }
      case 'prompts/get': {
        const { entry, name } = await this.#promptNamed(text(params.name, 'name'))
        return entry.downstream.request(method, { ...params, name }, options)
      }
      case 'completion/complete':
        return this.#complete(params, options)
      default:
        throw new McpError(ErrorCode.MethodNotFound, `the gateway has no method ${plain(method, 60)}`)
    }
  }

  /** Ends what a client that has gone was subscribed to. */
  forget(session) {
    for (const uri of this.#subscribed.keys()) void this.#unsubscribe(session, uri).catch(() => {})
  }

  /**
   * Asks all servers at once; a list of theirs stands in the order of the servers. What does not fit the protocol is
   * left out: a client's SDK that refuses one entry refuses the lists of all servers with it.
   */
  async #gather(method, key, capability, schema) {
    const fitting = async ({ downstream }) =>
      (await downstream.list(method, key, capability)).filter((entry) => schema.safeParse(entry).success)
    const entries = [...this.#catalogue.entries.values()]
    return Promise.all(entries.map(async (entry) => ({ entry, list: await fitting(entry) })))
  }

  async #resources() {
    const found = new Map()
    for (const { entry, list } of await this.#gather('resources/list', 'resources', 'resources', ResourceSchema)) {
      for (const resource of list) {
        // Two servers with one address: the first has it, so that reading is never a matter of luck.
        if (found.has(resource.uri)) continue
        found.set(resource.uri, resource)
        if (this.#owners.size < MAX_KNOWN) this.#owners.set(resource.uri, entry.definition.name)
      }
    }
    return [...found.values()]
  }

  async #resourceTemplates() {
    const gathered = await this.#gather('resources/templates/list', 'resourceTemplates', 'resources', ResourceTemplateSchema)
    this.#templates = gathered.flatMap(({ entry, list }) =>
      // What stands before the first variable; a pattern of a server's is not made a regular expression.
      list.map(({ uriTemplate }) => ({ server: entry.definition.name, prefix: uriTemplate.split('{')[0] })),
    )
    return gathered.flatMap(({ list }) => list)
  }

  async #ownerOf(uri) {
    const known = () => this.#catalogue.entries.get(this.#owners.get(uri))
    if (!known()) await this.#resources()
    if (known()) return known()
    await this.#resourceTemplates()
    const [best] = this.#templates
      .filter(({ prefix }) => uri.startsWith(prefix))
      .toSorted((a, b) => b.prefix.length - a.prefix.length)
    const entry = this.#catalogue.entries.get(best?.server)
    if (!entry) throw new McpError(RESOURCE_NOT_FOUND, `no server that runs has the resource ${plain(uri, 200)}`)
    return entry
  }

  async #subscribe(session, uri, options) {
    const { definition } = await this.#ownerOf(uri)
    const held = [...this.#subscribed.values()].filter(({ sessions }) => sessions.has(session)).length
    if (held >= MAX_SUBSCRIBED) throw new McpError(ErrorCode.InvalidParams, `at most ${MAX_SUBSCRIBED} subscriptions a client`)
    const result = await this.#ask(definition.name, 'resources/subscribe', { uri }, options)
    const { sessions } = this.#subscribed.get(uri) ?? { sessions: new Set() }
    // A client that has gone meanwhile would be held for ever.
    if (!session.closed) this.#subscribed.set(uri, { server: definition.name, sessions: sessions.add(session) })
    return result
  }

  async #unsubscribe(session, uri) {
    const { server, sessions } = this.#subscribed.get(uri) ?? {}
    if (!sessions?.delete(session) || sessions.size > 0) return {}
    this.#subscribed.delete(uri)
    // Only of a server that runs: one that does not has nothing to forget.
    const isReady = this.#catalogue.entries.get(server)?.downstream.state === 'ready'
    return isReady ? this.#ask(server, 'resources/unsubscribe', { uri }) : {}
  }

  #ask(server, method, params, options) {
    return this.#catalogue.entries.get(server).downstream.request(method, params, options)
  }

  async #prompts() {
    const gathered = await this.#gather('prompts/list', 'prompts', 'prompts', PromptSchema)
    return gathered.flatMap(({ entry, list }) =>
      list.map((prompt) => ({ ...prompt, name: `${entry.definition.name}${SEPARATOR}${prompt.name}` })),
    )
  }

  /** The server and its own name of a prompt. The longest server name wins: one may begin with another. */
  async #promptNamed(name) {
    const [entry] = [...this.#catalogue.entries.values()]
      .filter(({ definition }) => name.startsWith(definition.name + SEPARATOR))
      .toSorted((a, b) => b.definition.name.length - a.definition.name.length)
    if (!entry) throw new McpError(ErrorCode.InvalidParams, `unknown prompt ${plain(name, 100)}; prompts/list names those that exist`)
    return { entry, name: name.slice(entry.definition.name.length + SEPARATOR.length) }
  }

  async #complete(params, options) {
    const { ref } = params
    if (ref?.type === 'ref/prompt') {
      const { entry, name } = await this.#promptNamed(text(ref.name, 'ref.name'))
      return entry.downstream.request('completion/complete', { ...params, ref: { ...ref, name } }, options)
    }
    if (ref?.type !== 'ref/resource') throw new McpError(ErrorCode.InvalidParams, 'ref.type: expected ref/prompt or ref/resource')
    const { downstream } = await this.#ownerOf(text(ref.uri, 'ref.uri'))
    return downstream.request('completion/complete', params, options)
  }
}

function text(value, at) {
  if (typeof value === 'string' && value !== '' && value.length <= MAX_TEXT) return value
  throw new McpError(ErrorCode.InvalidParams, `${at}: expected text of 1 to ${MAX_TEXT} characters`)
}
