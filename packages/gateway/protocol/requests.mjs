// Requests of clients, whatever their era: calls of tools, of the gateway's own and of servers', and all that is passed on.

import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'

import { wrongCall } from '../names/call-kinds.mjs'
import { withFixed } from '../listing/shaped-tool.mjs'
import { LOG_LEVELS } from '../downstream/under-way.mjs'
import { invalid, Unavailable, whyFailed } from '../base/errors.mjs'
import { plainly } from '../meta/call-check.mjs'
import { answerMetaTool } from '../meta/meta-answers.mjs'
import { readArguments } from '../names/meta-arguments.mjs'
import { isCall, PROGRAM } from '../names/meta-tools.mjs'
import { runProgram } from '../programs/programs.mjs'
import { refusal } from '../listing/signatures.mjs'
import { toolKnown, unknownTool } from '../listing/tool-names.mjs'
import { deliver } from '../calls/delivery.mjs'

/** Bytes of a tool's name, as the router bounds it with its server's. */
const MAX_NAME = 1_100

/**
 * What the client of a call is shown, and what is kept for it: a session of the older era, or one question of the current.
 *
 * @typedef {import('../calls/caller.mjs').Caller} Caller
 * @typedef {import('../calls/caller.mjs').Params} Params
 * @typedef {import('../catalogue/catalogue-entry.mjs').ToolId} ToolId
 * @typedef {import('../catalogue/catalogue-entry.mjs').ToolInScope} ToolInScope
 *
 * @typedef {object} HowAttached
 * @property {import('../listing/shaped-tool.mjs').Shape} [shape] how its mode shows it
 * @property {boolean} [pinned] it was there from the start and stays
 * @property {string} [by] who asked for it
 * @property {number} [at] when it was attached
 *
 * @typedef {ToolId & HowAttached} Attached
 *
 * @typedef {object} Attaching
 * @property {boolean} [pinned]
 * @property {(id: ToolId) => import('../listing/shaped-tool.mjs').Shape | undefined} [shapeOf]
 * @property {string} [by]
 *
 * @typedef {object} Desk
 * @property {import('../catalogue/catalogue.mjs').Catalogue} catalogue
 * @property {import('../config/read.mjs').Config} config
 * @property {import('@zoo-code/tool-router/internal').ToolRouter} router
 * @property {(name: string) => boolean} isMetaTool whether a meta tool of this name is offered
 * @property {boolean} isModern
 * @property {string} [clientName] what the client calls itself
 * @property {string} [auditId] of its session
 * @property {Map<string, Attached>} attached tools by the names they are listed by
 * @property {import('../meta/router-session.mjs').RouterSession} search
 * @property {(tools: ToolInScope[], how?: Attaching) => { added: string[], already: string[], overLimit: string[] }} attach
 * @property {(names: string[]) => string[]} detach takes tools out of the list, and gives those that were in it
 * @property {() => Record<string, string>} introduce what servers say about their use
 * @property {import('../meta/call-check.mjs').CallCheck} callCheck
 * @property {import('../activity/activity.mjs').Activity} activity
 * @property {import('../meta/results.mjs').Results} results
 * @property {object} holder whoever may read what is held for this client: the client where it is known, otherwise the gateway
 */

/**
 * Calls a tool.
 *
 * @param {Desk} desk
 * @param {Params} params of `tools/call`
 * @param {import('../calls/caller.mjs').Caller} caller
 */
export async function callTool(desk, params, caller) {
  const { name } = params
  if (typeof name !== 'string' || name.length > MAX_NAME)
    throw invalidParams(invalid('tools/call.name', `text of at most ${MAX_NAME} characters`, name))
  if (!desk.isMetaTool(name)) return callServer(desk, params, { caller })
  try {
    const args = readArguments(name, params.arguments)
    if (isCall(name)) {
      const mode = modeOf(desk, name, args)
      const { written } = args
      const isNamed = typeof written.name === 'string' && written.name.trim() !== ''
      const called = isNamed ? written.name : await desk.callCheck.nameIn(name, written)
      return await callServer(desk, { ...params, name: called }, { caller, mode, by: name, written })
    }
    // Nobody else is told of it: the handle in its arguments is the key to the result.
    if (name === 'read_result') return await desk.results.read(desk.holder, args)
    return await answered(desk, name, args, caller)
  } catch (error) {
    if (error.name !== 'ToolRouterError') throw error
    return failed(error.message)
  }
}

/** The answer of a tool of the gateway itself. */
async function answered(desk, name, args, caller) {
  const { ended } = desk.activity.began(desk, { tool: name, args })
  try {
    const answer = await (name === PROGRAM ? runProgram(desk, args, caller) : answerMetaTool(desk, name, args))
    ended('ok', answer)
    return answer
  } catch (error) {
    ended('failed', undefined, whyFailed(error))
    throw error
  }
}

/**
 * Calls a tool of a server: arguments and result go through as they are.
 *
 * @param {Desk} desk
 * @param {Params} params
 * @param {{ caller: Caller, mode?: ReturnType<typeof modeOf>, by?: string, written?: Record<string, any> }} how `by`: the meta tool that
 * was called; `written`: what the model wrote into it
 */
async function callServer(desk, params, how) {
  const { caller, mode, by, written = { arguments: params.arguments } } = how
  const { name, _meta } = params
  const { catalogue } = desk
  const tool = await catalogue.eventually(() => toolKnown(desk, name), catalogue.patienceMs)
  if (!tool) {
    desk.activity.refused(desk, name)
    return failed((await desk.search.whyGone(name)) ?? unknownTool(desk, name))
  }
  const { serverName, toolName } = tool
  const row = desk.activity.began(desk, { server: serverName, tool: toolName, args: written.arguments })
  const refuse = (text, why) => {
    row.ended('refused', undefined, why)
    return failed(text)
  }
  const wrong = wrongCall(desk, by, tool)
  if (wrong !== undefined) return refuse(wrong, 'called by the meta tool of another kind')
  const parameters = desk.attached.get(name)?.shape?.parameters ?? mode?.parameters.get(`${serverName}/${toolName}`)
  const { args, problem } = await readCall(desk, tool, written, parameters)
  if (problem !== undefined) return refuse(refusal(desk, tool, problem), 'its arguments do not fit its schema')
  const sent = { ...((args ?? by) !== undefined && { arguments: args ?? {} }), ...withMeta(_meta) }
  try {
    const result = await deliver(desk, tool, sent, caller, row)
    return await desk.results.bounded(desk, result)
  } catch (error) {
    if (error instanceof Unavailable) return failed(error.message)
    throw error
  }
}

/** What to send, or what is wrong. Where a mode fixes parameters, they are set before the rest is compared. */
function readCall({ callCheck }, tool, written, parameters) {
  if (parameters === undefined) return callCheck.read(tool, written)
  const { args, problem } = plainly(written)
  return problem === undefined ? callCheck.read(tool, { arguments: withFixed(args, parameters) }) : { args, problem }
}

/**
 * The mode that a call names; undefined where it names none, or one that a server is.
 *
 * @param {Desk} desk
 * @param {string} by
 * @param {Record<string, any>} args
 */
function modeOf({ config, catalogue }, by, { mode: name }) {
  const mode = config.modes.get(name)
  const isServers = name === undefined || name.split(' + ').every((each) => catalogue.entries.has(each))
  if (mode === undefined && !isServers) throw invalid(`${by}.mode`, 'a mode that select_mode answered', name)
  return mode
}

/** Notes which messages of servers a client wants. */
export async function setLogLevel(session, level) {
  if (!LOG_LEVELS.includes(level))
    throw invalidParams({ message: `logging/setLevel.level: expected one of ${LOG_LEVELS.join(', ')}` })
  session.logLevel = level
  return {}
}

/** A failure that the model can read and act on. */
function failed(text) {
  return { content: [{ type: 'text', text }], isError: true }
}

/** An error as a client gets it: a server's answer unchanged, and of the gateway's own errors those that the protocol has a code for. */
export function passedOn(error) {
  return error instanceof Unavailable ? new ProtocolError(ProtocolErrorCode.InternalError, error.message) : error
}

function invalidParams(error) {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, error.message)
}

/** `_meta` unchanged, less what names things of this connection. */
function withMeta(meta) {
  if (meta === null || typeof meta !== 'object') return {}
  const { progressToken, 'io.modelcontextprotocol/related-task': task, ...rest } = meta
  return Object.keys(rest).length === 0 ? {} : { _meta: rest }
}
