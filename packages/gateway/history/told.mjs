// What a transcript tells, in one form for all programs: what was said, what the model was asked with, what it called. Texts
// are in memory while a session is played, and nowhere else.

import { parsed } from './marked.mjs'

/** Characters of one message: as much as the router reads of it. */
const MAX_TEXT = 32 * 1024
/** Characters of all messages of a session: of more the router ranks none. Later ones count as said, without their words. */
const MAX_TEXTS = 256 * 1024
/** Characters of a name that a model called. */
const MAX_NAME = 256

/**
 * @typedef {object} Said a message of a person, or of the model that began a subtask
 * @property {'said'} kind
 * @property {string} text
 * @property {number} place its line, or its place in the list
 *
 * @typedef {object} Asked a request to the model
 * @property {'asked'} kind
 * @property {number} [prompt] tokens that it read in all, cached ones too; absent where the transcript does not say
 * @property {number} read of these, tokens that came from the provider's cache
 * @property {number} written of these, tokens that were written to it
 * @property {number} writtenLong of the written ones, those that are kept for an hour
 * @property {number} output
 * @property {string} model
 * @property {number} [at] when, in milliseconds
 * @property {number} place
 *
 * @typedef {object} Called
 * @property {'called'} kind
 * @property {string} name as the model wrote it
 * @property {string} [server] where the transcript or the name tells them apart
 * @property {string} [tool]
 * @property {boolean} isOwn a tool of the program itself, or of a gateway
 * @property {number} place
 *
 * @typedef {object} Changed what ends a cache, as far as a transcript tells it
 * @property {'changed'} kind
 * @property {'compacted' | 'tools' | 'resumed'} what
 * @property {number} place
 *
 * @typedef {Said | Asked | Called | Changed} Told
 *
 * @typedef {object} Session
 * @property {string} program
 * @property {string} form which table read it
 * @property {string} file
 * @property {string} id
 * @property {number} [at] when it began, in milliseconds
 * @property {boolean} isSubtask
 * @property {boolean} defers whether the program held tools back until the model searched for them
 * @property {Told[]} told
 */

/** Names by which gateways of this kind have tools called, and what else they offer a model. */
const CALLS = /(^|[^a-z])call_tool(_read|_write|_destructive)?$/
const META =
  /(^|[^a-z])(mcp_load|search_mcps|select_mode|manage_modules|describe_tool|read_result|run_program|report_missing_capability)$/

/** Gathers what a transcript tells of one session. */
export class Telling {
  /** @type {Session} */
  session
  #texts = 0
  /** @type {Map<string, Asked>} by the id of the answer: its parts stand in lines of their own */
  #asked = new Map()
  /** @type {Map<string, Called>} */
  #called = new Map()
  #model

  constructor({ program, form, file, id, isSubtask = false }) {
    this.session = { program, form, file, id, isSubtask, defers: false, told: [] }
  }

  /** @param {number | undefined} at */
  began(at) {
    if (Number.isFinite(at)) this.session.at ??= at
  }

  said(text, place) {
    const words = typeof text === 'string' ? text.trim() : ''
    if (words === '') return
    const kept = this.#texts < MAX_TEXTS ? words.slice(0, MAX_TEXT) : ''
    this.#texts += kept.length
    // A slice of a text keeps the whole text alive.
    this.session.told.push({ kind: 'said', text: Buffer.from(kept).toString(), place })
  }

  /**
   * @param {{ id?: string, prompt?: number, read?: number, written?: number, writtenLong?: number, output?: number,
   * model?: string, at?: number }} usage
   * @param {number} place
   */
  asked({ id, prompt, read = 0, written = 0, writtenLong = 0, output = 0, model, at }, place) {
    const known = id === undefined ? undefined : this.#asked.get(id)
    if (known !== undefined) {
      known.output = Math.max(known.output, count(output))
      return known
    }
    this.#model = typeof model === 'string' ? model.slice(0, MAX_NAME) : (this.#model ?? '')
    /** @type {Asked} */
    const asked = {
      kind: 'asked',
      ...(count(prompt) > 0 && { prompt: count(prompt) }),
      read: count(read),
      written: count(written),
      writtenLong: count(writtenLong),
      output: count(output),
      model: this.#model,
      ...(Number.isFinite(at) && { at }),
      place,
    }
    if (id !== undefined) this.#asked.set(id, asked)
    this.session.told.push(asked)
    return asked
  }

  /**
   * @param {string} name as the model wrote it
   * @param {{ id?: string, server?: string, tool?: string, isOwn?: boolean, input?: any, place: number }} how `input`: of it
   * only the name is read that a gateway is asked to call
   */
  called(name, { id, server, tool, isOwn = false, input, place }) {
    if (typeof name !== 'string' || name === '' || (id !== undefined && this.#called.has(id))) return
    const inner = CALLS.test(name) ? nameIn(input) : undefined
    /** @type {Called} */
    const called =
      inner === undefined
        ? { kind: 'called', name: cut(name), ...(tool && { server, tool }), isOwn: isOwn || META.test(name), place }
        : { kind: 'called', name: cut(inner), isOwn: false, place }
    if (id !== undefined) this.#called.set(id, called)
    this.session.told.push(called)
  }

  /** The names of a call that was told already, as its server has them. */
  named(id, server, tool) {
    const called = this.#called.get(id)
    if (called && !called.isOwn && called.name.endsWith(tool))
      Object.assign(called, { server: cut(server), tool: cut(tool) })
  }

  changed(what, place) {
    this.session.told.push({ kind: 'changed', what, place })
  }

  get isEmpty() {
    return this.session.told.length === 0
  }
}

const cut = (name) => Buffer.from(String(name).slice(0, MAX_NAME)).toString()
const count = (value) => (Number.isFinite(value) && value > 0 ? Math.round(value) : 0)

/** @returns {string | undefined} the name that a call of a gateway's tool is for */
function nameIn(input) {
  const given = typeof input === 'string' ? parsed(input) : input
  return typeof given?.name === 'string' ? given.name : undefined
}

/** @param {unknown} time */
export const momentOf = (time) =>
  typeof time === 'number' ? time : (typeof time === 'string' && Date.parse(time.slice(0, 40))) || undefined
