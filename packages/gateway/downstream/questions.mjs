// What a server asks a person, as the person's client shows it: with the server's name, which the client does not know, with what
// the shield finds in it, and with nothing invisible.

import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client'

import { isDeep } from '../base/values.mjs'
import { shownText } from '../base/shown-text.mjs'

/** Characters of a question, and of a text beside a field. */
const MAX_MESSAGE = 4_000
const MAX_FIELD = 1_000
/** What of a form is only shown. All else of it comes back with the answer. */
const SHOWN = ['title', 'description', 'enumNames']

/** @typedef {(text: string) => Promise<import('@zoo-code/tool-router/internal').Finding[]>} Check */

/**
 * @param {{ method: string, params?: Record<string, any> }} request of the server
 * @param {import('../config/server.mjs').ServerDefinition} definition
 * @param {Check} check
 * @throws {ProtocolError} for the server, where its form cannot be shown as it is
 */
export async function asked({ method, params = {} }, definition, check = async () => []) {
  if (method !== 'elicitation/create') return { method, params }
  const refused = (why) => new ProtocolError(ProtocolErrorCode.InvalidParams, `elicitation/create: ${why}`)
  if (isDeep(params)) throw refused('it is nested too deeply')
  if (params.mode === 'url' && !/^https?:\/\//i.test(params.url)) throw refused('only http and https are opened')
  const texts = []
  const shown = (value, most) => {
    texts.push(value)
    return shownText(value, most, definition)
  }
  const clean = (value, isShown = false) => {
    if (typeof value === 'string') {
      if (isShown) return shown(value, MAX_FIELD)
      texts.push(value)
      if (shownText(value, Infinity) !== value) throw refused('names and values of its form have invisible characters')
    }
    if (Array.isArray(value)) return value.map((each) => clean(each, isShown))
    if (value === null || typeof value !== 'object') return value
    const entries = Object.entries(value)
    return Object.fromEntries(entries.map(([key, each]) => [clean(key), clean(each, SHOWN.includes(key))]))
  }
  const { message: said = '', _meta, ...form } = params
  const message = shown(String(said), MAX_MESSAGE)
  const rest = clean(form)
  const found = (await check(texts.join('\n\n').toWellFormed()).catch(() => [])).filter(
    ({ severity }) => severity !== 'low',
  )
  const codes = [...new Set(found.map(({ code }) => code))].join(', ')
  const who = `server ${definition.name} asks${codes && ` (careful, its words look like ${codes})`}`
  return { method, params: { ...(_meta && { _meta }), ...rest, message: `${who}: ${message}` } }
}
