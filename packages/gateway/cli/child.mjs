// The gateway of one profile, in a process of its own. The process that starts it says which one over IPC, is told address
// and token, and takes the gateway with it when it ends.

import process from 'node:process'

import addon from '@zoo-code/tool-router'
import { createGateway } from '../gateway/index.mjs'
import { startSdk } from '../base/telemetry.mjs'

/** How long servers may take to end: twice the grace that each of them has. */
const CLOSE_MS = 8_000

let gateway
/** Of OpenTelemetry, where one was started. */
let telemetry

async function end() {
  setTimeout(() => process.exit(0), CLOSE_MS).unref()
  await gateway?.close().catch(() => {})
  await telemetry?.shutdown().catch(() => {})
  process.exit(0)
}

process.on('disconnect', () => void end())
// A terminal sends these to all of its processes; the end of the starting one says when it is time.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})

// Where nobody is left to be told, the end has begun.
const tell = (message) => process.connected && process.send?.(message, () => {})

/** Answers calls under way, and says when that is done. @param {number} ms */
async function drain(ms) {
  await gateway?.drain(ms).catch(() => {})
  tell({ drained: true })
}

/** @param {{ options?: object, wantsModel: boolean, page?: boolean }} wanted */
async function begin({ options, wantsModel, page }) {
  try {
    addon.ToolRouter.concealProcess()
    telemetry = await startSdk((line) => tell({ line }))
    gateway = await createGateway({ ...options, log: (line) => tell({ line }) })
    const { router, registry, vectorStore } = gateway
    const inWords = ({ message }) => tell({ line: `${message}; ranking is by terms only` })
    if (wantsModel) router.loadModel({ vectorStore }).then(() => registry.embed(), inWords)
    const { url, token } = await gateway.listen({ page })
    tell({ url, token })
  } catch ({ message }) {
    tell({ failed: message })
  }
}

process.on(
  'message',
  (/** @type {{ options?: object, wantsModel: boolean, page?: boolean, reload?: true, drain?: number }} */ message) => {
    if (message.options !== undefined) void begin(message)
    // What is wrong is in the log.
    else if (message.drain !== undefined) void drain(message.drain)
    else if (message.reload) void gateway?.reload().catch(() => {})
  },
)
