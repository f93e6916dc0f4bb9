// tool-router-gateway page: an address that opens the page of a gateway that runs: the one that clients share, or the one at an
// address. The gateway serves its page from then on.

import { readFileSync } from 'node:fs'

import { runningShared } from '../shared/meeting.mjs'

/** How long a gateway may take to answer. */
const ANSWER_MS = 5_000

/**
 * @param {{ config: string, workspace?: string, profile?: string, modes?: string, lexical?: boolean, http?: string,
 * 'token-file'?: string }} values
 * @param {string} version
 * @param {(line: string) => void} print
 * @returns {Promise<number>} exit code: 1 where no gateway answers
 */
export async function runPage(values, version, print) {
  const running = values.http === undefined ? await runningShared(values, version) : atAddress(values)
  if (running === undefined) {
    print(
      `No client shares a gateway of ${values.config} now. Start one whose entry runs connect, with the same options; or name a gateway with --http and --token-file.`,
    )
    return 1
  }
  const address = new URL('/ui/ticket', running.url)
  const response = await fetch(address, {
    method: 'POST',
    headers: { Authorization: `Bearer ${running.token}` },
    signal: AbortSignal.timeout(ANSWER_MS),
  }).catch(() => undefined)
  if (!response?.ok) {
    print(
      response === undefined
        ? `Nothing answers at ${address.host}; does the gateway run?`
        : `The gateway at ${address.host} refuses (HTTP status ${response.status}); is it of this version, and the token its own?`,
    )
    return 1
  }
  const { path } = /** @type {{ path: string }} */ (await response.json())
  print(`${new URL(path, running.url)}`)
  return 0
}

/** @param {{ http?: string, 'token-file'?: string }} values */
function atAddress({ http, 'token-file': file }) {
  const token = process.env.ZOO_TOOL_ROUTER_TOKEN || (file && readFileSync(file, 'utf8').trim())
  if (!token) throw new Error('--http: expected --token-file beside it, or ZOO_TOOL_ROUTER_TOKEN; got neither')
  return { url: `http://${http}/`, token }
}
