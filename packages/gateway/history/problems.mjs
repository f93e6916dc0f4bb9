// What of a history could not be read: by file, with how much of it. Words of a file never stand here.

/** Kinds of lines that are told of one program: versions to come have more. */
const MAX_KINDS = 12

/** @typedef {{ program: string, file: string, pieces: number, why: string }} Unread */

export class Problems {
  /** @type {Map<string, Unread>} */
  #unread = new Map()
  /** @type {Map<string, Map<string, number>>} */
  #kinds = new Map()

  /** A piece of a file, or without `piece` all of it. */
  unread(program, file, why) {
    const key = JSON.stringify([file, why])
    const known = this.#unread.get(key) ?? { program, file, pieces: 0, why }
    known.pieces += 1
    this.#unread.set(key, known)
  }

  /** A kind that no table has. What is no word may be anything, and is not repeated. */
  unknown(program, kind) {
    const kinds = this.#kinds.get(program) ?? new Map()
    this.#kinds.set(program, kinds)
    const isWord = typeof kind === 'string' && /^[a-z][a-z_/-]{1,40}$/i.test(kind)
    const name = isWord && (kinds.has(kind) || kinds.size < MAX_KINDS) ? kind : 'others'
    kinds.set(name, (kinds.get(name) ?? 0) + 1)
  }

  get files() {
    return [...this.#unread.values()]
  }

  get kinds() {
    return [...this.#kinds].flatMap(([program, kinds]) => [...kinds].map(([kind, count]) => ({ program, kind, count })))
  }
}

/** Why a file could not be opened or read, by its code alone. */
export function whyOf(error) {
  return typeof error.code === 'string' ? `it cannot be read (${error.code})` : error.message
}
