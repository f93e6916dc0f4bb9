// Listens to what one server prints, and says why it does not run.

import { howEnded, whyNot } from './failure.mjs'
import { LastWords } from './last-words.mjs'
import { Secrets } from '../base/secrets.mjs'

export class Explainer {
  #definition
  #secrets
  #onLine
  #lastWords

  /**
   * @param {import('../downstream/downstream.mjs').ServerDefinition} definition
   * @param {(line: string) => void} [onLine] hears each line that it prints
   */
  constructor(definition, onLine) {
    this.#definition = definition
    this.#secrets = new Secrets(definition)
    this.#onLine = onLine
    this.begin()
  }

  /** A new start: what it printed before is no reason any more. @returns {(chunk: Buffer) => void} takes what it prints */
  begin() {
    const lastWords = new LastWords(this.#secrets, this.#onLine)
    this.#lastWords = lastWords
    return (chunk) => lastWords.take(chunk)
  }

  /** The last lines that it printed since its start, without its secrets. */
  get lines() {
    return this.#lastWords.lines
  }

  /** A text without its secrets. */
  hide(text) {
    return this.#secrets.hide(text)
  }

  /** Why it could not be started. */
  whyNot(error, transport) {
    const about = { definition: this.#definition, lastWords: this.#lastWords, secrets: this.#secrets }
    return whyNot(error, { ...about, exit: transport?.exit, framing: transport?.framing })
  }

  /** Why one that ran has ended. What it printed while it worked is not told, except for an error at its end. */
  whyEnded(transport) {
    const { exit } = transport ?? {}
    const said = exit?.code === 0 ? undefined : this.#lastWords.error
    return `it has ended${howEnded(exit)}${said === undefined ? '' : `: ${said}`}`
  }
}
