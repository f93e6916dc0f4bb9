// What a command line says, and what it could have said.

import { parseArgs } from 'node:util'

import { commandLine } from '../base/command-line.mjs'
import { nearest } from '../base/near.mjs'
import { COMMANDS, WANTS_CONFIG } from './commands.mjs'

export const PROGRAM = 'tool-router-gateway'
/** The command where none is given. */
const FIRST = 'gateway'
/** The width of a line of the usage. */
const WIDTH = 118

const NO_CONFIG = `--config: expected the file of your servers, got none; \`${commandLine(['import'])}\` makes one of your clients'`

/** A command line that cannot be followed. */
export class UsageError extends Error {}

/**
 * @param {string[]} args
 * @returns {{ help?: string, version?: true, name: string, operand?: string, values: any }}
 * @throws {UsageError}
 */
export function readCommand(args) {
  const isNamed = args.length > 0 && !args[0].startsWith('-')
  const name = isNamed ? args[0] : FIRST
  if (args.length === 0) throw new UsageError(`${NO_CONFIG}\n\n${overview()}`)
  if (!Object.hasOwn(COMMANDS, name)) throw new UsageError(unknown(name))
  const { options, operand } = COMMANDS[name]
  const { values, positionals } = parsed(name, isNamed ? args.slice(1) : args, options)
  if (values.help) return { name, values, help: isNamed ? usageOf(name) : overview() }
  if (values.version) return { name, values, version: true }
  const most = operand === undefined ? 0 : 1
  const least = operand?.startsWith('<') ? 1 : 0
  if (positionals.length > most || positionals.length < least) {
    const given = positionals.length === 0 ? 'nothing' : positionals.map((each) => JSON.stringify(each)).join(' ')
    throw wrong(name, `${name}: expected ${operand ?? 'options alone'}, got ${given}`)
  }
  if (WANTS_CONFIG.includes(name) && values.config === undefined) throw wrong(name, NO_CONFIG)
  return { name, values, operand: positionals[0] }
}

/** @returns {{ values: any, positionals: string[] }} */
function parsed(name, args, options) {
  const both = { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean' } }
  try {
    return parseArgs({ args, options: { ...options, ...both }, allowPositionals: true })
  } catch (error) {
    if (!String(error.code).startsWith('ERR_PARSE_ARGS')) throw error
    const [, option] = /^Unknown option '(-[^']*)'/.exec(error.message) ?? []
    if (option === undefined) throw wrong(name, error.message)
    const near = nearest(option, Object.keys(options))
    throw wrong(name, `${name} has no option ${option}${near === undefined ? '' : `; did you mean --${near}?`}`)
  }
}

const wrong = (name, message) => new UsageError(`${message}\n\n${usageOf(name)}`)

function unknown(name) {
  const near = nearest(name, Object.keys(COMMANDS))
  const hint = near === undefined ? '' : `; did you mean ${near}?`
  return `there is no command ${JSON.stringify(name)}${hint}\n\n${overview()}`
}

/** All commands, a line each. */
export function overview() {
  const rows = Object.entries(COMMANDS).map(([name, { operand, says }]) => [
    `${name}${operand ? ` ${operand}` : ''}`,
    says,
  ])
  return `usage: ${PROGRAM} [command] [options]

${table(rows)}

  ${PROGRAM} <command> --help   its options
  ${PROGRAM} --version

Environment: ZOO_TOOL_ROUTER_TOKEN is the bearer token for --http; one is made and printed when it is not set.
`
}

/** What one command takes. @param {string} name */
export function usageOf(name) {
  const { operand, says, more, options } = COMMANDS[name]
  const rows = Object.entries(options)
    .filter(([, option]) => option.says !== undefined)
    .map(([key, { value, says: what }]) => [`--${key}${value ? ` ${value}` : ''}`, what])
  return `usage: ${PROGRAM} ${name}${operand ? ` ${operand}` : ''} [options]

${[says, more]
  .filter(Boolean)
  .map((text) => broken(text, 0))
  .join('\n\n')}

${table(rows)}
`
}

/** Two columns, the second one broken at blanks. */
function table(rows) {
  const left = Math.min(32, Math.max(...rows.map(([first]) => first.length)) + 4)
  return rows.map(([first, second]) => `  ${first.padEnd(left - 2)} ${broken(second, left + 1)}`).join('\n')
}

function broken(text, indent) {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = /** @type {string} */ (lines.at(-1))
    if (line !== '' && indent + line.length + word.length >= WIDTH) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines.join(`\n${' '.repeat(indent)}`)
}
