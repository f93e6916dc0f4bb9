// Definitions of tools as somebody has accepted them: with `changedTools: 'withhold'` a tool that says something else, now
// or after a restart, is off until it is approved. The first list of a server is accepted as it comes, except for tools in
// which the shield finds something (`withholdTools`). Prompts are held in the same way, under names that no tool needs.

import { NotKept } from './away.mjs'
import { differences, hashOf, textOf } from './definitions.mjs'
import { identityOf } from './identity.mjs'

/** Characters of one definition that are kept, and of all of a server's that are accepted, or that wait. */
const MAX_OF_ONE = 256 * 1024
const MAX_TOGETHER = 4 * 1024 * 1024
/** Names that are kept: those that a server lists, and before them the latest that it listed once. */
const MAX_NAMES = 10_000
/** Characters of a name. What is called by more is not kept, and counts as another one each time. */
const MAX_NAME = 1_200

/** @typedef {import('./definitions.mjs').Listed} Listed what is compared @typedef {import('./store.mjs').Seen} Seen */

/** How approvals call a prompt. */
const OF_PROMPTS = 'prompts/'
export const nameOfPrompt = (name) => OF_PROMPTS + name
export const isPromptName = (name) => name.startsWith(OF_PROMPTS)
const isToolName = (name) => !isPromptName(name)

/** Why a tool may be off until it is approved. */
export const APPROVABLE = ['changed', 'new', 'suspicious']
export const isApprovable = (reason) => APPROVABLE.includes(reason)

export class Approvals {
  #store
  /** What was accepted when it was looked up last, by server: for a store that is out of reach. */
  #known = new Map()

  #log

  /** @param {import('./store.mjs').Store} store @param {(line: string) => void} [log] */
  constructor(store, log = () => {}) {
    this.#store = store
    this.#log = log
  }

  /**
   * Compares a list with what was accepted, and keeps what is new. A list that was kept may be older than what is accepted:
   * for it nothing waits, and what waits goes on waiting.
   *
   * @param {import('../config/server.mjs').ServerDefinition} definition of the server
   * @param {Listed[]} tools as it lists them
   * @param {(name: string) => boolean} [isMeant] which names it speaks of; others that wait go on waiting
   * @param {boolean} [isKept] whether the list is one that was kept, not one that the server has just given
   * @param {(name: string, isFirst: boolean) => boolean} [mayCome] whether one that nobody has seen is accepted as it comes;
   * `isFirst`: with the first list of its server
   * @returns {Promise<Set<string>>} names of tools that are not as they were accepted
   */
  async changed(definition, tools, isMeant = isToolName, isKept = false, mayCome = () => true) {
    const compare = (before) => {
      const accepted = new Map(before.accepted)
      const changed = new Map([...before.changed].filter(([name]) => isKept || !isMeant(name)))
      const differing = new Set()
      const isFirst = ![...accepted.keys()].some(isMeant)
      for (const tool of tools) {
        if (typeof tool?.name !== 'string') continue
        if (tool.name.length > MAX_NAME) {
          differing.add(tool.name)
          continue
        }
        const seen = seenOf(tool)
        const known = accepted.get(tool.name)
        if (known === undefined && mayCome(tool.name, isFirst)) accepted.set(tool.name, seen)
        else if (known?.hash !== seen.hash) {
          differing.add(tool.name)
          if (!isKept) changed.set(tool.name, seen)
        }
      }
      const names = new Set(tools.map((tool) => tool?.name))
      const after = { accepted: bounded(accepted, names), changed: bounded(changed, names) }
      return { after, result: { accepted: after.accepted, differing } }
    }
    const compared = this.#store.changeApprovals(definition, compare)
    const { accepted, differing } = await compared.catch((error) => this.#goOn(error))
    this.#known.set(identityOf(definition), accepted)
    return differing
  }

  /** Where nothing can be kept, as on a disk that only reads, changes are found as long as this process runs. */
  #goOn(error) {
    if (!(error instanceof NotKept)) throw error
    if (error.isFirst) this.#log(`${error.message}; a tool that changes is noticed only while this gateway runs`)
    return error.result
  }

  /**
   * Tools that nobody is known to have accepted as they are, without asking the store.
   *
   * @param {import('../config/server.mjs').ServerDefinition} definition of the server
   * @param {Listed[]} tools as it lists them
   * @returns {string[]} their names
   */
  unknown(definition, tools) {
    const accepted = this.#known.get(identityOf(definition)) ?? new Map()
    const named = tools.filter((tool) => typeof tool?.name === 'string')
    return named.filter((tool) => accepted.get(tool.name)?.hash !== seenOf(tool).hash).map(({ name }) => name)
  }

  /** Whether any text of it was accepted when it was compared last. */
  wasAccepted(definition, name) {
    return this.#known.get(identityOf(definition))?.has(name) ?? false
  }

  /**
   * Tools of a server that wait, each with what it says differently, and what tells this text from any other.
   *
   * @param {import('../config/server.mjs').ServerDefinition} definition
   * @returns {Promise<{ tool: string, hash: string, definition?: string, parts: import('./definitions.mjs').Part[], more: number,
   * isWhole: boolean }[]>} `isWhole`: whether that is all of it
   */
  async waiting(definition) {
    const { accepted, changed } = await this.#store.readApprovals(definition)
    return [...changed].map(([tool, is]) => {
      const was = accepted.get(tool)
      // Of one that nobody has accepted all that is shown is new.
      const isWhole = Boolean(is.definition) && (was === undefined || Boolean(was.definition))
      return {
        tool,
        hash: is.hash,
        definition: is.definition,
        ...differences(was?.definition || '{}', is.definition || '{}'),
        isWhole,
      }
    })
  }

  /**
   * Accepts what has changed.
   *
   * @param {import('../config/server.mjs').ServerDefinition} definition
   * @param {string} [only] one tool's name
   * @param {string} [hash] of the text that was read: one that came since is not accepted
   * @returns {Promise<string[]>} names
   */
  approve(definition, only, hash) {
    return this.#store.changeApprovals(definition, ({ accepted, changed }) => {
      const isMeant = (name, seen) =>
        (only === undefined || name === only) && (hash === undefined || seen.hash === hash)
      const meant = [...changed].filter(([name, seen]) => isMeant(name, seen))
      const names = meant.map(([name]) => name)
      const left = new Map([...changed].filter(([name]) => !names.includes(name)))
      return { after: { accepted: new Map([...accepted, ...meant]), changed: left }, result: names }
    })
  }

  /** Tells of each change of what is accepted, whoever makes it. @returns {Promise<() => void>} ends it */
  watch(definition, told) {
    return this.#store.watchApprovals(definition, told)
  }
}

/**
 * What a person sees beside a text that waits: what the shield found in the list, and what it finds in texts that a list is not
 * looked at for, as those of results and of `_meta`.
 *
 * @param {Pick<import('@zoo-code/tool-router/internal').ToolRouter, 'checkText'>} router
 * @param {{ parts: import('./definitions.mjs').Part[] }} waiting
 * @param {import('@zoo-code/tool-router/internal').Finding[]} ofList
 */
export async function findingsIn(router, { parts }, ofList) {
  const said = parts.map(({ is }) => is ?? '').join('\n\n')
  const all = [...ofList, ...(await router.checkText(said.toWellFormed()).catch(() => []))]
  return all.filter(
    ({ code, severity }, at) => severity !== 'low' && all.findIndex((each) => each.code === code) === at,
  )
}

/** What is kept of a definition: the whole of it, unless it is longer than any honest one. */
function seenOf(listed) {
  const text = textOf(listed)
  return { hash: hashOf(text), definition: text.length > MAX_OF_ONE ? '' : text }
}

/**
 * As much as is kept of a server's: a server that lists ever new names or texts fills no store.
 *
 * @param {Map<string, Seen>} all
 * @param {Set<unknown>} listed names that it lists now
 */
function bounded(all, listed) {
  const kept = new Map(all)
  for (const name of all.keys()) {
    if (kept.size <= MAX_NAMES) break
    if (!listed.has(name)) kept.delete(name)
  }
  let left = MAX_TOGETHER
  for (const [name, { hash, definition }] of kept) {
    left -= definition?.length ?? 0
    if (left < 0 && definition) kept.set(name, { hash, definition: '' })
  }
  return kept
}
