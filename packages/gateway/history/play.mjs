// Plays a session of a person through one delivery, with the public API, and notes what happens to its tools.

import { contextBefore } from './price.mjs'

/** So that no answer is cut short. */
const DEADLINE_MS = 60_000

/** Places of a ranking that are looked at for a tool that was not there: as many as the router answers. */
const PLACES = 1000

/**
 * @typedef {object} Task
 * @property {string} id
 * @property {string} text
 * @property {string[][]} needs lists of tools of which one is enough
 * @property {{ text: string, needs: string[][] }[]} steps
 * @property {import('./price.mjs').Shape} [shape] what is known of its conversation
 *
 * @typedef {object} Way how tools reach the model
 * @property {string} id
 * @property {import('@zoo-code/tool-router/internal').Provider} provider whose shapes and prices the session knows
 * @property {import('@zoo-code/tool-router/internal').Delivery} delivery
 * @property {object} settings
 * @property {number} [front] tokens of the definitions, where they are others than the session's and stay as they are
 */

/** Deliveries whose directory is a message; with the others it stands in the text of `mcp_load`. */
const IN_MESSAGES = new Set(['changes', 'call'])

/** What a model that lacks a tool searches with: the words of its name. */
function wordsOfName(id) {
  const name = id.slice(id.indexOf('::') + 2)
  return name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/[_\-./]+/g, ' ')
}

/** What stands in front besides definitions: the directory, where it is in the text of `mcp_load`. */
function frontTextOf({ delivery, settings }) {
  const front = { directory: 0, read }
  let loadText
  function read(rendered, selection) {
    if (settings.directoryTokens === 0 || IN_MESSAGES.has(delivery)) return
    const { description } =
      JSON.parse(rendered)
        .map((tool) => tool.function ?? tool)
        .find(isLoad) ?? {}
    // Later turns add to the directory in messages; the text changes with a new list alone.
    if (description !== loadText) front.directory = selection.tokens.directory
    loadText = description
  }
  return front
}
/** Responses have a tool of their own for searches. */
const isLoad = ({ name, type }) => name === 'mcp_load' || type === 'tool_search'

/**
 * @typedef {object} Outcome of a need: where its tool stood when it was needed
 * @property {number} turn
 * @property {number} at of the turn's needs
 * @property {'attached' | 'listed' | 'missed'} how
 * @property {number} [rank] of a tool that was not attached, among all for the message; absent behind the last that is ranked
 *
 * @typedef {object} Played
 * @property {import('./price.mjs').TurnTrace[]} turns
 * @property {number} covered needs whose tool could be called
 * @property {number} needed
 * @property {number} tools attached in the end
 * @property {number} tokens of tools in the end
 * @property {number[]} added tokens of tools that each turn brought
 * @property {Outcome[]} outcomes
 */

/**
 * @param {{ router: import('@zoo-code/tool-router/internal').ToolRouter, idOf: (tool: any) => string, count: (text: string) => Promise<number> }}
 *   opened a router over the task's set; `count`: tokens of a text
 * @param {Task} task
 * @param {Way} way
 * @param {{ loads: boolean, ranks?: boolean }} options `loads`: whether the model searches for what it lacks, `ranks`: whether the
 * place of a tool that was not there is looked up
 * @returns {Promise<Played>}
 */
export async function play({ router, idOf, count }, task, way, { loads, ranks = false }) {
  const { provider, delivery, settings } = way
  const session = router.openSession({ settings: { deadlineMs: DEADLINE_MS, provider, delivery, ...settings } })
  const has = new Set()
  /** Provider names of the directory, by id: with `call` they can be called, with the others loaded by name. */
  const listed = new Map()
  const inFront = frontTextOf(way)
  const turns = []
  /** @type {number[]} */
  const added = []
  /** @type {Outcome[]} */
  const outcomes = []
  let [covered, needed, front] = [0, 0, 0]
  let selection
  const see = () => {
    const { attached, mcpLoad } = selection.tokens
    const tokens = attached + mcpLoad + inFront.directory
    return { tokens, ids: selection.attached.map((name) => idOf(session.resolveTool(name))) }
  }
  /** What a change of the selection means for the request. */
  /** @returns {Promise<import('./price.mjs').TurnTrace>} */
  const traceOf = async (before, said, isFirst) => {
    const rendered = session.render()
    const messages = rendered.messages === '[]' ? 0 : await count(rendered.messages)
    inFront.read(rendered.tools, selection)
    for (const name of selection.directory) listed.set(idOf(router.resolveTool(name)), name)
    const { tokens } = see()
    if (delivery === 'call') {
      if (isFirst) front = way.front ?? (await count(rendered.tools))
      return { front, kept: front, changed: false, said: said + messages, loads: [] }
    }
    if (delivery === 'append' || isFirst) {
      const changed = !isFirst && rendered.rewritten
      front = tokens
      return { front, kept: Math.min(before, front), changed, said: said + messages, loads: [] }
    }
    // Deferred definitions are expanded where they are offered: once, at the end of the messages.
    const expanded = delivery === 'changes' ? tokens - before : 0
    return { front, kept: front, changed: rendered.rewritten, said: said + messages + expanded, loads: [] }
  }
  const steps = [{ text: task.text, needs: task.needs }, ...task.steps]
  for (const [at, { text, needs }] of steps.entries()) {
    const options = { contextTokens: contextBefore(at, task.shape) }
    const before = selection ? see().tokens : 0
    selection = at === 0 ? await session.start(text, options) : await session.turn(text, options)
    const turn = await traceOf(before, await count(text), at === 0)
    turns.push(turn)
    added.push(see().tokens - before)
    if (delivery !== 'defer' || at === 0) for (const id of see().ids) has.add(id)
    if (delivery === 'call') for (const id of listed.keys()) has.add(id)
    const lacks = (need) => !need.some((id) => has.has(id))
    needed += needs.length
    for (const [place, need] of needs.entries()) {
      outcomes.push({ turn: at, at: place, ...(await outcomeOf(need, text, lacks(need))) })
      if (lacks(need) && loads) turn.loads.push(await search(need))
      if (!lacks(need)) covered += 1
    }
  }
  /** @returns {Promise<Pick<Outcome, 'how' | 'rank'>>} */
  async function outcomeOf(need, text, isLacking) {
    const attached = new Set(see().ids)
    if (need.some((id) => attached.has(id))) return { how: 'attached' }
    const how = need.some((id) => listed.has(id)) || !isLacking ? 'listed' : 'missed'
    const rank = ranks && how === 'missed' ? await rankOf(need, text) : undefined
    return rank === undefined ? { how } : { how, rank }
  }
  async function rankOf(need, text) {
    const { tools } = await router.rank(text, { topK: PLACES, deadlineMs: DEADLINE_MS })
    return tools.find((tool) => need.includes(idOf(tool)))?.rank
  }
  async function search(need) {
    const before = see().tokens
    const byName = need.map((id) => listed.get(id)).find((name) => name !== undefined)
    const result = await session.load({ query: byName ?? wordsOfName(need[0]) })
    const answer = session.answerLoad(result, { callId: 'call' })
    selection = session.selection
    const found = [...result.loaded.map(({ name }) => name), ...result.alreadyAttached]
    for (const name of found) has.add(idOf(session.resolveTool(name)))
    let said = await count(answer)
    // The provider expands a reference to its definition; Responses carry it in the answer.
    if (delivery === 'defer' && provider === 'anthropic') {
      // A search that finds nothing is answered with text.
      const { content } = JSON.parse(answer)[0]
      const told = new Set(Array.isArray(content) ? content.map(({ tool_name: name }) => name) : [])
      const tools = JSON.parse(session.render().tools).filter(({ name }) => told.has(name))
      said += await count(JSON.stringify(tools))
    }
    return traceOf(before, said, false)
  }
  // A directory that stands in messages belongs to the tools as well.
  const tokens = see().tokens + selection.tokens.directory - inFront.directory
  session.close()
  return { turns, covered, needed, tools: selection.attached.length, tokens, added, outcomes }
}
