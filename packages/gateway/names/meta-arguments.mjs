// What models write into the tools of the gateway itself. What they look for is read by the router, as it reads `mcp_load`; another
// parameter that is only called otherwise is read here. Of what cannot be understood the answer says the right form.

import { asNumbers, parse, stringify } from '@zoo-code/tool-router/exact-json'
import addon from '@zoo-code/tool-router/internal'
import { MAX_OF_CODE } from '@zoo-code/tool-router-programs/limits.mjs'
import { invalid } from '../base/errors.mjs'
import { fold, nearest } from '../base/near.mjs'
import { integer, list, MAX_TEXT, oneOf, text } from '../base/values.mjs'
import { CONFIDENCE_LEVELS, isCall, parametersOf, PROGRAM } from './meta-tools.mjs'

/** Servers tried and steps done that a signal names. */
const MAX_ENTRIES = 100
/** Files and characters of a file's path that select_mode looks at. */
const MAX_FILES = 100
const MAX_PATH = 1_024
const BLANK = /^\s*$/

/** Keys that are taken and not shown. */
const MORE = { read_result: ['maxTokens'] }
/** The parameter of a tool that says what is looked for. */
const MAIN = { mcp_load: 'query', search_mcps: 'query', describe_tool: 'names', select_mode: 'task_description' }
/** What models write for some keys. */
const ALIASES = new Map([
  ['topk', 'top_k'],
  ['limit', 'top_k'],
  ['files', 'context_files'],
  ['script', 'code'],
  ['program', 'code'],
])
/** What holds arguments in a call of a provider. */
const HOLDERS = ['arguments', 'input', 'args', 'parameters', 'params']

const READERS = {
  mcp_load: ({ query }) => ({ query: words(query, 'mcp_load.query') }),
  read_result: readResultArguments,
  describe_tool: ({ names }) => ({ names: words(names, 'describe_tool.names') }),
  search_mcps: ({ query, top_k: topK = 5 }) => ({
    query: words(query, 'search_mcps.query'),
    topK: integer(topK, 'search_mcps.top_k', 1, 50),
  }),
  manage_modules: ({ action, module }) => ({
    action: oneOf(action, 'manage_modules.action', ['list', 'load', 'unload']),
    module: action === 'list' && module === undefined ? undefined : words(module, 'manage_modules.module'),
  }),
  select_mode: ({ task_description: task, confidence_level: confidence = 'medium', context_files: files }) => ({
    task: words(task, 'select_mode.task_description'),
    confidence: oneOf(confidence, 'select_mode.confidence_level', CONFIDENCE_LEVELS),
    files: paths(files, 'select_mode.context_files'),
  }),
  [PROGRAM]: ({ code }) => ({ code: words(code, `${PROGRAM}.code`, MAX_OF_CODE) }),
  report_missing_capability: (args) => {
    const at = (key) => `report_missing_capability.${key}`
    const optional = (key) => (args[key] === undefined ? undefined : words(args[key], at(key)))
    return {
      originalQuery: words(args.original_query, at('original_query')),
      missingCapability: words(args.missing_capability, at('missing_capability')),
      attemptedServers: texts(args.attempted_mcps, at('attempted_mcps')),
      completedSteps: texts(args.completed_steps, at('completed_steps')),
      checkpoint: optional('checkpoint'),
      reasoning: optional('reasoning'),
      handle: optional('handle'),
    }
  },
}

/** What read_result asks of a held result. Its values are the router's to refuse; some models write empty ones. */
function readResultArguments({ handle, need, path, range, maxTokens }) {
  const isGiven = ([, value]) => value !== undefined && value !== null && value !== ''
  return {
    handle: words(handle, 'read_result.handle'),
    asked: Object.fromEntries(Object.entries({ need, path, range, maxTokens }).filter(isGiven)),
  }
}

/**
 * Reads the arguments of a meta tool. A call by name is read by the router, which knows the tool: here its mode is taken out of it.
 *
 * @param {boolean} [isHeld] whether they stood in what a provider puts arguments into
 * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, for the model to correct
 */
export function readArguments(name, args, isHeld = false) {
  const main = MAIN[name]
  const given = objectOf(name, args, main)
  if (isCall(name)) {
    const { mode, ...written } = given
    return { written, mode: mode === undefined ? undefined : words(mode, `${name}.mode`) }
  }
  const keys = [...parametersOf(name), ...(MORE[name] ?? [])]
  const held = HOLDERS.find((key) => key in given && !keys.includes(key))
  if (held !== undefined && !isHeld && !keys.some((key) => key in given)) return readArguments(name, given[held], true)
  const read = {}
  for (const [key, value] of Object.entries(given)) {
    const meant = keys.includes(key) ? key : meantBy(key, keys)
    if (meant === undefined && main === undefined) throw invalid(name, `only the keys ${keys.join(', ')}`, key)
    if (meant !== undefined && (meant === key || !(meant in given))) read[meant] = value
  }
  // Its own numbers are small ones.
  const own = /** @type {Record<string, any>} */ (asNumbers(read))
  if (main !== undefined) own[main] = queryOf(name, args) ?? (typeof own[main] === 'string' ? undefined : own[main])
  return READERS[name](own)
}

/** What a model looks for, as the router reads it; undefined for nothing. */
function queryOf(name, args) {
  const written = args === undefined ? '' : stringify(args)
  return addon.ToolRouter.queryWritten(written.toWellFormed(), name) ?? undefined
}

/** Arguments as an object; some models write them as JSON text, or what they look for alone. */
function objectOf(name, args, main) {
  const value = typeof args === 'string' ? fromJson(args) : (args ?? {})
  if (typeof value === 'object' && !Array.isArray(value)) return value
  if (main !== undefined) return {}
  throw invalid(name, 'an object', args)
}

/** The parameter that a key stands for. */
function meantBy(key, keys) {
  const near = ALIASES.get(fold(key)) ?? nearest(key, keys)
  return keys.includes(near) ? near : undefined
}

/** Words of a model: blanks alone say nothing. */
function words(value, at, most = MAX_TEXT) {
  if (typeof value !== 'string') throw invalid(at, `words, as {"${at.split('.').at(-1)}": "…"}`, value)
  return text(value, at, most, BLANK)
}

function texts(value, at) {
  return list(value, at, MAX_ENTRIES).map((entry, index) => words(entry, `${at}[${index}]`))
}

function paths(value, at) {
  return list(value, at, MAX_FILES, ' paths').map((file, index) => {
    if (typeof file !== 'string' || file.length > MAX_PATH)
      throw invalid(`${at}[${index}]`, `a path of at most ${MAX_PATH} characters`, file)
    return file
  })
}

function fromJson(value) {
  try {
    return value.trim() === '' ? {} : (parse(value, { isOpen: true }) ?? {})
  } catch {
    return value
  }
}
