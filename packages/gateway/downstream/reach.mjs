// Reaches a server: by the first of its transports that leads there, and in the era of the protocol that it speaks.

import { Client, ProtocolErrorCode, SdkErrorCode, SSEClientTransport } from '@modelcontextprotocol/client'

import { httpStatus } from '../base/errors.mjs'
import { CLIENT_EXTENSIONS } from '../base/extensions.mjs'
import { wantsLogin } from '../login/provider.mjs'
import { MODERN } from '../base/raw.mjs'
import { withHelp } from '../reach/headers-helper.mjs'
import { triesNextWay, waysTo } from '../reach/transports.mjs'

/**
 * How long a server may take to answer what only the current revision knows. One that has not started by then is asked
 * as an older one, which most servers understand whatever they are.
 */
const PROBE_MS = 10_000

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
 * @property {() => boolean} isOver whether nobody wants the server any more
 */

/**
 * @param {Reaching} reaching
 * @returns {Promise<Client>} connected
 */
export async function reach(reaching) {
  const { authProvider, isOver } = reaching
  const definition = await withHelp(reaching.definition)
  let first
  for (const way of waysTo(definition, authProvider)) {
    try {
      return await agree(() => way(reaching.onStart()), reaching)
    } catch (error) {
      if (isOver() || !triesNextWay(error)) throw error
      // What the first way says is about the address as it is written.
      first ??= error
    }
  }
  throw first
}

/** Agrees with a server on an era. Each try has a transport of its own: a process may have ended over the question. */
async function agree(way, reaching) {
  let transport = way()
  // The transport before Streamable HTTP is of the older era.
  const eras = transport instanceof SSEClientTransport ? ['legacy'] : erasToTry(reaching.era)
  for (;;) {
    const era = eras.shift()
    try {
      return await connect(transport, era, reaching)
    } catch (error) {
      if (reaching.isOver()) throw error
      // It says that it knows the current revision only; it was slow to say so.
      if (error.code === ProtocolErrorCode.UnsupportedProtocolVersion && era !== 'modern' && reaching.era === 'auto')
        eras.splice(0, eras.length, 'modern')
      else if (eras.length === 0 || !isOfTheQuestion(error)) throw underneath(error)
      transport = way()
    }
  }
}

function erasToTry(era) {
  return era === 'auto' ? ['auto', 'legacy'] : [era]
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

async function connect(transport, era, { definition, clientInfo, capabilities, onTransport, onError }) {
  const timeoutMs = era === 'modern' ? definition.startMs : Math.min(PROBE_MS, definition.startMs)
  const mode = { auto: 'auto', legacy: 'legacy', modern: { pin: MODERN } }[era]
  const client = new Client(clientInfo, {
    capabilities,
    versionNegotiation: { mode, probe: { timeoutMs } },
    inputRequired: { autoFulfill: false },
  })
  client.onerror = onError
  onTransport(transport)
  try {
    await client.connect(transport, { timeout: definition.startMs })
    return client
  } catch (error) {
    await client.close().catch(() => {})
    await transport.close().catch(() => {})
    throw error
  }
}
