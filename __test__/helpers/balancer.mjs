// Replicas over one database, each a process: started, killed, and started again at their ports; and a proxy that sends each request
// to the replica that it names, as that of examples/team does.

import { spawn } from 'node:child_process'
import process from 'node:process'

import { CLI } from './gateway.mjs'

export const TOKEN = 'a-token-of-a-test-with-some-length'
const CLOSED = new Set(['ECONNREFUSED'])

export class Replica {
  url
  isUp = false
  #file
  #child

  /** @param {string} file @param {number} at its place among the others */
  constructor(file, at) {
    this.name = `replica-${at}`
    this.#file = file
  }

  async start() {
    const port = this.url === undefined ? 0 : new URL(this.url).port
    const args = [CLI, 'gateway', '--config', this.#file, '--lexical', '--http', String(port)]
    const env = { ...process.env, ZOO_TOOL_ROUTER_TOKEN: TOKEN, ZOO_TOOL_ROUTER_REPLICA: this.name }
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
    this.#child = child
    let said = ''
    const [, url] = await new Promise((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`a gateway ended with ${code}: ${said}`)))
      child.stderr.on('data', (chunk) => {
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

  /** Sends a request to the replica of its session, or of what the next one says that it goes on with; otherwise to any. */
  async fetch(init) {
    const [name] = (new Headers(init.headers).get('mcp-session-id') ?? '').split('.')
    const answer = await this.#sent(name, init)
    return answer.status === 421 ? this.#sent(answer.headers.get('mcp-replica'), init) : answer
  }

  /** Past one that refuses the connection: nothing was sent to that one. */
  async #sent(name, init) {
    const named = this.#replicas.find((each) => each.name === name)
    for (let next = named; ; next = undefined) {
      const replica = next ?? this.#replicas[this.#turn++ % this.#replicas.length]
      if (!replica.isUp) continue
      try {
        return await fetch(replica.url, init)
      } catch (error) {
        if (!CLOSED.has(error.cause?.code)) throw error
      }
    }
  }
}
