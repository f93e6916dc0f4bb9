// What the router would have done: what it would have shown before each call that was made, and what every way would have cost.

import { providerOf, costOf } from './bill.mjs'
import { play } from './play.mjs'
import { PRICES, priceOf } from './price.mjs'
import { idOf } from './task.mjs'
import { asItComes, throughGateway, waysOf } from './ways.mjs'
import { messagesOf } from './tally.mjs'

const THROUGH = throughGateway('anthropic').title
/** Calls that are told with their place. */
const MAX_MISSES = 200

/**
 * @typedef {object} Miss
 * @property {string} tool
 * @property {number} [rank]
 * @property {string} file
 * @property {number} place
 *
 * @typedef {object} Shown
 * @property {number} needed tools at their first call in a session
 * @property {number} attached
 * @property {number} listed
 * @property {number} missed
 * @property {Miss[]} misses
 * @property {number} unknown calls of tools that no list has
 *
 * @typedef {object} Idle what messages cost that called no tool of a server
 * @property {number} messages
 * @property {number} requests
 * @property {number} all tokens of definitions that these requests read with all tools
 * @property {number} router the same with this router
 * @property {number} quiet messages that brought no definition at all
 *
 * @typedef {object} WayBill
 * @property {string} title
 * @property {number} cost base tokens of a session, the steps of its searches among them
 * @property {number} share of what all tools cost
 * @property {number} rewrites of a session
 * @property {number} searches of a session
 * @property {number} covered share of the needed tools that were there, or could be called, without a search
 *
 * @typedef {object} Bill
 * @property {string} provider
 * @property {number} sessions
 * @property {number} [measured] base tokens of a session as its transcript says, where each of them does
 * @property {number} measuredSessions
 * @property {WayBill[]} ways through the gateway, then the cheapest first
 */

/** @param {import('@zoo-code/tool-router/internal').ToolRouter} router */
export function opened(router) {
  return { router, idOf, count: (text) => (text === '' ? Promise.resolve(0) : router.countTokens(text)) }
}

/**
 * Plays sessions as the router comes.
 *
 * @param {ReturnType<typeof opened>} open
 * @param {import('./task.mjs').HistoryTask[]} tasks
 * @param {number} scoped tokens of all tools
 * @returns {Promise<{ shown: Shown, talk: Idle, code: Idle }>}
 */
export async function shownBefore(open, tasks, scoped) {
  /** @type {Shown} */
  const shown = { needed: 0, attached: 0, listed: 0, missed: 0, misses: [], unknown: 0 }
  const idle = () => ({ messages: 0, requests: 0, all: 0, router: 0, quiet: 0 })
  const parts = { talk: idle(), code: idle() }
  for (const task of tasks) {
    const played = await play(open, task, asItComes(providerOf(task.session)), { loads: false, ranks: true })
    const needs = [task.needs, ...task.steps.map((step) => step.needs)]
    shown.unknown += task.unknown
    for (const { turn, at, how, rank } of played.outcomes) {
      shown.needed += 1
      shown[how] += 1
      if (how === 'missed' && shown.misses.length < MAX_MISSES)
        shown.misses.push({
          tool: needs[turn][at][0],
          ...(rank !== undefined && { rank }),
          file: task.session.file,
          place: task.places[turn][at],
        })
    }
    addIdle(parts, task, played, scoped)
  }
  return { shown, ...parts }
}

/** Messages after which no tool of a server was called: what their requests read of tools. */
function addIdle(parts, task, { added }, scoped) {
  const messages = messagesOf(task.session.told).filter(({ said }) => said)
  let tokens = 0
  for (const [turn, { calls }] of messages.entries()) {
    tokens += added[turn] ?? 0
    if (calls.some(({ isOwn }) => !isOwn)) continue
    const part = calls.length > 0 ? parts.code : parts.talk
    const requests = task.requests[turn]
    part.messages += 1
    part.requests += requests
    part.all += scoped * requests
    part.router += tokens * requests
    part.quiet += Number((added[turn] ?? 0) <= 0)
  }
}

/**
 * What sessions would have cost in every way, by provider.
 *
 * @param {ReturnType<typeof opened>} open
 * @param {import('./task.mjs').HistoryTask[]} tasks
 * @param {{ scoped: number, own: number, say: (line: string) => void }} options `scoped`: tokens of all tools,
 * `own`: of those of a gateway itself
 * @returns {Promise<Bill[]>}
 */
export async function billsOf(open, tasks, { scoped, own: front, say }) {
  const byProvider = groupBy(tasks, ({ session }) => providerOf(session))
  const bills = []
  for (const [provider, own] of byProvider) {
    const prices = PRICES[provider]
    const rows = [await everything(open, own, prices, scoped)]
    for (const way of [{ ...throughGateway(provider), front }, ...waysOf(provider)]) {
      say(`${provider}: ${way.title}, ${own.length} sessions`)
      const costs = /** @type {number[]} */ ([])
      const row = { title: way.title, costs, rewrites: 0, searches: 0, covered: 0, needed: 0 }
      for (const task of own) {
        const played = await play(open, task, way, { loads: true })
        const { cost, further, furtherSteps, rewrites } = priceOf(played.turns, prices, task.shape)
        row.costs.push(cost + further)
        row.rewrites += rewrites
        row.searches += furtherSteps
        row.needed += played.outcomes.length
        row.covered += played.outcomes.filter(({ how }) => how !== 'missed').length
      }
      rows.push(row)
    }
    bills.push(billOf(provider, own, rows))
  }
  return bills.toSorted((a, b) => b.sessions - a.sessions)
}

/** All tools in every request: what every way is measured against. Nothing of it depends on what is said. */
async function everything({ count }, tasks, prices, scoped) {
  const costs = []
  for (const task of tasks) {
    const texts = [task.text, ...task.steps.map(({ text }) => text)]
    const said = await Promise.all(texts.map(count))
    const turns = said.map((tokens) => ({ front: scoped, kept: scoped, changed: false, loads: [], said: tokens }))
    costs.push(priceOf(turns, prices, task.shape).cost)
  }
  return { title: 'all tools, always', costs, rewrites: 0, searches: 0, covered: 0, needed: 0 }
}

/** `Map.groupBy` is not in every version of Node.js that this runs on. */
function groupBy(items, keyOf) {
  const groups = new Map()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return groups
}

function billOf(provider, tasks, rows) {
  const [all] = rows
  const mean = (numbers) => numbers.reduce((sum, each) => sum + each, 0) / Math.max(1, numbers.length)
  const measured = tasks.filter(({ isMeasured }) => isMeasured)
  const costIn = ({ told }) =>
    told.reduce((sum, each) => sum + (each.kind === 'asked' ? (costOf(each, provider) ?? 0) : 0), 0)
  const ways = rows.map(({ title, costs, rewrites, searches, covered, needed }) => ({
    title,
    cost: mean(costs),
    share: mean(costs) / (mean(all.costs) || 1),
    rewrites: rewrites / tasks.length,
    searches: searches / tasks.length,
    covered: needed === 0 ? 1 : covered / needed,
  }))
  return {
    provider,
    sessions: tasks.length,
    measuredSessions: measured.length,
    ...(measured.length === tasks.length && { measured: mean(tasks.map(({ session }) => costIn(session))) }),
    ways: ways.toSorted((a, b) => Number(b.title === THROUGH) - Number(a.title === THROUGH) || a.cost - b.cost),
  }
}
