// An entry of the registry that gateways over one database share: how a server is started, without values, and what is said
// about it. What is started is known by a digest, which the configuration of a gateway names before anything of it is started:
// whoever can write into the database decides nothing.

import { createHash } from 'node:crypto'

import { spell } from './spelling.mjs'
import { readServer } from './server.mjs'
import { invalid, shown } from '../base/errors.mjs'
import { Secrets } from '../base/secrets.mjs'
import { record } from '../base/values.mjs'

/** Names of tools that an entry is found by, and characters of one. */
const MAX_TOOLS = 50
const MAX_NAME = 128
/** Bytes of an entry. */
export const MAX_BYTES = 2 ** 17
/** Keys of an entry that belong to one machine, or hold a value. */
const STAYS = ['envFile', 'headersHelper', 'oauth', 'inheritEnv']

/**
 * @typedef {object} RegistryEntry
 * @property {string} name of the server
 * @property {string} start how it is started or reached, as JSON: the text itself is what is allowed
 * @property {Said} said
 *
 * @typedef {object} Said
 * @property {string} [description]
 * @property {string[]} [capabilities]
 * @property {string[]} [syntheticQueries]
 * @property {string[]} [tools] names of its tools, as far as they are known
 */

/**
 * An entry of a configuration as the registry has it.
 *
 * @param {string} name
 * @param {Record<string, any>} written as it stands in the file
 * @param {{ at: string, client?: string, tools: string[] }} more
 * @returns {RegistryEntry}
 * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT` where it holds what others must not read, or cannot use
 */
export function toRegistry(name, written, { at, client, tools }) {
  const spelt = spell(written, at, { client })
  const kept = STAYS.find((key) => spelt[key] !== undefined)
  if (kept !== undefined) throw invalid(`${at}.${kept}`, 'an entry without it: it stays in a configuration', 'one')
  if (spelt.bareNames) throw invalid(at, 'placeholders as ${env:NAME}', 'an entry in the form of another client')
  const start = {
    ...(spelt.kind === 'stdio' ? programOf(spelt, at) : remoteOf(spelt, at)),
    ...(spelt.onlyAllow.length > 0 && { onlyAllow: spelt.onlyAllow }),
    ...(spelt.disabledTools.length > 0 && { disabledTools: spelt.disabledTools }),
  }
  const { description, capabilities, syntheticQueries } = readServer(name, { ...said(written), command: 'none' })
  const named = tools.filter((tool) => tool.length <= MAX_NAME).slice(0, MAX_TOOLS)
  const entry = {
    name,
    start: JSON.stringify(start),
    said: { description, capabilities, syntheticQueries, tools: named },
  }
  const bytes = Buffer.byteLength(entry.start + JSON.stringify(entry.said))
  if (bytes > MAX_BYTES) throw invalid(at, `an entry of at most ${MAX_BYTES} bytes`, bytes)
  return entry
}

/** @param {Partial<Said>} texts */
const said = ({ description, capabilities, syntheticQueries }) => ({ description, capabilities, syntheticQueries })

/**
 * Of a variable nothing but its name is shared, unless its value is a placeholder already, and nothing beside it.
 *
 * @param {import('./spelling.mjs').Spelt} spelt
 * @param {string} at
 */
function programOf({ command, args, env, cwd }, at) {
  for (const [index, value] of [command, ...args].entries())
    if (looksSecret(value, args)) throw secretAt(index === 0 ? `${at}.command` : `${at}.args[${index - 1}]`)
  const variables = Object.entries(env).map(([key, value]) => [key, isPlaceholder(value) ? value : `\${env:${key}}`])
  return { command, args, ...(variables.length > 0 && { env: Object.fromEntries(variables) }), ...(cwd && { cwd }) }
}

/** @param {import('./spelling.mjs').Spelt} spelt @param {string} at */
function remoteOf({ kind, url, headers }, at) {
  if (looksSecret(url)) throw secretAt(`${at}.url`)
  for (const [key, value] of Object.entries(headers))
    if (!isPlaceholder(String(value).replace(SCHEME, ''))) throw secretAt(`${at}.headers[${shown(key)}]`)
  return { ...(kind === 'sse' && { type: 'sse' }), url, ...(Object.keys(headers).length > 0 && { headers }) }
}

/** What stands for a value that is not set is a value too. */
const PLACEHOLDER = /\$\{[^{}]*?(?::-([^{}]*))?\}/g
const isPlaceholder = (value) =>
  typeof value === 'string' && /^\$\{[^{}]+\}$/.test(value) && value.replaceAll(PLACEHOLDER, '$1') === ''
/** A word before the placeholder of a header, as `Bearer`. */
const SCHEME = /^[A-Za-z]{1,20} /

function looksSecret(value, args = []) {
  const plainly = (each) => String(each).replaceAll(PLACEHOLDER, '$1')
  const text = plainly(value)
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.username || url?.password) return true
  return new Secrets({ command: text, args: args.map(plainly), url }).hide(text) !== text
}

function secretAt(at) {
  return invalid(at, 'a placeholder as ${env:NAME} for what may be a secret', 'a value')
}

/** Tells what an entry starts from all else that could be started. @param {Pick<RegistryEntry, 'name' | 'start'>} entry */
export function digestOf({ name, start }) {
  return createHash('sha256')
    .update(JSON.stringify([name, start]))
    .digest('hex')
    .slice(0, 32)
}

/** The entry as a configuration would have it. @param {RegistryEntry} entry */
export function fromRegistry({ start, said: texts }) {
  return { ...record(JSON.parse(start), 'start'), ...said(texts) }
}

/** Requests of an entry that are embedded. */
const MAX_EMBEDDED = 8

/** Texts that an entry is found by in other words: what is said about it, and requests that it serves. @param {RegistryEntry} entry */
export function textsOf({ name, said: { description, capabilities = [], syntheticQueries = [], tools = [] } }) {
  const words = (text) => text.replaceAll(/[_.-]+|(?<=[a-z])(?=[A-Z])/g, ' ')
  const about = [words(name), description, [...capabilities, ...tools.map(words)].join(', ')].filter(Boolean).join('. ')
  return [about, ...syntheticQueries.slice(0, MAX_EMBEDDED)].filter((text) => text.trim() !== '')
}
