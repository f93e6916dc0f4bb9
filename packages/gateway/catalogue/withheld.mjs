// Tools that a server offers and this gateway keeps back, beside those that the configuration switches off: with
// `readOnly` what is not known to only read, with `changedTools: 'withhold'` what says something else than it did, with
// `newTools: 'withhold'` what comes later than the others, and with `withholdTools` what the shield finds something in.

import { approveLine } from '../base/command-line.mjs'
import { switchedTools, withoutClient } from '../config/tool-spelling.mjs'
import { withoutHidden } from '../names/hidden-characters.mjs'
import { APPROVABLE, isApprovable, isPromptName } from '../store/approvals.mjs'
import { hashOf, textOf } from '../store/definitions.mjs'
import { StoreAway } from '../store/away.mjs'
import { kindOf } from '../names/tool-kind.mjs'
import { withSchemaText } from './catalogue-entry.mjs'
import { kindsOf } from './kinds.mjs'
import { SEVERITIES, Shield } from './shield.mjs'

/** How approvals call what a server says about its use. */
export const INSTRUCTIONS = 'instructions/'
/** Whether a name stands for something else where approvals are kept. */
const isReserved = (tool) => typeof tool?.name === 'string' && (tool.name === INSTRUCTIONS || isPromptName(tool.name))
/** Reasons that somebody, or the store, can end. */
const WAITING = [...APPROVABLE, 'unchecked']
/** Definitions of which is known what the shield finds in them. */
const MAX_CHECKED = 20_000

export class Withholding {
  #settings
  #approvals
  #router
  #shield
  /** Severities of what the shield finds in a definition, by server and what it says. @type {Map<string, string[]>} */
  #checked = new Map()
  /** What ends the watch of an entry that waits for an approval. */
  #watched = new Map()

  /**
   * @param {{ readOnly: boolean, changedTools: string, newTools: string, withholdTools: string }} settings
   * @param {import('../store/approvals.mjs').Approvals} approvals
   * @param {Pick<import('@zoo-code/tool-router/internal').ToolRouter, 'checkTool' | 'checkText'>} router
   */
  constructor(settings, approvals, router) {
    this.#settings = settings
    this.#approvals = approvals
    this.#router = router
    this.#shield = new Shield(router, settings)
  }

  /**
   * @param {import('../config/server.mjs').ServerDefinition} definition of the server
   * @param {import('./catalogue.mjs').Tool[]} tools as it lists them
   * @param {boolean} [isKept] see {@link Approvals.changed}
   * @param {string} [instructions] of the server, which are held as a tool is, under the name {@link INSTRUCTIONS}
   * @returns {Promise<Map<string, 'changed' | 'new' | 'suspicious' | 'unchecked' | 'not-read-only' | 'reserved'>>} reasons by tool name
   */
  async of(definition, tools, isKept, instructions) {
    const { readOnly } = this.#settings
    const found = new Map()
    const own = tools.filter((tool) => !isReserved(tool))
    const all = instructions === undefined ? own : [...own, { name: INSTRUCTIONS, description: instructions }]
    const suspicious = await this.#suspicious(definition, all)
    const compared = isCompared(this.#settings) ? all : all.filter((tool) => suspicious.has(tool?.name))
    if (compared.length > 0)
      for (const [name, reason] of await this.#unaccepted(definition, compared, isKept, suspicious))
        found.set(name, reason)
    for (const { name } of tools.filter(isReserved)) found.set(name, 'reserved')
    if (readOnly) {
      const kinds = kindsOf(definition, tools)
      for (const tool of own)
        if (typeof tool?.name === 'string' && kindOf(tool, kinds) !== 'read') found.set(tool.name, 'not-read-only')
    }
    return found
  }

  /** Names of tools in which, as they are shown, the shield finds something that is severe enough. */
  async #suspicious({ name: server }, tools) {
    const severities = SEVERITIES[this.#settings.withholdTools]
    const names = new Set()
    if (severities.length === 0) return names
    // One after the other: a long list is not to be refused as too many calls.
    for (const tool of tools.map(withoutHidden)) {
      if (typeof tool?.name !== 'string') continue
      const key = `${server} ${hashOf(textOf(tool))}`
      const found = this.#checked.get(key) ?? (await this.#severitiesOf(server, tool))
      this.#checked.delete(key)
      this.#checked.set(key, found)
      if (this.#checked.size > MAX_CHECKED) this.#checked.delete(this.#checked.keys().next().value ?? '')
      if (found.some((severity) => severities.includes(severity))) names.add(tool.name)
    }
    return names
  }

  /** A tool that cannot be read is none of the router's either. What else stops a check stops the list, too. */
  async #severitiesOf(server, tool) {
    const { name, title, description, inputSchema, ...rest } = tool
    if (name === INSTRUCTIONS) return (await this.#shield.isSevere(description)) ? ['high'] : []
    // What the router does not take of a tool, a client may show its model.
    if (await this.#shield.isSevere(rest)) return ['high']
    try {
      return (await this.#router.checkTool(server, withSchemaText(tool))).map(({ severity }) => severity)
    } catch (error) {
      if (error?.code !== 'ERR_INVALID_ARGUMENT') throw error
      return []
    }
  }

  /** Where nobody can be asked, what is not known to be accepted is off. */
  async #unaccepted(definition, tools, isKept, suspicious) {
    try {
      const mayCome = comes(this.#settings, suspicious)
      const differing = await this.#approvals.changed(definition, tools, undefined, isKept, mayCome)
      return reasonsOf(this.#approvals, definition, differing, suspicious, this.#settings)
    } catch (error) {
      if (!(error instanceof StoreAway)) throw error
      return this.#approvals.unknown(definition, tools).map((name) => [name, 'unchecked'])
    }
  }

  /** Calls `approved` when somebody approves tools of an entry that are withheld now. */
  async watch(entry, approved) {
    this.forget(entry)
    if (![...entry.withheld.values()].some((reason) => WAITING.includes(reason))) return
    const end = await this.#approvals.watch(entry.definition, approved)
    this.forget(entry)
    this.#watched.set(entry, end)
    if (!(await this.#stillWait(entry))) approved()
  }

  /** Whether nobody has approved before it was listened for. */
  async #stillWait({ definition, withheld }) {
    const changed = [...withheld].filter(([, reason]) => isApprovable(reason)).map(([name]) => name)
    const waiting = await this.#approvals.waiting(definition).catch(() => undefined)
    const names = new Set(waiting?.map(({ tool }) => tool))
    return waiting === undefined || changed.every((name) => names.has(name))
  }

  forget(entry) {
    this.#watched.get(entry)?.()
    this.#watched.delete(entry)
  }
}

/**
 * What is on of a server, for the router: what the configuration allows, less what it switches off and what is withheld. The
 * router itself would let a list of what is allowed win.
 *
 * @param {{ name: string, disabledTools: string[], onlyAllow: string[] }} definition
 * @param {Map<string, string>} withheld
 * @param {{ name?: unknown }[]} tools all that the server lists
 * @returns {{ disabledTools: string[], onlyAllow: string[] | 'none' }}
 */
export function switchesOf(definition, withheld, tools) {
  const offered = tools.map((tool) => tool?.name).filter((name) => typeof name === 'string')
  const { off, only } = switchedTools(definition, offered)
  const disabledTools = [...new Set([...off, ...withheld.keys()])].filter(
    (tool) => tool !== INSTRUCTIONS || offered.includes(tool),
  )
  if (only === undefined) return { disabledTools, onlyAllow: [] }
  const on = [...only].filter((tool) => !withheld.has(tool))
  return { disabledTools, onlyAllow: on.length > 0 ? on : 'none' }
}

/** Whether lists are compared with what was accepted. @param {{ changedTools: string, newTools?: string }} settings */
export const isCompared = ({ changedTools, newTools }) => [changedTools, newTools].includes('withhold')

/** Which names are accepted as they come. @param {{ newTools?: string }} settings @param {Set<string>} suspicious */
export const comes =
  ({ newTools }, suspicious) =>
  (/** @type {string} */ name, /** @type {boolean} */ isFirst) =>
    !suspicious.has(name) && (isFirst || newTools !== 'withhold')

/**
 * Why each of the names is off. Where changes are only told, one that has changed is on.
 *
 * @param {import('../store/approvals.mjs').Approvals} approvals
 * @param {import('../config/server.mjs').ServerDefinition} definition
 * @param {Set<string>} differing
 * @param {Set<string>} suspicious
 * @param {{ changedTools: string }} settings
 * @returns {[string, any][]}
 */
export function reasonsOf(approvals, definition, differing, suspicious, { changedTools }) {
  return [...differing]
    .map((name) => {
      const otherwise = suspicious.has(name) ? 'suspicious' : 'new'
      return /** @type {[string, string]} */ ([name, approvals.wasAccepted(definition, name) ? 'changed' : otherwise])
    })
    .filter(([name, reason]) => reason !== 'changed' || changedTools === 'withhold' || suspicious.has(name))
}

/** What brings it back: the text is shown first, with the command that accepts it. */
export const untilApproved = (definition, name) =>
  `it is off until the user has read it and approved it; to see it: ${approveLine(definition, name)}`

const WHY = {
  changed: 'its definition has changed since it was accepted',
  new: 'its server lists it since the others were accepted',
  suspicious: 'its text tries something with the model',
  unchecked:
    'the database is out of reach, so its definition cannot be compared with the accepted one; it is off until then',
  'not-read-only': 'it may write; this gateway is read-only',
  reserved: 'its name is one that this gateway uses for itself; its server has to call it otherwise',
}

/**
 * A tool that is withheld, by whatever name a model has for it.
 *
 * @param {{ catalogue: import('./catalogue.mjs').Catalogue }} session
 * @param {string} name
 * @returns {{ reason: string, detail: string } | undefined}
 */
export function withheldAs({ catalogue }, name) {
  for (const { serverName, toolName } of withoutClient(name).flatMap((each) => catalogue.meant(each))) {
    const entry = catalogue.entries.get(serverName)
    const reason = entry?.withheld.get(toolName)
    if (entry === undefined || reason === undefined) continue
    const { definition } = entry
    return {
      reason,
      detail: isApprovable(reason) ? `${WHY[reason]}; ${untilApproved(definition, toolName)}` : WHY[reason],
    }
  }
  return undefined
}
