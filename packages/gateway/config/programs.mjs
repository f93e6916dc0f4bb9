// Programs that are kept by name: to the rest of the gateway they are tools of one more server, which is the gateway's own.

import path from 'node:path'

import { MOST_OF_CODE } from '@zoo-code/tool-router-programs/limits.mjs'
import { invalid, plain, shown } from '../base/errors.mjs'
import { known, record, text } from '../base/values.mjs'
import { toolRefs } from './groups.mjs'
import { readRegular, whyNotRead } from './regular-file.mjs'
import { expandHome } from './variables.mjs'

/** The server that programs are tools of. */
export const PROGRAMS = 'programs'
/** Programs of one gateway, and tools that one of them calls. */
const MOST = 200
const MOST_TOOLS = 100
/** Names that are called as they are, whatever the client. */
const NAME = /^[A-Za-z][\w-]{0,63}$/
/** How much longer than its time a call of a program may take: it ends by itself, and says how far it came. */
const GRACE_MS = 30_000
const KEYS = ['description', 'file', 'code', 'parameters', 'tools']

/**
 * @typedef {object} KeptProgram
 * @property {string} name
 * @property {string} description
 * @property {string} code
 * @property {Record<string, unknown>} parameters a JSON schema
 * @property {{ serverName: string, toolName: string }[]} tools all that it may call
 */

/**
 * The server of a configuration's programs; undefined where it has none.
 *
 * @param {unknown} value
 * @param {Set<string>} servers names of the configuration
 * @param {{ folder: string, home?: string, programTimeMs: number, programAskMs: number }} where
 * @param {(name: string, error: Error) => void} leaveOut what is done with a bad one
 * @returns {import('./server.mjs').ServerDefinition | undefined}
 */
export function readPrograms(value, servers, { folder, home, programTimeMs, programAskMs }, leaveOut) {
  const entries = Object.entries(record(value ?? {}, 'config.programs'))
  if (entries.length === 0) return undefined
  if (entries.length > MOST) throw invalid('config.programs', `at most ${MOST} programs`, entries.length)
  const programs = []
  for (const [name, entry] of entries) {
    try {
      if (servers.has(PROGRAMS))
        throw invalid('config.mcpServers', `no server called ${PROGRAMS} where there are programs`, PROGRAMS)
      programs.push(readProgram(name, entry, servers, (file) => path.resolve(folder, expandHome(file, home ?? ''))))
    } catch (error) {
      leaveOut(name, error)
    }
  }
  return programs.length === 0 ? undefined : definitionOf(programs, programTimeMs + programAskMs)
}

/** @returns {KeptProgram} */
function readProgram(name, entry, servers, placed) {
  const at = `config.programs[${shown(name)}]`
  if (!NAME.test(name)) throw invalid(at, 'a name of letters, digits, _ and - that begins with a letter', name)
  const { description, file, code, parameters, tools } = known(entry, at, KEYS)
  if ((file === undefined) === (code === undefined)) throw invalid(at, 'one of file and code', 'both or none')
  const called = toolRefs(tools, `${at}.tools`, servers)
  if (called.length > MOST_TOOLS) throw invalid(`${at}.tools`, `at most ${MOST_TOOLS} tools`, called.length)
  return {
    name,
    description: text(description, `${at}.description`),
    code: text(code ?? readCode(placed(text(file, `${at}.file`)), `${at}.file`), `${at}.code`, MOST_OF_CODE),
    parameters: { type: 'object', ...record(parameters ?? {}, `${at}.parameters`) },
    tools: called,
  }
}

function readCode(file, at) {
  const most = 4 * MOST_OF_CODE
  try {
    return readRegular(file, most).toString('utf8')
  } catch (error) {
    throw invalid(at, `a file that can be read, of at most ${most} bytes, at ${plain(file)}`, whyNotRead(error))
  }
}

/** @returns {import('./server.mjs').ServerDefinition} */
function definitionOf(programs, takesMs) {
  return {
    name: PROGRAMS,
    transport: 'own',
    programs,
    secrets: [],
    lazy: false,
    essential: false,
    timeoutMs: takesMs + GRACE_MS,
    startMs: 60_000,
    protocolEra: 'legacy',
    disabledTools: [],
    onlyAllow: [],
    alwaysLoad: [],
    toolKinds: new Map(),
    ownPins: false,
    toolDescriptionOverrides: new Map(),
    searchDescriptions: new Map(),
    capabilities: [],
    syntheticQueries: [],
  }
}
