// Gateways over one database, each a process: started, killed, and started again at their ports; and a proxy without memory.

import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

const file = (name) => fileURLToPath(new URL(name, import.meta.url))
const CLI = file('../../../../packages/gateway/cli.mjs')
const LEDGER = file('ledger-server.mjs')
export const TOKEN = 'a-token-of-the-soak-with-some-length'
export const CLOSED = new Set(['ECONNREFUSED'])

/** The configuration of all gateways. `own` runs in each of them, `one` in one for all. */
export function configured(folder, store) {
  const place = (name) => path.join(folder, name)
  writeFileSync(place('ledger'), '')
  writeFileSync(place('wording'), 'Says it the first time.')
  const server = (more) => ({ command: process.execPath, args: [LEDGER, place('ledger'), place('wording')], ...more })
  const config = {
    mcpServers: { own: server(), one: server({ oneInstance: true }) },
    gateway: { store, changedTools: 'withhold', requestsPerSecond: 10_000, requestBurst: 20_000 },
  }
  writeFileSync(place('mcp.json'), JSON.stringify(config))
  return { config, file: place('mcp.json'), ledger: place('ledger'), wording: place('wording') }
}

export class Replica {
  url
  isUp = false
  /** Counts starts. */
  life = 0
  #file
  #child
  #log

  constructor(file, log) {
    this.#file = file
    this.#log = log
  }

  async start() {
    const port = this.url === undefined ? 0 : new URL(this.url).port
    const args = [CLI, 'gateway', '--config', this.#file, '--lexical', '--http', String(port)]
    const env = { ...process.env, ZOO_TOOL_ROUTER_TOKEN: TOKEN }
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
    this.#child = child
    this.life += 1
    let said = ''
    const [, url] = await new Promise((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`a gateway ended with ${code}: ${said}`)))
      child.stderr.on('data', (chunk) => {
        this.#log(chunk)
        said += chunk
        const listening = /listening on (\S+)/.exec(said)
        if (listening) resolve(listening)
      })
    })
    this.url = url
    this.isUp = true
  }

  async kill(signal = 'SIGKILL') {
    this.isUp = false
    const ended = new Promise((resolve) => this.#child.once('exit', resolve))
    this.#child.kill(signal)
    await ended
  }
}

export class Balancer {
  #replicas
  #turn = 0

  constructor(replicas) {
    this.#replicas = replicas
  }

  /** Sends a request to the next gateway, or past one that refuses the connection: nothing was sent to that one. */
  async fetch(init) {
    for (;;) {
      const replica = this.#replicas[this.#turn++ % this.#replicas.length]
      if (!replica.isUp) continue
      try {
        return await fetch(replica.url, init)
      } catch (error) {
        if (!CLOSED.has(error.cause?.code)) throw error
      }
    }
  }
}
