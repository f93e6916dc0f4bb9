// A session as the one who has the tools of a program. What may be called is asked of the session itself, at each call;
// searches and arguments go to a fork of it, so that a program attaches nothing.

import addon from '@zoo-code/tool-router/internal'
import { notCarried, stringify } from '@zoo-code/tool-router/exact-json'

import { Refusal } from './calls.mjs'
import { findIn } from './find.mjs'
import { folded, parsedName, serversByName, spelt, unknownTool } from './names.mjs'
import { searchOf } from './values.mjs'

export class SessionHost {
  #router
  #session
  #call
  #kindOf
  #fork
  #all

  /**
   * @param {import('@zoo-code/tool-router/internal').ToolRouter} router
   * @param {import('@zoo-code/tool-router/internal').Session} session
   * @param {{ call: Function, kindOf?: (tool: import('@zoo-code/tool-router/internal').ToolRef) => import('./index.d.mts').ToolKind | undefined }} options
   */
  constructor(router, session, { call, kindOf: given }) {
    this.#router = router
    this.#session = session
    this.#call = call
    this.#kindOf = given
  }

  close() {
    void this.#fork?.then((fork) => fork.close()).catch(() => {})
    this.#fork = undefined
  }

  /** @param {string} server @param {string} tool as a program spells them */
  async resolve(server, tool) {
    const row = tool === '' ? await this.#listed(server) : await this.#inServer(server, tool)
    if (row === undefined) throw new Refusal('unknown-tool', await this.#unknown(server, tool))
    const { serverName, toolName, name } = row
    if (!this.#isInScope(row)) throw new Refusal('out-of-scope', await this.#why(name))
    return { serverName, toolName, name, kind: this.#kind(row) }
  }

  async #inServer(server, tool) {
    return (await this.#row(server, tool)) ?? (await this.#renamed(server, tool))
  }

  /** The tool that is listed by this name, or that it names with its server. */
  async #listed(name) {
    const id = this.#session.resolveTool(name)
    if (id !== null) return this.#row(id.serverName, id.toolName)
    const [server, tool] = parsedName(name) ?? []
    return server === undefined || tool === undefined ? undefined : this.#inServer(server, tool)
  }

  #kind({ serverName, toolName, readOnly, destructive }) {
    const annotations = { ...(readOnly && { readOnlyHint: true }), ...(destructive && { destructiveHint: true }) }
    return this.#kindOf?.({ serverName, toolName }) ?? addon.ToolRouter.toolKind({ name: toolName, annotations })
  }

  #isInScope({ serverName, toolName, name }) {
    const id = this.#session.resolveTool(name)
    return id?.serverName === serverName && id.toolName === toolName
  }

  /** The tool of a server that is called as the program calls it. */
  async #row(server, tool) {
    const rows = await this.#rowsOf(server)
    return (
      rows.find(({ toolName }) => toolName === tool) ?? rows.find(({ toolName }) => folded(toolName) === folded(tool))
    )
  }

  /** The same, of a server whose name is no name in JavaScript. */
  async #renamed(server, tool) {
    const named = (await this.#servers()).get(server)
    return named === undefined ? undefined : this.#row(named, tool)
  }

  /** Asked for each call: a server may say in the midst of a program that a tool destroys. */
  #rowsOf(server) {
    return this.#router.listTools({ servers: [server] }).catch(() => [])
  }

  /** Servers with a tool in scope, by what a program calls them. */
  #servers() {
    this.#all ??= this.#router.listTools().then((rows) => {
      const servers = new Set(rows.map(({ serverName }) => serverName))
      return serversByName(servers)
    })
    return this.#all
  }

  async #unknown(server, tool) {
    const near = this.#router.nearNames(tool || server)
    const named = near.map((name) => this.#session.resolveTool(name)).filter((id) => id !== null)
    const told = await Promise.all(named.map((id) => this.#spelt(id)))
    return unknownTool(server, tool, told)
  }

  /** What the session says about a tool that it does not let be called. */
  async #why(name) {
    const { problem } = await this.#session.checkCall({ name }).catch(() => ({ problem: undefined }))
    return problem?.message ?? `${name} is not in the scope of this task`
  }

  async #spelt({ serverName, toolName }) {
    const servers = await this.#servers()
    const [name = serverName] = [...servers].find(([, server]) => server === serverName) ?? []
    return spelt(name, toolName)
  }

  /** @param {import('./calls.mjs').Found} found @param {object} args */
  async check({ serverName, toolName, name = '' }, args) {
    const fork = await this.#having({ serverName, toolName })
    const { arguments: sent, problem } = await fork.checkCall({ name, arguments: stringify(args) })
    if (problem) throw new Refusal(problem.reason, problem.message)
    const refusal = notCarried(sent ?? '{}')
    if (refusal !== undefined) throw new Refusal('invalid-arguments', refusal)
    return JSON.parse(sent ?? '{}')
  }

  call({ serverName, toolName }, args, options) {
    return this.#call({ serverName, toolName }, args, options)
  }

  used({ serverName, toolName }) {
    void this.#session.recordUse({ serverName, toolName }).catch(() => {})
  }

  /** @param {string} need */
  async search(need) {
    const fork = await this.#open()
    const answer = await fork.load({ query: need })
    const { loaded, alreadyAttached, unavailable } = answer
    const full = unavailable.filter(({ reason }) => reason === 'over-limit' || reason === 'over-budget')
    const names = [...loaded, ...full].map(({ name }) => name)
    return searchOf(await this.#signed([...new Set([...names, ...alreadyAttached])]), answer)
  }

  /** @param {string} text @param {string} need */
  find(text, need) {
    return findIn(this.#router, text, need)
  }

  /** @param {string} name */
  async describe(name) {
    const id = this.#session.resolveTool(name)
    const [server, tool] = parsedName(name) ?? [name, '']
    const found = id ? { ...id, name } : await this.resolve(server, tool)
    const fork = await this.#having(found)
    const own = fork.resolveTool(found.name)
    const definitions = JSON.parse(fork.tools()).map(({ function: definition }) => definition)
    const definition = definitions.find((each) => same(fork.resolveTool(each.name), own))
    const [signed] = await this.#signed([found.name])
    return { ...signed, description: definition?.description, inputSchema: definition?.parameters }
  }

  async #signed(names) {
    const inScope = names.filter((name) => this.#session.resolveTool(name) !== null)
    if (inScope.length === 0) return []
    const { tools } = await this.#router.signatures({ names: inScope })
    return Promise.all(tools.map(async (tool) => ({ call: await this.#spelt(tool), signature: withoutName(tool) })))
  }

  /** The fork with a tool attached; another one where it is full. */
  async #having(id) {
    for (const isLast of [false, true]) {
      const fork = await this.#open()
      const { unavailable } = await fork.attach([{ serverName: id.serverName, toolName: id.toolName }])
      if (unavailable.length === 0 || isLast) return fork
      this.close()
    }
    return this.#open()
  }

  #open() {
    this.#fork ??= this.#begin()
    return this.#fork
  }

  async #begin() {
    const fork = this.#session.fork()
    await fork.start('')
    return fork
  }
}

const same = (one, other) => one?.serverName === other?.serverName && one?.toolName === other?.toolName

/** Its name stands beside it. */
function withoutName({ toolName, signature }) {
  const at = signature.indexOf(': ')
  return signature.startsWith(toolName) || signature.startsWith("'") ? signature.slice(at + 2) : signature
}
