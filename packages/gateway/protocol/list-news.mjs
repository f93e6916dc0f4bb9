// Changes of lists of servers, told to a client once for all servers that come together.

/** Changes within this time are told of once. */
export const COALESCE_MS = 20

export class ListNews {
  #tell
  /** @type {Map<string, NodeJS.Timeout>} by kind of list */
  #timers = new Map()

  /** @param {(method: string) => unknown} tell */
  constructor(tell) {
    this.#tell = tell
  }

  /** @param {'resources' | 'prompts'} kind */
  changed(kind) {
    if (this.#timers.has(kind)) return
    const timer = setTimeout(() => {
      this.#timers.delete(kind)
      this.#tell(`notifications/${kind}/list_changed`)
    }, COALESCE_MS)
    this.#timers.set(kind, timer.unref())
  }

  close() {
    for (const timer of this.#timers.values()) clearTimeout(timer)
  }
}
