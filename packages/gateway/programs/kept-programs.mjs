// The gateway's own server, whose tools are the programs of the configuration: ranked, listed, called and withheld like
// any other. A program is there while all tools that it calls are, and is another one when one of them is.

import { InMemoryTransport } from '@modelcontextprotocol/client'
import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'

import { Refusal } from '@zoo-code/tool-router-programs/calls.mjs'
import { madeOf } from '../names/made-of.mjs'
import { GatewayHost } from './program-host.mjs'
import { runOver } from './programs.mjs'
import { legacyCaller } from '../calls/caller.mjs'
import { Inquiry } from '../meta/inquiry.mjs'
import { KINDS, kindOf } from '../names/tool-kind.mjs'

/** Changes of other servers within this time are looked at together. */
const COALESCE_MS = 20

/**
 * @param {any} gateway
 * @param {any} definition of the server
 * @returns {object} a transport that leads to it
 */
export function openPrograms(gateway, definition) {
  const [theirs, ours] = InMemoryTransport.createLinkedPair()
  const { catalogue } = gateway
  const server = new Server(gateway.clientInfo, { capabilities: { tools: { listChanged: true } } })
  server.onerror = () => {}
  let told = ''
  let timer
  const list = () => {
    const tools = toolsOf(catalogue, definition)
    told = JSON.stringify(tools)
    return { tools }
  }
  const look = () => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      if (JSON.stringify(toolsOf(catalogue, definition)) === told) return
      void server.notification({ method: 'notifications/tools/list_changed' }).catch(() => {})
    }, COALESCE_MS)
    timer.unref()
  }
  server.fallbackRequestHandler = async ({ method, params }, context) => {
    if (method === 'tools/list') return list()
    if (method === 'tools/call')
      return call(gateway, definition, /** @type {any} */ (params), legacyCaller({ server }, context, params))
    throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found')
  }
  catalogue.on('tools', look).on('servers', look)
  server.onclose = () => {
    clearTimeout(timer)
    catalogue.off('tools', look).off('servers', look)
  }
  void server.connect(ours)
  return theirs
}

/** The programs all of whose tools are in scope. A program does what they do, whatever it is called. */
function toolsOf(catalogue, { programs, toolKinds: ofPrograms }) {
  ofPrograms.clear()
  return programs.flatMap(({ name, description, code, parameters, tools }) => {
    const found = tools.map((id) => catalogue.tool(id))
    if (!found.every(Boolean)) return []
    const definitions = found.map(({ entry, toolName }) => entry.tools.get(toolName))
    const kinds = found.map(({ entry }, at) => kindOf(definitions[at], entry.kinds))
    const worst = KINDS[Math.max(0, ...kinds.map((kind) => KINDS.indexOf(kind)))]
    ofPrograms.set(name, worst)
    const annotations = worst === 'read' ? { readOnlyHint: true } : { destructiveHint: worst === 'destructive' }
    return [{ name, description, inputSchema: parameters, annotations, _meta: madeOf(code, definitions) }]
  })
}

async function call(gateway, { programs }, { name, arguments: args }, caller) {
  const program = programs.find((each) => each.name === name)
  if (program === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'no such program')
  const inquiry = new Inquiry(gateway, () => false)
  try {
    const host = new DeclaredHost(inquiry, caller, program)
    return await runOver(inquiry, host, { code: program.code, parameters: args }, caller)
  } finally {
    inquiry.close()
  }
}

/** A kept program calls what it says that it calls: by that it was accepted. */
class DeclaredHost extends GatewayHost {
  #program

  constructor(desk, caller, program) {
    super(desk, caller)
    this.#program = program
  }

  async resolve(server, tool) {
    const found = await super.resolve(server, tool)
    const { serverName, toolName } = found
    const isDeclared = this.#program.tools.some((id) => id.serverName === serverName && id.toolName === toolName)
    if (isDeclared) return found
    const message = `${serverName}/${toolName} is not among the tools that the program ${this.#program.name} declares`
    throw new Refusal('not-declared', message)
  }
}
