// Plays recorded sessions with another value of a setting: the same searches, in sessions of the gateway that no client has.
// No tool of a server is called.

import { setImmediate as turn } from 'node:timers/promises'

import { answerMetaTool } from '../meta/meta-answers.mjs'
import { readArguments } from '../names/meta-tools.mjs'
import { ClientSession } from '../protocol/client-session.mjs'
import { renderTool } from '../listing/rendering.mjs'

/**
 * @typedef {import('../activity/recorder.mjs').Step} Step
 *
 * @typedef {object} Cost of sessions, together
 * @property {number} listTokens of the lists that a client reads: the first, and again after each change
 * @property {number} answerTokens of the answers to searches
 * @property {number} attached tools
 * @property {number} called tools
 * @property {number} found of the called tools those that were attached by then
 *
 * @typedef {{ all?: Promise<{ attached: number, listTokens: number }> }} Known of a play: all tools are rendered once
 */

/** @returns {Cost} */
const nothing = () => ({ listTokens: 0, answerTokens: 0, attached: 0, called: 0, found: 0 })

/**
 * Plays sessions, each with the settings as they are and with others, until the time is up.
 *
 * @param {any} gateway
 * @param {Step[][]} sessions
 * @param {Record<string, unknown>} other settings
 * @param {number} mostMs
 * @returns {Promise<{ played: number, before: Cost, after: Cost }>}
 */
export async function playBoth(gateway, sessions, other, mostMs) {
  const deadline = Date.now() + mostMs
  const [before, after] = [nothing(), nothing()]
  /** @type {Known} */
  const known = {}
  let played = 0
  for (const steps of sessions) {
    const was = await costOf(gateway, steps, { settings: {}, deadline, known })
    const is = await costOf(gateway, steps, { settings: other, deadline, known })
    if (was === undefined || is === undefined) break
    add(before, was)
    add(after, is)
    played += 1
  }
  return { played, before, after }
}

/** @param {Cost} sum @param {Cost} cost */
function add(sum, cost) {
  for (const name of Object.keys(sum)) sum[name] += cost[name]
}

/** @returns {Promise<Cost | undefined>} undefined where the time is up */
async function costOf(gateway, steps, { settings, deadline, known }) {
  if (Date.now() > deadline) return undefined
  if ({ ...gateway.config.settings, ...settings }.mode === 'static') return costOfAll(gateway, steps, known)
  // It is in no comparison: its settings are those that are asked for.
  const session = new ClientSession(gateway, undefined, { settings, add: () => {} })
  try {
    await session.prepare()
    const cost = nothing()
    let list = ''
    const readList = async () => {
      const text = JSON.stringify(session.tools())
      if (text !== list) cost.listTokens += await gateway.router.countTokens(text)
      list = text
    }
    await readList()
    for (const step of steps) {
      if (Date.now() > deadline) return undefined
      if ('ask' in step) {
        const answer = await answerOf(session, step)
        if (answer !== undefined) cost.answerTokens += await gateway.router.countTokens(JSON.stringify(answer))
        await readList()
      } else count(cost, hasAttached(session, step))
      // Clients come first.
      await turn()
    }
    return { ...cost, attached: session.attached.size }
  } finally {
    await session.close()
  }
}

/** With all tools listed from the start nothing is searched for. */
async function costOfAll(gateway, steps, known) {
  known.all ??= listOfAll(gateway)
  const cost = { ...nothing(), ...(await known.all) }
  for (const step of steps)
    if ('tool' in step)
      count(cost, gateway.catalogue.tool({ serverName: step.server, toolName: step.tool }) !== undefined)
  return cost
}

async function listOfAll(gateway) {
  const { settings } = gateway.config
  const rendered = gateway
    .allTools()
    .map(({ entry, toolName, name }) => renderTool(name, entry.tools.get(toolName), entry.definition, settings))
  return { attached: rendered.length, listTokens: await gateway.router.countTokens(JSON.stringify(rendered)) }
}

/** @param {Cost} cost @param {boolean} isFound */
function count(cost, isFound) {
  cost.called += 1
  cost.found += Number(isFound)
}

function hasAttached(session, { server, tool }) {
  return [...session.attached.values()].some(({ serverName, toolName }) => serverName === server && toolName === tool)
}

/** Undefined where the meta tool is not offered any more, or takes other arguments. */
async function answerOf(session, { ask, args }) {
  if (!session.isMetaTool(ask)) return undefined
  try {
    return await answerMetaTool(session, ask, readArguments(ask, args))
  } catch (error) {
    if (error.name === 'ToolRouterError') return undefined
    throw error
  }
}
