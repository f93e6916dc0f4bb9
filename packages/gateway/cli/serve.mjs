// The commands that serve until they are told to end: `gateway`, over stdio or HTTP, and `connect`.

import { mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'

/** Counts gateways that start gateways. */
const DEPTH = 'ZOO_TOOL_ROUTER_DEPTH'
/** One before another is a use; more are a circle. */
const MAX_DEPTH = 3

/**
 * @typedef {object} Ending
 * @property {(line: string) => void} say
 * @property {(parts: { gateway?: any, telemetry?: any }) => void} opened
 * @property {() => void} end when the client has ended; nothing more where the process ends already
 */

/** @param {any} values of the options @param {Ending} ending */
export async function serve(values, { say, opened, end }) {
  // Servers get the depth with their variables: a gateway whose configuration names itself would start for ever.
  const depth = Number(process.env[DEPTH] ?? 0)
  if (depth >= MAX_DEPTH)
    throw new Error(`more than ${MAX_DEPTH} gateways behind each other; does the configuration name its own gateway?`)
  process.env[DEPTH] = String(depth + 1)
  const { createGateway } = await import('../gateway/index.mjs')
  const telemetry = await (await import('../base/telemetry.mjs')).startSdk(say)
  opened({ telemetry })
  const address = values.http === undefined ? undefined : readAddress(values.http)
  // Servers run as the same user: what a team's gateway was started with is not theirs to read.
  if (address !== undefined && values.shared === undefined) {
    const { default: addon } = await import('@zoo-code/tool-router/internal')
    addon.ToolRouter.concealProcess()
  }
  if (values.ui && address === undefined)
    throw new Error('--ui: expected --http beside it, got none; add --http 127.0.0.1:0, or a port of your choice')
  const { config: configFile, workspace, profile, modes, verbose, quiet } = values
  const gateway = await createGateway({
    configFile,
    workspace,
    profile,
    modes,
    verbose,
    oneClient: address === undefined,
    watch: true,
    log: quiet ? undefined : say,
  })
  opened({ gateway })
  await keepUses(gateway)
  if (!values.lexical) {
    gateway.router.loadModel().catch(({ message }) => say(`${message}; ranking is by terms only`))
  }
  return address === undefined ? serveStdio(gateway, { say, end }) : serveHttp(gateway, address, values, { say, end })
}

/** Which tools are called is known to the user's next gateway, too. Where it cannot be kept, each gateway begins without. */
async function keepUses({ router, config: { settings } }) {
  try {
    mkdirSync(settings.dir, { recursive: true, mode: 0o700 })
    await router.persistUses(path.join(settings.dir, 'uses.json'))
  } catch {
    // A disk that only reads, or something else of this name.
  }
}

/** The client ends with its bridge, and the shared gateway some seconds after the last of them. */
export async function connect(values, version, { say, opened, end }) {
  const { runConnect } = await import('./connect.mjs')
  opened({ gateway: await runConnect(values, version, { onEnd: end, say }) })
}

async function serveStdio(gateway, { say, end }) {
  const { StdioTransport } = await import('../http/stdio.mjs')
  const transport = new StdioTransport({ maxBytes: gateway.config.settings.maxMessageBytes })
  // What the transport has to say about the client's messages is printed even when servers are not mentioned.
  transport.onerror = ({ message }) => say(message)
  transport.onclose = end
  await gateway.connect(transport)
}

async function serveHttp(gateway, { host, port }, { shared, ui, 'token-file': tokenFile }, { say, end }) {
  const token = process.env.ZOO_TOOL_ROUTER_TOKEN || (tokenFile && readFileSync(tokenFile, 'utf8').trim())
  delete process.env.ZOO_TOOL_ROUTER_TOKEN
  const endpoint = await gateway.listen({ host, port, token, page: ui })
  if (shared !== undefined) {
    const { openShared } = await import('../shared/meeting.mjs')
    openShared(shared, endpoint, end)
    return
  }
  say(`listening on ${endpoint.url}`)
  if (token === undefined) say(`bearer token ${endpoint.token}`)
  if (ui) say(`the page opens once at ${endpoint.pageUrl}; afterwards by the bearer token`)
}

/** `127.0.0.1:8080`, `[::1]:8080`, `localhost:0`, or a port alone. */
function readAddress(text) {
  const [, host = '127.0.0.1', port] = /^(?:(\[[\da-f:]+\]|[^:]+):)?(\d+)$/i.exec(text) ?? []
  if (port === undefined) throw new Error(`--http: expected host:port, got ${JSON.stringify(text)}`)
  return { host: host.replaceAll(/[[\]]/g, ''), port: Number(port) }
}
