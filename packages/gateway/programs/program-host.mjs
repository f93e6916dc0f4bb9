// A gateway as the one who has the tools of a program: what is in scope for the client, called as the client would.

import { Refusal } from '@zoo-code/tool-router-programs/calls.mjs'
import { findIn } from '@zoo-code/tool-router-programs/find.mjs'
import { folded, parsedName, serversByName, spelt, unknownTool } from '@zoo-code/tool-router-programs/names.mjs'
import { searchOf } from '@zoo-code/tool-router-programs/values.mjs'
import { withFixed } from '../listing/shaped-tool.mjs'
import { deliver } from '../calls/delivery.mjs'
import { renderTool } from '../listing/rendering.mjs'
import { RouterSession } from '../meta/router-session.mjs'
import { refusal, signaturesOf } from '../listing/signatures.mjs'
import { kindIn } from '../names/call-kinds.mjs'
import { toolKnown } from '../listing/tool-names.mjs'
import { withheldAs } from '../catalogue/withheld.mjs'

/** A `Host` of packages/programs/calls.mjs. */
export class GatewayHost {
  #desk
  #caller
  #search

  /** @param {import('../protocol/requests.mjs').Desk} desk @param {import('../calls/caller.mjs').Caller} caller */
  constructor(desk, caller) {
    this.#desk = desk
    // What servers ask in the midst of a call is asked here, whatever the client's era: a program cannot answer.
    this.#caller = { ...caller, isModern: false, retry: undefined, progress: undefined }
  }

  close() {
    this.#search?.close()
  }

  /** @param {string} server @param {string} tool as a program spells them */
  async resolve(server, tool) {
    const { catalogue } = this.#desk
    const look = () => (tool === '' ? toolKnown(this.#desk, server) : this.#inServer(server, tool))
    const found = await catalogue.eventually(look, catalogue.patienceMs)
    if (!found) {
      this.#desk.activity.refused(this.#desk, [server, tool].filter(Boolean).join('.'))
      throw new Refusal('unknown-tool', this.#unknown(server, tool))
    }
    const { entry, serverName, toolName, name } = found
    return { serverName, toolName, name, entry, kind: kindIn({ entry, toolName }) }
  }

  #inServer(server, tool) {
    const { catalogue } = this.#desk
    const serverName = catalogue.entries.has(server) ? server : this.#servers().get(server)
    const exact = catalogue.tool({ serverName, toolName: tool })
    if (exact || serverName === undefined) return exact
    const names = [...catalogue.entries.get(serverName).names.keys()]
    const toolName = names.find((name) => folded(name) === folded(tool))
    return toolName === undefined ? undefined : catalogue.tool({ serverName, toolName })
  }

  #servers() {
    return serversByName(this.#desk.catalogue.serverNames)
  }

  #unknown(server, tool) {
    const { catalogue, router } = this.#desk
    const withheld = withheldAs(this.#desk, tool === '' ? server : `${this.#servers().get(server) ?? server}/${tool}`)
    if (withheld) return `${[server, tool].filter(Boolean).join('.')} cannot be called: ${withheld.detail}`
    const near = router.nearNames((tool || server).toWellFormed(), { servers: catalogue.scopeOf() })
    const found = near.map((name) => catalogue.find(name)).filter(Boolean)
    return unknownTool(
      server,
      tool,
      found.map((each) => this.#spelt(each)),
    )
  }

  #spelt({ serverName, toolName }) {
    const [name] = [...this.#servers()].find(([, server]) => server === serverName) ?? [serverName]
    return spelt(name, toolName)
  }

  async check(found, given) {
    const { attached, callCheck } = this.#desk
    const fixed = withFixed(given, attached.get(found.name)?.shape?.parameters)
    const { args, problem } = await callCheck.read(found, { arguments: fixed })
    if (problem !== undefined) throw new Refusal('invalid-arguments', refusal(this.#desk, found, problem))
    return args ?? {}
  }

  call(tool, args, { signal }) {
    const { serverName, toolName } = tool
    const signals = [this.#caller.signal, signal].filter(Boolean)
    const caller = { ...this.#caller, signal: AbortSignal.any(signals) }
    const row = this.#desk.activity.began(this.#desk, { server: serverName, tool: toolName, args })
    return deliver(this.#desk, tool, { arguments: args }, caller, row)
  }

  /** Noted with the call. */
  used() {}

  async search(need) {
    const { catalogue } = this.#desk
    this.#search ??= RouterSession.aside(this.#desk)
    const answer = await this.#search.load(need)
    const { loaded, alreadyAttached } = answer
    const names = [...loaded.map(({ name }) => name), ...alreadyAttached]
    const tools = names.map((name) => catalogue.find(name)).filter(Boolean)
    return searchOf(await this.#signed(tools), answer)
  }

  async #signed(tools) {
    const signatureOf = await signaturesOf(this.#desk, tools)
    return tools.map((tool) => ({ call: this.#spelt(tool), signature: signatureOf(tool) }))
  }

  find(text, need) {
    return findIn(this.#desk.router, text, need)
  }

  async describe(name) {
    const parsed = parsedName(name)
    const listed = toolKnown(this.#desk, name)
    const found = listed ?? (await this.resolve(...(parsed ?? [name, ''])))
    const { entry, toolName } = found
    const { settings } = this.#desk.config
    const [signed] = await this.#signed([found])
    const { description, inputSchema } = renderTool(found.name, entry.tools.get(toolName), entry.definition, settings)
    return { ...signed, description, inputSchema }
  }
}
