// A person tries a tool: it is called as for a client, with a row of its own in the audit. What a server asks in its midst nobody
// at the page can answer.

import { stringify } from '@zoo-code/tool-router/exact-json'

import { plain, Unavailable } from '../base/errors.mjs'
import { deliver } from '../calls/delivery.mjs'
import { entryNamed } from './servers.mjs'
import { Refused, textOf } from './replies.mjs'
import { shownText } from '../base/shown-text.mjs'
import { isObject } from '../base/values.mjs'

/** Characters of a tool's name, of what is wrong, and of an answer. */
const NAME = 1_000
const WRONG = 2_000
const ANSWER = 20_000

/** @type {import('../calls/caller.mjs').Caller} */
const CALLER = {
  peer: {},
  isModern: false,
  capabilities: {},
  log: () => {},
  ask: async () => {
    throw new Unavailable('the page cannot answer what a server asks')
  },
}

/** @param {any} gateway @param {Record<string, unknown>} asked */
export async function call(gateway, { server, tool: named, args }) {
  const { definition } = entryNamed(gateway, server)
  const toolName = textOf(named, 'tool', NAME)
  if (!isObject(args)) throw new Refused(400, 'args: expected an object of arguments')
  const tool = gateway.catalogue.tool({ serverName: definition.name, toolName })
  if (tool === undefined) throw new Refused(404, 'this tool is off, or its server has it no more')
  const { args: sent, problem } = await gateway.callCheck.read(tool, { arguments: args })
  if (problem !== undefined) throw new Refused(400, plain(problem, WRONG))
  const desk = { clientName: 'page', holder: CALLER.peer, router: gateway.router }
  const row = gateway.activity.began(desk, { server: definition.name, tool: toolName, args })
  try {
    const { content, structuredContent, isError } = await deliver(desk, tool, { arguments: sent }, CALLER, row)
    const textIn = ({ type, text }) => (typeof text === 'string' ? text : `(${plain(type ?? 'nothing', NAME)})`)
    const parts = Array.isArray(content) ? content.map((part) => textIn(part ?? {})) : []
    const text = parts.length > 0 ? parts.join('\n') : stringify(structuredContent ?? {}, 2)
    return { isError: isError === true, text: shownText(text, ANSWER, definition) }
  } catch (error) {
    throw new Refused(424, shownText(error.message, WRONG, definition))
  }
}
