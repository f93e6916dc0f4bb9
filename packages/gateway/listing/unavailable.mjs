// Servers that are not there, for whoever asks for what they have: which they are, why, and what can be done.

import { MAX_TEXT } from '../base/command-line.mjs'
import { plain } from '../base/errors.mjs'
import { withheldAs } from '../catalogue/withheld.mjs'

/** Characters of a question that are looked through for names of servers. */
const LOOKED_AT = 4_096
/** Servers told of in one answer. */
const MAX_TOLD = 20
/** Servers told of to somebody who has named none and found nothing: what is missing may be theirs. */
const MAX_GUESSED = 3
/** Tools that are off and are looked at, and how far in front one must be to be told of. */
const MAX_OFF = 500
const FIRST = 3
/** How the provider name of a tool begins. */
const OF_A_SERVER = /^mcp[-_]+(.+)$/

/** Whether a server cannot be called now, and does not only rest. One that is tried again after a failure is down. */
export function isDown({ state, reason }) {
  return state === 'waiting' || state === 'login' || (state === 'connecting' && reason !== undefined)
}

/**
 * What the answer to a question says about tools that it cannot have: what the router says, and the servers that the
 * question names and that are away. A tool of a server that is away is not unknown; its server is down.
 *
 * @param {{ catalogue: import('../catalogue/catalogue.mjs').Catalogue, config: import('../config/read.mjs').Config, router: import('@zoo-code/tool-router/internal').ToolRouter }} session
 * @param {string} query
 * @param {{ name: string, reason: string }[]} unavailable as the router says it
 * @param {{ foundNothing?: boolean }} [options] `foundNothing`: nothing else is in the answer
 */
export async function awayServers(session, query, unavailable, { foundNothing = false } = {}) {
  const { catalogue, config } = session
  const asked = ` ${words(query.slice(0, LOOKED_AT))} `
  const isAsked = (name) => asked.includes(` ${words(name)} `) || asked.includes(` mcp ${words(name)} `)
  const down = [...catalogue.entries.values()].filter(({ downstream }) => isDown(downstream))
  const isMeant = ({ definition: { name } }) => isAsked(name) || unavailable.some((each) => isOf(each.name, name))
  const told = []
  for (const { definition, downstream } of down.filter(isMeant).slice(0, MAX_TOLD))
    told.push({ name: definition.name, ...(await whyDown(downstream)) })
  // Nobody is invited to log in to what was not asked for.
  if (told.length === 0 && foundNothing)
    for (const { definition, downstream } of down.slice(0, MAX_GUESSED))
      told.push({
        name: definition.name,
        reason: REASONS[downstream.state] ?? 'server-down',
        detail: shown(downstream),
      })
  for (const { kind, name, reason } of config.leftOut)
    if (kind === 'server' && told.length < MAX_TOLD && isAsked(name))
      told.push({ name, reason: 'left-out', detail: reason })
  const others = unavailable.filter((each) => !told.some(({ name }) => each.name === name || isOf(each.name, name)))
  return [...others.map((each) => ({ ...each, ...withheldAs(session, each.name) })), ...told]
}

/**
 * Tools that are off and would be among the first for a need: whoever misses one reads why, and what brings it back.
 *
 * @param {{ catalogue: import('../catalogue/catalogue.mjs').Catalogue, router: import('@zoo-code/tool-router/internal').ToolRouter }} session
 * @param {string} need
 * @returns {Promise<{ name: string, reason: string, detail: string }[]>}
 */
export async function offTools(session, need) {
  const { catalogue, router } = session
  const off = [...catalogue.entries.values()].flatMap((entry) => offOf(session, entry)).slice(0, MAX_OFF)
  if (off.length === 0) return []
  try {
    const servers = catalogue.scopeOf()
    const { tools } = await router.rank(need, { servers, topK: FIRST })
    const on = tools.map(({ serverName, toolName }) =>
      textOf(serverName, catalogue.entries.get(serverName)?.tools.get(toolName)),
    )
    const { texts } = await router.rankTexts(need, [...on, ...off.map(({ text }) => text)], { topK: FIRST })
    const first = new Set(texts.filter(({ supported }) => supported).map(({ name }) => name))
    return off.filter(({ text }) => first.has(text.name)).map(({ told }) => told)
  } catch {
    return []
  }
}

function offOf(session, { definition: { name: serverName }, tools, names, refused }) {
  return [...tools.values()]
    .filter(({ name }) => !names.has(name) && !refused.some(({ tool }) => tool === name))
    .map((tool) => {
      const name = `${serverName}/${tool.name}`
      const why = withheldAs(session, name) ?? {
        reason: 'switched-off',
        detail: `the user has switched it off, by disabledTools or onlyAllow of ${serverName}`,
      }
      return { text: textOf(serverName, tool), told: { name, ...why } }
    })
}

const textOf = (serverName, tool) => ({
  name: `${serverName}/${tool?.name}`,
  text: `${tool?.name} ${String(tool?.description ?? '').slice(0, LOOKED_AT)}`.toWellFormed(),
})

/** The same for the servers of a module. */
export async function whyUnavailable({ catalogue }, names) {
  const down = names.map((name) => catalogue.entries.get(name)).filter((entry) => entry && isDown(entry.downstream))
  if (down.length === 0) return {}
  const told = down.slice(0, MAX_TOLD).map(async ({ definition, downstream }) => ({
    name: definition.name,
    ...(await whyDown(downstream)),
  }))
  return { unavailable: await Promise.all(told) }
}

/** Why a server is away, and what a person can do; for one that was asked for or that would fit. */
export async function whyDown(downstream) {
  if (downstream.state === 'login') return { reason: REASONS.login, detail: await downstream.invitation() }
  downstream.wanted()
  return { reason: 'server-down', detail: shown(downstream) }
}

const REASONS = { login: 'login-required' }
const shown = ({ reason = '' }) => plain(reason, MAX_TEXT)

function isOf(toolName, serverName) {
  const [, rest] = OF_A_SERVER.exec(toolName) ?? []
  return rest !== undefined && words(rest).startsWith(`${words(serverName)} `)
}

/** As a model writes a name in a sentence: without the marks between its parts. */
function words(text) {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}
