// Programs over the tools in a client's scope. The sandbox needs a package that need not be installed, so it is loaded with
// the first program.

import { stringify } from '@zoo-code/tool-router/exact-json'

import { canAnswer } from '../downstream/under-way.mjs'
import { plain } from '../base/errors.mjs'
import { GatewayHost } from './program-host.mjs'

/** Characters of a call's arguments that a person is asked about: more than that nobody reads. */
const MAX_SHOWN = 2_000

/**
 * A program that a model wrote.
 *
 * @param {any} desk
 * @param {{ code: string }} args
 * @param {any} caller
 */
export async function runProgram(desk, { code }, caller) {
  const { progress, signal } = caller
  const host = new GatewayHost(desk, caller)
  const { programTimeMs, programAskMs, programDestroys } = desk.config.settings
  try {
    const [{ runCode }, { DEFAULT_LIMITS }, { MAX_HELD }] = await Promise.all([
      import('@zoo-code/tool-router-programs/run.mjs'),
      import('@zoo-code/tool-router-programs/limits.mjs'),
      import('@zoo-code/tool-router-programs/outcome.mjs'),
    ])
    // What is too long is held with the results of calls, where those are.
    const { outputCharacters } = DEFAULT_LIMITS
    const output = desk.results.isOn ? MAX_HELD : outputCharacters
    const { ok, text } = await runCode(code, /** @type {any} */ (host), {
      limits: { ...DEFAULT_LIMITS, timeMs: programTimeMs, askMs: programAskMs, outputCharacters: output },
      signal,
      client: caller.peer,
      approve: approval(programDestroys, caller),
      progress:
        progress &&
        (({ calls, tool }) => progress({ progress: calls, message: `${tool.serverName}/${tool.toolName}` })),
    })
    return await desk.results.bounded(desk, { content: [{ type: 'text', text }], ...(!ok && { isError: true }) })
  } finally {
    host.close()
  }
}

/** What a person answers to a call that may destroy something; undefined where nobody is asked. */
function approval(how, caller) {
  if (how === 'allow') return () => true
  if (how === 'refuse' || !canAnswer(caller.capabilities, 'elicitation')) return undefined
  /** Tools that the person lets this program call as often as it will. */
  const allowed = new Set()
  return async ({ serverName, toolName, arguments: args, signal }) => {
    const tool = plain(`${serverName}/${toolName}`)
    if (allowed.has(`${serverName}/${toolName}`)) return true
    // Long ones are not put in order first: how long that takes is a program's to choose.
    const plainly = stringify(args) ?? ''
    const said = plainly.length > MAX_SHOWN ? plainly : allOf(args)
    if (said.length > MAX_SHOWN)
      return {
        refused:
          `its arguments have ${said.length} characters as a person reads them, and ${MAX_SHOWN} are the most that a person ` +
          'is asked about; call it with less, or outside of a program',
      }
    const params = {
      message: `A program calls ${tool}, which may destroy something, with ${said}`,
      requestedSchema: {
        type: 'object',
        properties: {
          allow: { type: 'boolean', title: 'Allow this call' },
          all: {
            type: 'boolean',
            title: `Allow all further calls of ${tool} by this program, whatever their arguments`,
            default: false,
          },
        },
        required: ['allow'],
      },
    }
    const answer = await caller.ask({ method: 'elicitation/create', params }, signal)
    const isAllowed = answer?.action === 'accept' && answer.content?.allow === true
    if (isAllowed && answer.content?.all === true) allowed.add(`${serverName}/${toolName}`)
    return isAllowed
  }
}

/**
 * Arguments as a person is asked about them: all of them, in an order that is not the program's, the shortest first. What is
 * destroyed is named in short fields. Characters that nobody sees, or that turn a line around, are written by number.
 */
function allOf(args) {
  return stringify(shortestFirst(args)).replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  )
}

function shortestFirst(value) {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(shortestFirst)
  const fields = Object.entries(value).map(([key, each]) => {
    const ordered = shortestFirst(each)
    return { key, ordered, length: (stringify(ordered) ?? '').length }
  })
  fields.sort((one, other) => one.length - other.length || (one.key < other.key ? -1 : 1))
  // Keys that are numbers come first in any object, and `__proto__` is one like others.
  return Object.fromEntries(fields.map(({ key, ordered }) => [key, ordered]))
}
