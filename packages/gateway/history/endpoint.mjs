// A model behind an address that speaks as OpenAI's Chat Completions do, and a budget that is never passed: a request that might is
// not made.

import { setTimeout as sleep } from 'node:timers/promises'

import { invalid, routerError } from '../base/errors.mjs'

/** Tokens that an answer may have: a call and a few words. */
const MAX_OUTPUT = 1_024
/** How long an answer is waited for, and how often an address that is busy is asked again. */
const ANSWER_MS = 180_000
const TRIES = 3
const WAIT_MS = 2_000
/** A provider counts other tokens than this router: by how much is seen in each answer, and so much more is set aside. */
const MARGIN = 1.25
const MILLION = 1_000_000

/** The budget is spent, as far as is known beforehand. */
export class Spent extends Error {
  name = 'Spent'
}

/**
 * @param {string} text `200000` tokens, or `$2.50` at `--price`
 * @param {string | undefined} prices dollars for a million tokens that are read and written: `3/15`
 * @returns {{ most: number, costOf: (prompt: number, output: number) => number, unit: 'tokens' | 'dollars' }}
 */
export function budgetOf(text, prices) {
  const [, isPrice, number] = /^(\$?)(\d+(?:\.\d+)?)$/.exec(text.replaceAll(/[_,]/g, '')) ?? []
  if (number === undefined) throw invalid('--budget', 'tokens, as 200000, or dollars, as $2.50', text)
  if (isPrice === '') return { most: Number(number), unit: 'tokens', costOf: (prompt, output) => prompt + output }
  const [, input, output] = /^(\d+(?:\.\d+)?)\/(\d+(?:\.\d+)?)$/.exec(prices ?? '') ?? []
  if (input === undefined)
    throw invalid('--price', 'dollars for a million tokens that are read and written, as 3/15', prices)
  const costOf = (read, written) => (read * Number(input) + written * Number(output)) / MILLION
  return { most: Number(number), unit: 'dollars', costOf }
}

export class Endpoint {
  spent = 0
  /** Answers that did not say their tokens. */
  uncounted = 0
  #address
  #headers
  #budget
  #count
  /** How many tokens a provider counts where the router counts one, at most; unknown before the first answer. @type {number | undefined} */
  #ratio
  #outputField = 'max_tokens'

  /**
   * @param {{ base: string, name: string, key?: string, budget: ReturnType<typeof budgetOf>,
   * count: (text: string) => Promise<number> }} given
   */
  constructor({ base, name, key, budget, count }) {
    const address = URL.canParse(base) ? new URL(base) : undefined
    if (!/^https?:$/.test(address?.protocol ?? ''))
      throw invalid('--model', 'the address of a model, as http://127.0.0.1:11434/v1', base)
    this.#address = `${base.replace(/\/+$/, '')}/chat/completions`
    this.#headers = { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) }
    this.name = name
    this.unit = budget.unit
    this.#budget = budget
    this.#count = count
  }

  /**
   * @param {object[]} messages
   * @param {object[]} tools
   * @returns {Promise<{ message: any, tokens: number, ms: number }>}
   * @throws {Spent} where the budget might not be enough for it
   */
  async ask(messages, tools) {
    const body = { model: this.name, messages, ...(tools.length > 0 && { tools }), [this.#outputField]: MAX_OUTPUT }
    const text = JSON.stringify(body)
    const own = await this.#count(text)
    // No token is shorter than a byte: before anything is known of a provider, nothing less is certain.
    const most = this.#ratio === undefined ? Buffer.byteLength(text) : own * this.#ratio * MARGIN
    if (this.spent + this.#budget.costOf(most, MAX_OUTPUT) > this.#budget.most) throw new Spent('the budget is spent')
    const started = performance.now()
    const answer = await this.#post(text)
    const ms = performance.now() - started
    if (answer === undefined) return this.ask(messages, tools)
    const message = answer.choices?.[0]?.message ?? {}
    const isCounted = Number.isFinite(answer.usage?.prompt_tokens)
    if (!isCounted) this.uncounted += 1
    const prompt = isCounted ? answer.usage.prompt_tokens : own
    const output = answer.usage?.completion_tokens ?? (await this.#count(JSON.stringify(message)))
    this.#ratio = Math.max(this.#ratio ?? 1, prompt / Math.max(1, own))
    this.spent += this.#budget.costOf(prompt, output)
    return { message, tokens: prompt + output, ms }
  }

  /** @returns {Promise<any>} nothing where the request has to be written in another way */
  async #post(body) {
    for (let attempt = 1; ; attempt++) {
      const response = await fetch(this.#address, {
        method: 'POST',
        headers: this.#headers,
        body,
        // Another address is another reader of what is sent.
        redirect: 'error',
        signal: AbortSignal.timeout(ANSWER_MS),
      }).catch((error) => {
        throw routerError('ERR_INVALID_ARGUMENT', `--model: it cannot be reached (${error.cause?.code ?? error.name})`)
      })
      if (response.ok) return response.json()
      const said = await response.text()
      if (response.status === 400 && said.includes('max_completion_tokens') && this.#outputField === 'max_tokens') {
        this.#outputField = 'max_completion_tokens'
        return undefined
      }
      const isBusy = response.status === 429 || response.status >= 500
      // What it answers may repeat what it was sent: only its status is told.
      if (!isBusy || attempt === TRIES)
        throw Object.assign(new Error(`the model answered with HTTP status ${response.status}`), {
          status: response.status,
        })
      await sleep(WAIT_MS * attempt)
    }
  }
}
