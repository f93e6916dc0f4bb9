// A need that no tool serves, in words for the model: what there is near it, and whom a person could connect.

import { RouterSession } from './router-session.mjs'
import { isDown, offTools, whyDown } from '../listing/unavailable.mjs'

/** What mcp_load and search_mcps answer while there are servers of which no list is known: theirs may be the tool. */
const STARTING =
  'No known tool does this yet; some servers are still starting (still_starting). Try again in a few seconds.'
/** The same while only words are compared. */
const LOADING =
  'No tool matches these words, and the model that compares meanings is still loading. Try again in a few seconds.'

/** A ban would be false: somebody may switch it on. */
export const OFF =
  'No tool that is on does this. unavailable names tools that are off and come near: tell the user about one that would do.'

/** Servers that are named. */
const NEAREST = 3

/**
 * @param {{ catalogue: import('../catalogue/catalogue.mjs').Catalogue, router: import('@zoo-code/tool-router/internal').ToolRouter }} session
 * @param {string} need
 * @param {import('@zoo-code/tool-router/internal').NothingFits} nothingFits as the router says it
 * @param {import('@zoo-code/tool-router/internal').Degraded} [degraded] why it was not ranked by meaning
 * @returns {Promise<{ message: string, servers: object[] }>}
 */
export async function nothingFitsAnswer(session, need, { servers, message }, degraded) {
  const { catalogue } = session
  const isOff = (await offTools(session, need)).length > 0
  const isUnknown = [...catalogue.entries.values()].some(({ isKnown }) => !isKnown)
  const isLoading = degraded?.code === 'model-loading'
  return {
    message: `${isUnknown ? STARTING : isLoading ? LOADING : isOff ? OFF : message}${cutServers(catalogue)}`,
    servers: await Promise.all(servers.slice(0, NEAREST).map((each) => near(catalogue, each))),
  }
}

/** A server that comes near. One of the configuration that is away says why, and how a person brings it back. */
async function near(catalogue, { name, connected }) {
  const entry = catalogue.entries.get(name)
  if (!entry) return { name, connected }
  const { downstream, isStarting } = entry
  if (isDown(downstream)) return { name, connected: false, ...(await whyDown(downstream)) }
  return { name, connected: connected || !isStarting, ...(isStarting && { reason: 'still-starting' }) }
}

/**
 * What to say where nothing fits a need, by the rule of mcp_load, for answers that attach nothing; undefined where something does.
 *
 * @returns {Promise<Awaited<ReturnType<typeof nothingFitsAnswer>> | undefined>}
 */
export async function nothingFitsAside(session, query) {
  const asked = RouterSession.aside(session)
  try {
    const { nothingFits, degraded } = await asked.load(query)
    return nothingFits && (await nothingFitsAnswer(session, query, nothingFits, degraded))
  } finally {
    asked.close()
  }
}

/** Servers whose lists go on behind what was read: the tool may be there. */
function cutServers(catalogue) {
  const cut = [...catalogue.entries.values()].filter(({ list }) => list?.cut !== undefined)
  if (cut.length === 0) return ''
  const names = cut.map(({ definition }) => definition.name)
  return ` The lists of these servers were too long to read whole, and the tool may be in the rest: ${names.join(', ')}.`
}
