// SPDX-License-Identifier: Apache-2.0
//
// Definitions of tools as somebody has accepted them: with `changedTools: 'withhold'` a tool that says something else, now
// or after a restart, is off until it is approved. The first list of a server is accepted as it comes. Skills are held in the
// same way, under names that no tool needs.

import { createHash } from 'node:crypto'

import { identityOf } from './store/identity.mjs'

/** Characters of a description that are kept, to show a person what has changed. */
export const KEPT = 1_000
/** What a model reads of a tool, or a client decides by. */
const PARTS = ['title', 'description', 'inputSchema', 'annotations']

/** @typedef {{ name: string, title?: string, description?: unknown, inputSchema?: unknown, annotations?: unknown }} Listed what is compared */

/** How approvals call a skill, as in `approve one/skills/skill://one/review/SKILL.md`. */
const OF_SKILLS = 'skills/'
export const nameOfSkill = (uri) => OF_SKILLS + uri
export const isSkillName = (name) => name.startsWith(OF_SKILLS)
const isToolName = (name) => !isSkillName(name)

export class Approvals {
  #store
  /** What was accepted when it was looked up last, by server: for a store that is out of reach. */
  #known = new Map()

  /** @param {import('./store/store.mjs').Store} store */
  constructor(store) {
    this.#store = store
  }

  /**
   * Compares a list with what was accepted, and keeps what is new. A list that was kept may be older than what is accepted:
   * for it nothing waits, and what waits goes on waiting.
   *
   * @param {import('./config/server.mjs').ServerDefinition} definition of the server
   * @param {Listed[]} tools as it lists them
   * @param {(name: string) => boolean} [isMeant] which names it speaks of; others that wait go on waiting
   * @param {boolean} [isKept] whether the list is one that was kept, not one that the server has just given
   * @returns {Promise<Set<string>>} names of tools that are not as they were accepted
   */
  async changed(definition, tools, isMeant = isToolName, isKept = false) {
    const { accepted, differing } = await this.#store.changeApprovals(definition, (before) => {
      const accepted = new Map(before.accepted)
      const changed = new Map([...before.changed].filter(([name]) => isKept || !isMeant(name)))
      const differing = new Set()
      for (const tool of tools) {
        if (typeof tool?.name !== 'string') continue
        const seen = seenOf(tool)
        const known = accepted.get(tool.name)
        if (known === undefined) accepted.set(tool.name, seen)
        else if (known.hash !== seen.hash) {
          differing.add(tool.name)
          if (!isKept) changed.set(tool.name, seen)
        }
      }
      return { after: { accepted, changed }, result: { accepted, differing } }
    })
    this.#known.set(identityOf(definition), accepted)
    return differing
  }

  /**
   * Tools that nobody is known to have accepted as they are, without asking the store.
   *
   * @param {import('./config/server.mjs').ServerDefinition} definition of the server
   * @param {Listed[]} tools as it lists them
   * @returns {string[]} their names
   */
  unknown(definition, tools) {
    const accepted = this.#known.get(identityOf(definition)) ?? new Map()
    const named = tools.filter((tool) => typeof tool?.name === 'string')
    return named.filter((tool) => accepted.get(tool.name)?.hash !== seenOf(tool).hash).map(({ name }) => name)
  }

  /** Tools of a server that wait, each with the beginnings of its descriptions, and what tells this text from any other. */
  async waiting(definition) {
    const { accepted, changed } = await this.#store.readApprovals(definition)
    return [...changed].map(([tool, is]) => ({
      tool,
      was: accepted.get(tool)?.description ?? '',
      is: is.description,
      hash: is.hash,
    }))
  }

  /**
   * Accepts what has changed.
   *
   * @param {import('./config/server.mjs').ServerDefinition} definition
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

/** @returns {import('./store/store.mjs').Seen} */
function seenOf(tool) {
  const description = typeof tool.description === 'string' ? tool.description.slice(0, KEPT) : ''
  return { hash: definitionHash(tool), description }
}

/** What tells a definition from every other one. @param {Listed} tool */
export function definitionHash(tool) {
  const said = PARTS.map((part) => tool[part] ?? null)
  return createHash('sha256').update(JSON.stringify(said)).digest('base64url')
}
