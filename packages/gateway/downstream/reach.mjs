// Reaches a server: by the first of its transports that leads there, and in the era of the protocol that it speaks.

import { Client, ProtocolErrorCode, SdkErrorCode, SSEClientTransport } from '@modelcontextprotocol/client'

import { httpStatus } from '../base/errors.mjs'
import { CLIENT_EXTENSIONS } from '../base/extensions.mjs'
import { wantsLogin } from '../login/provider.mjs'
import { MODERN } from '../base/raw.mjs'
import { isDeep } from '../base/values.mjs'
import { answerBehind } from '../reach/exchanges.mjs'
import { wordsOf } from '../reach/failure.mjs'
import { withHelp } from '../reach/headers-helper.mjs'
import { triesNextWay, waysTo } from '../reach/transports.mjs'

/**
 * How long a server may take to answer what only the current revision knows. One that has not started by then is asked
 * as an older one, which most servers understand whatever they are; and again when it has started.
 */
const PROBE_MS = 10_000

/** Versions of the protocol before those that a server is asked for first. */
const OLDER = ['2024-11-05', '2025-03-26', '2025-06-18']

/** What the gateway can do for servers, on behalf of its clients: servers of the older era are told once, for all. */
export const ALL_CAPABILITIES = {
  roots: { listChanged: true },
  sampling: { tools: {}, context: {} },
  elicitation: { form: {}, url: {} },
  extensions: CLIENT_EXTENSIONS,
}

/**
 * @typedef {object} Reaching
 * @property {import('./downstream.mjs').ServerDefinition} definition
 * @property {{ name: string, version: string }} clientInfo
 * @property {object} capabilities
 * @property {'auto' | 'legacy' | 'modern'} era
 * @property {ReturnType<import('../login/logins.mjs').Logins['authProvider']>} [authProvider]
 * @property {() => ((chunk: Buffer) => void)} onStart a new start: hears what the server prints
 * @property {(transport: object) => void} onTransport the transport that is tried now
 * @property {(error: Error) => void} onError
 * @property {string} [version] of the older era that alone is asked for
 * @property {() => boolean} isOver whether nobody wants the server any more
 */

/** @param {Reaching} reaching @returns {Promise<Client>} connected */
export async function reach(reaching) {
  const { authProvider, isOver } = reaching
  const definition = await withHelp(reaching.definition)
  let first
  for (const way of waysTo(definition, authProvider)) {
    try {
      return await agree(() => way(reaching.onStart()), reaching)
    } catch (error) {
      if (isOver() || !triesNextWay(error)) throw error
      // What the first way says is about the address as it is written; but one says more in words.
      const says = (each) => wordsOf(answerBehind(each) ?? {})
      if (first === undefined || (httpStatus(first) && !says(first) && says(error))) first = error
    }
  }
  throw first
}

/** Agrees with a server on an era. Each try has a transport of its own: a process may have ended over the question. */
async function agree(way, reaching) {
  let transport = way()
  // The transport before Streamable HTTP is of the older era.
  const eras = transport instanceof SSEClientTransport ? ['legacy'] : [reaching.era]
  if (eras[0] === 'auto') eras.push('legacy')
  let [wasLate, refusal] = [false, /** @type {any} */ (undefined)]
  for (;;) {
    const era = eras.shift()
    try {
      const client = await connect(transport, era, reaching)
      return wasLate && era === 'legacy' ? await asModern(client, way, reaching) : client
    } catch (error) {
      if (reaching.isOver()) throw error
      const version = reaching.version === undefined ? olderVersion(error) : undefined
      if (version !== undefined && reaching.era !== 'modern') {
        reaching = { ...reaching, version }
        eras.splice(0, eras.length, 'legacy')
        transport = way()
        continue
      }
      wasLate ||= error?.code === SdkErrorCode.RequestTimeout
      // It says that it knows the current revision only; it was slow to say so.
      if (error.code === ProtocolErrorCode.UnsupportedProtocolVersion && era !== 'modern' && reaching.era === 'auto')
        [refusal] = [error, eras.splice(0, eras.length, 'modern')]
      else if (eras.length === 0 || !isOfTheQuestion(error)) throw underneath(refusal ?? error)
      transport = way()
    }
  }
}

/** The newest of the older versions that a strict server names where it refuses a newer one. */
function olderVersion(error) {
  const texts = [error.message, isDeep(error.data) ? '' : JSON.stringify(error.data), answerBehind(error)?.text]
    .filter(Boolean)
    .join(' ')
  if (!/version/i.test(texts)) return undefined
  const named = texts.match(/\b20\d\d-\d\d-\d\d\b/g) ?? []
  return named
    .filter((each) => OLDER.includes(each))
    .toSorted()
    .at(-1)
}

/** A server over HTTP that was late, in the current era if it knows that; otherwise as it is connected. */
async function asModern(client, way, reaching) {
  const { transport } = client
  const modern = await connect(way(), 'modern', reaching, PROBE_MS).catch(() => undefined)
  if (modern === undefined) reaching.onTransport(transport)
  else await client.close().catch(() => {})
  return modern ?? client
}

/** Whether a server may have failed over the question which era it speaks, and not for another reason. */
function isOfTheQuestion(error) {
  if (wantsLogin(error) || String(error?.syscall).startsWith('spawn')) return false
  const status = httpStatus(error)
  if (status !== undefined) return status >= 500
  return error?.code === SdkErrorCode.EraNegotiationFailed
    ? !(error.cause instanceof TypeError)
    : error?.code === SdkErrorCode.RequestTimeout
}

/** The error of the network below that of the question. */
function underneath(error) {
  return error.code === SdkErrorCode.EraNegotiationFailed && error.cause instanceof Error ? error.cause : error
}

/** Hears whether a process says after all that it knows the current revision, when it is asked as an older one already. */
function lateWord(transport) {
  let [hand, isModern] = [/** @type {any} */ (undefined), false]
  // What is set later may call what was set before.
  const heardBy = (given) => (message, extra) => {
    isModern ||= message.result?.supportedVersions?.includes?.(MODERN) === true
    given(message, extra)
  }
  Object.defineProperty(transport, 'onmessage', {
    get: () => hand && heardBy(hand),
    set: (given) => (hand = given),
  })
  return () => isModern
}

async function connect(transport, era, reaching, probeMs = reaching.definition.startMs) {
  const { definition, clientInfo, capabilities, onTransport, onError, version } = reaching
  const timeoutMs = era === 'modern' ? probeMs : Math.min(PROBE_MS, definition.startMs)
  const isModern = era === 'auto' && definition.transport === 'stdio' ? lateWord(transport) : () => false
  const mode = { auto: 'auto', legacy: 'legacy', modern: { pin: MODERN } }[era]
  const client = new Client(clientInfo, {
    capabilities,
    versionNegotiation: { mode, probe: { timeoutMs } },
    inputRequired: { autoFulfill: false },
    ...(version && { supportedProtocolVersions: [version] }),
  })
  client.onerror = onError
  onTransport(transport)
  try {
    await client.connect(transport, { timeout: definition.startMs })
    // As if it had refused to be asked as an older one.
    if (isModern() && client.getProtocolEra() !== 'modern')
      throw Object.assign(new Error('it was late'), { code: ProtocolErrorCode.UnsupportedProtocolVersion })
    return client
  } catch (error) {
    await client.close().catch(() => {})
    await transport.close().catch(() => {})
    throw error
  }
}
