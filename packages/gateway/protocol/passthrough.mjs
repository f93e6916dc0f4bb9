// Resources, prompts and completions: asked of the server that has them. Addresses of resources stay as they are, since
// results of tools link to them; names of prompts get their server's name before them, since they would collide.

import { isSpecType, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'

import { Approvals, nameOfPrompt } from '../store/approvals.mjs'
import { cutLine } from '../catalogue/catalogue-lines.mjs'
import { plain, Unavailable, whyFailed } from '../base/errors.mjs'
import { HeldPrompts } from '../catalogue/held-prompts.mjs'
import { Shield } from '../catalogue/shield.mjs'
import { isCompared, untilApproved } from '../catalogue/withheld.mjs'
import { send } from '../calls/rounds.mjs'

const WHY_OFF = {
  changed: 'has changed since it was accepted',
  new: 'came after the others of its server were accepted',
  suspicious: 'tries something with the model',
  unchecked: 'cannot be compared with the accepted one',
}
/** Addresses whose server is remembered. */
const MAX_KNOWN = 50_000
/** Resources that one client may subscribe to. */
const MAX_SUBSCRIBED = 1_000
/** Characters of an address or a name. */
const MAX_TEXT = 8_192
/** Who holds on to a resource, by its server: gateways of profiles share servers. @type {WeakMap<object, Map<string, Set<object>>>} */
const holdings = new WeakMap()
/** Before the name of the server in an address that another server has too. */
const AT_SERVER = 'mcp-server://'
/** Between a server's name and a prompt's. */
const SEPARATOR = '--'

export class Passthrough {
  #catalogue
  #log
  #owners = new Map()
  #isListed = false
  #activity
  #settings
  #promptChanges
  #shield
  /** Whether prompts keep their own names, and then whose they are. */
  #ownNames
  #promptOwners = new Map()
  #templates = []
  /** `{ server, holders }` by address. */
  #subscribed = new Map()

  /**
   * @param {Pick<import('../gateway/gateway.mjs').Gateway, 'activity' | 'catalogue' | 'config' | 'log' | 'router' | 'store'>} gateway
   */
  constructor(gateway) {
    const { catalogue, config } = gateway
    this.#log = gateway.log
    this.#catalogue = catalogue
    this.#activity = gateway.activity
    this.#settings = config.settings
    this.#shield = new Shield(gateway.router, config.settings)
    const approvals = new Approvals(gateway.store)
    this.#promptChanges = new HeldPrompts(approvals, config.settings, gateway.log, this.#shield)
    this.#ownNames = config.settings.namespacing === 'none'
    catalogue.on('updated', (uri) => {
      for (const [held, { holders }] of this.#subscribed)
        if (held === uri || ownAddress(held) === uri) for (const holder of holders) holder.resourceUpdated(held)
    })
    catalogue.on('listed', () => {
      this.#owners.clear()
      this.#isListed = false
    })
    // A server that was started again knows of no subscription.
    catalogue.on('ready', (name) => {
      for (const [uri, { server }] of this.#subscribed)
        if (server === name) void hold(this.#server(server), ownAddress(uri), this).catch(() => {})
    })
  }

  /**
   * Answers a request of a client that is not about tools.
   *
   * @param {string} method
   * @param {Record<string, any>} params
   * @param {import('../calls/caller.mjs').Caller} caller
   * @param {{ clientName?: string, auditId?: string }} asking whose request it is
   */
  async answer(method, params, caller, asking) {
    switch (method) {
      case 'resources/list':
        return { resources: await this.#resources() }
      case 'resources/templates/list':
        return { resourceTemplates: await this.#resourceTemplates() }
      case 'resources/read':
        return this.#audited(asking, `resource ${addressWithoutSecrets(text(params.uri, 'uri'))}`, (owned) =>
          this.#read(params, caller, owned),
        )
      case 'prompts/list':
        return { prompts: await this.#prompts() }
      case 'prompts/get':
        return this.#audited(asking, `prompt ${text(params.name, 'name')}`, async (owned) => {
          const { entry, name } = await this.#promptNamed(params.name)
          owned(entry)
          await this.#refuseChanged(entry, name)
          return () => send(entry.downstream, method, { ...params, name }, caller)
        })
      case 'completion/complete':
        return this.#complete(params, caller)
      default:
        throw new ProtocolError(ProtocolErrorCode.MethodNotFound, `the gateway has no method ${plain(method, 60)}`)
    }
  }

  /**
   * Has a row of the audit say what was read of a server, by whom.
   *
   * @param {{ clientName?: string, auditId?: string }} asking
   * @param {string} what
   * @param {(owned: (entry: any) => void) => Promise<() => Promise<any>>} find tells whose it is, and gives what asks for it
   */
  async #audited(asking, what, find) {
    const ended = this.#activity.reads(asking, what)
    let server = ''
    /** @type {'refused' | 'failed'} */
    let outcome = 'refused'
    try {
      const ask = await find(({ definition }) => (server = definition.name))
      outcome = 'failed'
      const result = await ask()
      ended(server, 'ok', result)
      return result
    } catch (error) {
      ended(server, error instanceof Unavailable ? 'unavailable' : outcome)
      throw error
    }
  }

  /** Ends what a client that has gone was subscribed to. */
  forget(holder) {
    for (const uri of this.#subscribed.keys()) void this.unsubscribe(holder, uri).catch(() => {})
  }

  /**
   * Asks all servers together; their lists stand in the order of the servers. What does not fit the protocol is
   * left out: a client's SDK that refuses one entry refuses the lists of all servers with it.
   */
  async #gather(method, key, capability, fits) {
    await this.#catalogue.caughtUp(this.#catalogue.patienceMs)
    await this.#catalogue.answered(this.#catalogue.patienceMs)
    const fitting = async (of) => {
      // One server that fails does not cost the lists of the others.
      const failed = (error) => void this.#log(`${method}: ${plain(whyFailed(error))}`)
      const { entries = [], cut } =
        (await of.downstream.pages(method, key, (has) => has[capability]).catch(failed)) ?? {}
      const line = cutLine(of, key, cut)
      if (line !== undefined) this.#log(line)
      const fitting = entries.filter((entry) => fits(entry))
      // Prompts wait for an approval; nobody is asked to approve a name of a resource.
      const severe = capability === 'resources' ? await this.#shield.severeOf(fitting) : new Set()
      if (severe.size > 0)
        this.#log(`server ${of.definition.name}: ${severe.size} ${key} try something with the model and are left out`)
      return fitting.filter((entry) => !severe.has(entry))
    }
    const entries = [...this.#catalogue.entries.values()]
    return Promise.all(entries.map(async (entry) => ({ entry, list: await fitting(entry) })))
  }

  async #resources() {
    const found = new Map()
    const gathered = await this.#gather('resources/list', 'resources', 'resources', isSpecType.Resource)
    for (const { entry, list } of gathered) {
      const { name } = entry.definition
      for (const resource of list) {
        // Two servers with one address: the first has it, so that reading is never a matter of luck, and the other's says whose
        // it is.
        const isOthers = found.has(resource.uri) && this.#owners.get(resource.uri) !== name
        const uri = isOthers ? `${AT_SERVER}${encodeURIComponent(name)}/${resource.uri}` : resource.uri
        if (found.has(uri)) continue
        found.set(uri, { ...resource, uri })
        if (!isOthers && this.#owners.size < MAX_KNOWN) this.#owners.set(uri, name)
      }
    }
    this.#isListed = true
    return [...found.values()]
  }

  async #read(params, caller, owned) {
    const entry = await this.#ownerOf(params.uri)
    owned(entry)
    const uri = ownAddress(params.uri)
    return async () => {
      const result = await send(entry.downstream, 'resources/read', { ...params, uri }, caller)
      if (uri === params.uri || !Array.isArray(result.contents)) return ofUser(result)
      const contents = result.contents.map((each) => (each?.uri === uri ? { ...each, uri: params.uri } : each))
      return ofUser({ ...result, contents })
    }
  }

  async #resourceTemplates() {
    const gathered = await this.#gather(
      'resources/templates/list',
      'resourceTemplates',
      'resources',
      isSpecType.ResourceTemplate,
    )
    this.#templates = gathered.flatMap(({ entry, list }) =>
      // What stands before the first variable; a pattern of a server's is not made a regular expression.
      list.map(({ uriTemplate }) => ({ server: entry.definition.name, prefix: uriTemplate.split('{')[0] })),
    )
    return gathered.flatMap(({ list }) => list)
  }

  async #ownerOf(uri) {
    const said = this.#catalogue.entries.get(serverIn(uri))
    if (said) return said
    const known = () => this.#catalogue.entries.get(this.#owners.get(uri))
    if (!this.#isListed || !known()) await this.#resources()
    if (known()) return known()
    await this.#resourceTemplates()
    const [best] = this.#templates
      .filter(({ prefix }) => uri.startsWith(prefix))
      .toSorted((a, b) => b.prefix.length - a.prefix.length)
    const entry = this.#catalogue.entries.get(best?.server)
    if (!entry) throw invalidParams(`no server that runs has the resource ${plain(uri, 200)}`, { uri })
    return entry
  }

  /**
   * Has a resource's server announce its changes, for as long as somebody holds on to it.
   *
   * @param {{ resourceUpdated: (uri: string) => void, closed?: boolean }} holder
   * @param {string} uri
   */
  async subscribe(holder, uri) {
    const { definition, downstream } = await this.#ownerOf(text(uri, 'uri'))
    const held = [...this.#subscribed.values()].filter(({ holders }) => holders.has(holder)).length
    if (held >= MAX_SUBSCRIBED) throw invalidParams(`at most ${MAX_SUBSCRIBED} subscriptions a client`)
    await hold(downstream, ownAddress(uri), this)
    const { holders } = this.#subscribed.get(uri) ?? { holders: new Set() }
    this.#subscribed.set(uri, { server: definition.name, holders: holders.add(holder) })
    // A client that has gone meanwhile would be held for ever.
    if (holder.closed) await this.unsubscribe(holder, uri)
    return {}
  }

  async unsubscribe(holder, uri) {
    const { server, holders } = this.#subscribed.get(text(uri, 'uri')) ?? {}
    if (!holders?.delete(holder) || holders.size > 0) return {}
    this.#subscribed.delete(uri)
    if (this.#server(server)) await letGo(this.#server(server), ownAddress(uri), this)
    return {}
  }

  #server(name) {
    return this.#catalogue.entries.get(name)?.downstream
  }

  async #prompts() {
    const all = await this.#gather('prompts/list', 'prompts', 'prompts', isSpecType.Prompt)
    const asAccepted = async ({ entry, list }) => {
      await this.#promptChanges.look(entry, list)
      return { entry, list: list.filter((prompt) => this.#promptChanges.isOn(entry, prompt)) }
    }
    const gathered = await Promise.all(all.map(asAccepted))
    if (!this.#ownNames)
      return gathered.flatMap(({ entry, list }) =>
        list.map((prompt) => ({ ...prompt, name: `${entry.definition.name}${SEPARATOR}${prompt.name}` })),
      )
    // Of two alike the first one is there, as with tools.
    const found = new Map()
    this.#promptOwners.clear()
    for (const { entry, list } of gathered) {
      for (const prompt of list) {
        if (found.has(prompt.name)) continue
        found.set(prompt.name, prompt)
        this.#promptOwners.set(prompt.name, entry.definition.name)
      }
    }
    return [...found.values()]
  }

  /** A prompt that has changed is not expanded either, however long ago the client read its entry. */
  async #refuseChanged(entry, name) {
    if (!isCompared(this.#settings) && !this.#shield.acts) return
    // A lazy server tells what it has when it runs.
    await entry.downstream.connect()
    const { entries = [] } = (await entry.downstream.pages('prompts/list', 'prompts', ({ prompts }) => prompts)) ?? {}
    const prompt = entries.find((each) => each.name === name)
    if (prompt === undefined) return
    await this.#promptChanges.look(entry, [prompt])
    const why = this.#promptChanges.whyOff(entry, prompt)
    if (why === undefined) return
    throw invalidParams(`this prompt ${WHY_OFF[why]}; ${untilApproved(entry.definition, nameOfPrompt(name))}`)
  }

  /** The server and its own name of a prompt. The longest server name wins: one may begin with another. */
  async #promptNamed(name) {
    const entry = this.#ownNames ? await this.#promptOwner(name) : this.#namedServer(name)
    if (!entry) throw invalidParams(`unknown prompt ${plain(name, 100)}; prompts/list names those that exist`)
    return { entry, name: this.#ownNames ? name : name.slice(entry.definition.name.length + SEPARATOR.length) }
  }

  #namedServer(name) {
    const [entry] = [...this.#catalogue.entries.values()]
      .filter(({ definition }) => name.startsWith(definition.name + SEPARATOR))
      .toSorted((a, b) => b.definition.name.length - a.definition.name.length)
    return entry
  }

  async #promptOwner(name) {
    if (!this.#promptOwners.has(name)) await this.#prompts()
    return this.#catalogue.entries.get(this.#promptOwners.get(name))
  }

  async #complete(params, caller) {
    const { ref } = params
    if (ref?.type === 'ref/prompt') {
      const { entry, name } = await this.#promptNamed(text(ref.name, 'ref.name'))
      return send(entry.downstream, 'completion/complete', { ...params, ref: { ...ref, name } }, caller)
    }
    if (ref?.type !== 'ref/resource') throw invalidParams('ref.type: expected ref/prompt or ref/resource')
    const { downstream } = await this.#ownerOf(text(ref.uri, 'ref.uri'))
    return send(downstream, 'completion/complete', { ...params, ref: { ...ref, uri: ownAddress(ref.uri) } }, caller)
  }
}

/** Has a server announce the changes of a resource. */
async function hold(downstream, uri, holder) {
  await downstream.subscribe(uri)
  const ofServer = holdings.get(downstream) ?? new Map()
  holdings.set(downstream, ofServer.set(uri, (ofServer.get(uri) ?? new Set()).add(holder)))
}

/** The last one who holds on to it ends that. Only of a server that runs: one that does not has nothing to forget. */
async function letGo(downstream, uri, holder) {
  const holders = holdings.get(downstream)?.get(uri)
  holders?.delete(holder)
  if (holders?.size) return
  holdings.get(downstream)?.delete(uri)
  if (downstream.state === 'ready') await downstream.unsubscribe(uri)
}

function serverIn(uri) {
  const [, name] = uri.startsWith(AT_SERVER) ? (/^([^/]+)\/./.exec(uri.slice(AT_SERVER.length)) ?? []) : []
  try {
    return name === undefined ? undefined : decodeURIComponent(name)
  } catch {
    return undefined
  }
}

/** An address as a row has it: who wrote it may have put a password or what was looked for into it. */
const addressWithoutSecrets = (uri) => uri.split(/[?#]/, 1)[0].replace(/^([^/]*\/\/)[^/@]*@/, '$1')

/** The address that the server itself has for it. */
function ownAddress(uri) {
  if (serverIn(uri) === undefined) return uri
  const rest = uri.slice(AT_SERVER.length)
  return rest.slice(rest.indexOf('/') + 1)
}

/** What a server lets everybody keep is still the user's: the gateway asked for it with the user's keys. */
function ofUser(result) {
  return result.cacheScope === undefined ? result : { ...result, cacheScope: 'private' }
}

function text(value, at) {
  if (typeof value === 'string' && value !== '' && value.length <= MAX_TEXT) return value
  throw invalidParams(`${at}: expected text of 1 to ${MAX_TEXT} characters`)
}

function invalidParams(message, data) {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message, data)
}
