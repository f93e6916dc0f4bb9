// What every adapter does with a session: the definitions that the model is sent, and the answers to what it calls.

import { createRequire } from 'node:module'

import { notCarried } from './exact-json.mjs'

/** The shape that texts are taken from: messages whose content is the text. */
const SHAPE = { provider: 'openai-chat', delivery: 'append' }
const contentOf = (messages) => JSON.parse(messages)[0].content

/** What each session has said beside its list: texts, and how many messages of the conversation stood before each. */
const said = new WeakMap()

/**
 * The definitions to send with the next request, `mcp_load` among them, in their order: name, description, parameters. What is said
 * beside them waits for {@link withTexts}.
 */
export function nextDefinitions(session) {
  const { tools, messages, rewritten } = session.render(SHAPE)
  const known = said.get(session)
  // A new list that is no rewrite begins a conversation: the host has condensed what was said in the old one.
  const goesOn = known !== undefined && (rewritten || tools === known.tools)
  const texts = goesOn ? known.texts : []
  for (const { content } of JSON.parse(messages)) texts.push({ text: content, at: undefined })
  said.set(session, { tools, texts })
  return JSON.parse(tools).map(({ function: definition }) => definition)
}

/**
 * A conversation of a framework with what the session has said, each text where it was said first. What the framework has kept of it is
 * not said twice.
 *
 * @param {{ textOf: (message: any) => unknown, messageOf: (text: string) => any, belongs: (message: any, before: any) => boolean }} form
 * `belongs`: nothing may stand between a message and its predecessor
 */
export function withTexts(session, messages, { textOf, messageOf, belongs }) {
  const { texts = [] } = said.get(session) ?? {}
  const known = new Set(texts.map(({ text }) => text))
  const own = messages.filter((message) => !known.has(textOf(message)))
  const behind = Array.from({ length: own.length + 1 }, () => [])
  for (const each of texts) {
    each.at ??= own.length
    let at = Math.min(each.at, own.length)
    while (at < own.length && belongs(own[at], own[at - 1])) at += 1
    behind[at].push(messageOf(each.text))
  }
  return behind.flatMap((before, at) => (at < own.length ? [...before, own[at]] : before))
}

/**
 * The text that a model gets for a call. `mcp_load` is answered by the session; any other call is checked by it and made
 * by the host. What the model got wrong is an answer too. A call that fails is no use: it must not lift its tool.
 */
export async function answerCall(session, call, name, args) {
  try {
    if (name === 'mcp_load' || name === 'load_tools')
      return contentOf(session.answerLoad(await session.load(args), { ...SHAPE, callId: 'call' }))
  } catch (error) {
    if (error.code === 'ERR_INVALID_ARGUMENT') return error.message
    throw error
  }
  const { tool, arguments: sent, problem } = await session.checkCall({ name, arguments: args })
  const refusal = problem?.message ?? notCarried(sent)
  if (refusal !== undefined) return refusal
  const result = await call(tool, JSON.parse(sent))
  if (result?.isError !== true) await session.recordUse(tool)
  return textOf(result)
}

/** For an adapter whose framework is too old. As a peer of the package it may have any version: other ways in do not need it. */
export function tooOld(adapter, name, wanted, more = '') {
  let version = 'an older one'
  try {
    version = createRequire(import.meta.url)(`${name}/package.json`).version
  } catch {
    // In a bundle there is none.
  }
  const expected = `expected version ${wanted} of the package '${name}', got ${version}`
  return new Error(`@zoo-code/tool-router/${adapter}: ${expected}; npm install ${name}@${wanted}${more}`)
}

/** The text of a result of `tools/call`; what is not text is named. */
function textOf(result) {
  if (typeof result === 'string') return result
  if (!Array.isArray(result?.content)) return JSON.stringify(result ?? null)
  return result.content.map(({ type, text, resource }) => text ?? resource?.text ?? `(${type})`).join('\n')
}
