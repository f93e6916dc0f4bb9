// A proxy before replicas over one database that sends each request to the replica that it names, as that of examples/team does.

const CLOSED = new Set(['ECONNREFUSED'])

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
