// Where the browser comes back to after a login at a gateway behind a proxy: to the gateway's own address, by which it is told
// whose answer it brings.

import { createHash } from 'node:crypto'

import { sayPage } from './callback.mjs'

/** The path of answers. */
export const ANSWERS = '/login/callback'

export class PublicWay {
  #redirectUrl
  /** Who waits, by a hash of the state that only he and the browser know. @type {Map<string, (answer: URLSearchParams) => void>} */
  #waiting = new Map()

  /** @param {string} origin the gateway's, as browsers have it */
  constructor(origin) {
    this.#redirectUrl = origin + ANSWERS
  }

  /** As {@link import('./callback.mjs').listenForAnswer}. */
  open() {
    let key = ''
    return {
      redirectUrl: this.#redirectUrl,
      answer: (state) => {
        key = keyOf(state)
        return new Promise((resolve) => this.#waiting.set(key, resolve))
      },
      close: () => void this.#waiting.delete(key),
    }
  }

  /**
   * Gives an answer to who waits for it.
   *
   * @param {URLSearchParams} answer
   * @returns {boolean} whether somebody does; any page can send a browser here
   */
  #take(answer) {
    const key = keyOf(answer.get('state') ?? '')
    const resolve = this.#waiting.get(key)
    this.#waiting.delete(key)
    resolve?.(answer)
    return resolve !== undefined
  }

  /**
   * Answers a browser that comes back.
   *
   * @param {import('node:http').IncomingMessage} request
   * @param {import('node:http').ServerResponse} response
   */
  answer(request, response) {
    if (request.method !== 'GET') return sayPage(response, 404, 'Not here', 'This address answers logins only.')
    const { searchParams } = new URL(String(request.url), this.#redirectUrl)
    if (this.#take(searchParams)) return sayPage(response, 200, 'Done', 'You can close this page and go back.')
    return sayPage(response, 400, 'Not this login', 'No login waits for this answer. Begin it again.')
  }
}

const keyOf = (state) => createHash('sha256').update(state).digest('base64url')
