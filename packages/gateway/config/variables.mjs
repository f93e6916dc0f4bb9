// Placeholders in texts of a server, as the clients write them. One that is not understood refuses the server: sent as
// text it would be a wrong password, or a folder that does not exist.

import os from 'node:os'
import path from 'node:path'
import process from 'node:process'

import { invalid, plain } from '../base/errors.mjs'
import { readRegular, whyNotRead } from './regular-file.mjs'

const UNDERSTOOD =
  'a placeholder that is understood here: ${NAME}, ${NAME:-default}, ${env:NAME}, ${file:path}, ${input:id}, ' +
  '${workspaceFolder}, ${userHome} (write $${ for a ${ that is none)'

/** Every form: an escape, Continue's, everybody's, opencode's, and a bare name. */
export const PLACEHOLDER =
  /\$\$\{|\$\{\{\s*([^{}]*?)\s*\}\}|\$\{([^{}]*)\}|(?<!\$)\{(env|file):([^{}]+)\}|\$([A-Za-z_]\w*)/g
/** A value that is a variable's name and nothing else, except for the scheme of a header. */
export const ONLY_A_NAME = /^(?:(?:[Bb]earer|[Bb]asic|[Tt]oken|[Aa]pi-?[Kk]ey) )?\$[A-Z_][A-Z0-9_]+$/
/** Bytes of a file that a text takes: a key, or a certificate. */
const MAX_FILE = 64 * 1024

/**
 * What placeholders stand for.
 *
 * @typedef {object} Scope
 * @property {NodeJS.ProcessEnv} env variables of the gateway
 * @property {string} workspace folder of the project
 * @property {string} [folder] that of the configuration file, where relative files are
 * @property {string} [home] folder of the user
 * @property {Map<string, { default?: unknown }>} [inputs] VS Code's `inputs` by id
 * @property {boolean} [bareNames] `$NAME` stands for a variable too, as in Gemini CLI's settings
 * @property {(name: string) => string | undefined} [own] variables of the entry's own `env`, which come first
 * @property {(name: string) => string | undefined} [others] the same, where they come after those of the gateway
 * @property {Set<string>} [values] gets every value of a variable that was put in: it may be a secret
 */

/**
 * Replaces the placeholders of a text.
 *
 * @param {string} value
 * @param {string} at its path, for messages
 * @param {Scope} scope
 * @param {(text: string) => string} [written] how what a placeholder stands for is written there
 */
export function expand(value, at, scope, written = (text) => text) {
  // One inside another is no client's way of writing, and what is left of it would be sent as text.
  if (/\$\{[^{}]+\{/.test(value)) throw invalid(at, UNDERSTOOD, 'one inside another')
  if (/(?<!\$)\$\{\w[^{}]*$/.test(value)) throw invalid(at, UNDERSTOOD, 'one that is not closed')
  // In one pass: what a variable holds is not looked through again.
  return value.replaceAll(PLACEHOLDER, (whole, ofContinue, name, kind, own, bareName) => {
    if (ofContinue !== undefined) return written(variable(secretOf(ofContinue, at, whole), undefined, at, scope))
    if (name !== undefined) return written(resolve(name, at, scope, whole))
    if (kind !== undefined)
      return written(kind === 'env' ? variable(own, undefined, at, scope) : fileText(own, at, scope))
    if (bareName === undefined) return '${'
    return scope.bareNames ? written(bare(whole, bareName, value, at, scope)) : whole
  })
}

/** The same for an address. What stands for a name or a password is written as it has to be there, whatever is in it. */
export function expandAddress(value, at, scope) {
  const masked = value.replaceAll(PLACEHOLDER, (whole) => '_'.repeat(whole.length))
  const end = masked.lastIndexOf('@') + 1
  return expand(value.slice(0, end), at, scope, encodeURIComponent) + expand(value.slice(end), at, scope)
}

/** The same for a value of `env` or `headers`, where a name alone is a variable whosever file it is. */
export function expandValue(value, at, scope) {
  return expand(value, at, ONLY_A_NAME.test(value) ? { ...scope, bareNames: true } : scope)
}

/** Within a text Gemini CLI leaves a name that is not set as it is: it may be none. */
function bare(whole, name, value, at, scope) {
  if (!ONLY_A_NAME.test(value) && find(name, scope) === undefined) return whole
  return variable(name, undefined, at, scope)
}

/** Continue keeps its secrets for itself: here variables of the same names hold them. */
function secretOf(text, at, whole) {
  const [, name] = /^(?:secrets|inputs)\.([A-Za-z_][\w-]*)$/.exec(text) ?? []
  if (name === undefined) throw invalid(at, `${UNDERSTOOD} or \${{ secrets.NAME }}`, plain(whole, 60))
  return name
}

function resolve(name, at, scope, whole) {
  const { workspace, home = os.homedir() } = scope
  switch (name) {
    case 'workspaceFolder':
    case 'workspaceRoot':
    case `workspaceFolder:${path.basename(workspace)}`:
      return workspace
    case 'workspaceFolderBasename':
      return path.basename(workspace)
    case 'userHome':
      return home
    case 'pathSeparator':
    case '/':
      return path.sep
  }
  if (name.startsWith('file:')) return fileText(name.slice('file:'.length), at, scope)
  const [, kind, own, otherwise] = /^(?:(env|input):)?([^:]+?)(?::-(.*))?$/s.exec(name) ?? []
  if (kind === 'input') return input(own, at, scope)
  if (own === undefined || (kind === undefined && !/^[A-Za-z_]\w*$/.test(own)))
    throw invalid(at, UNDERSTOOD, plain(whole, 60))
  // Claude Code says it to its servers.
  if (own === 'CLAUDE_PROJECT_DIR' && find(own, scope) === undefined) return workspace
  return variable(own, otherwise, at, scope)
}

function find(name, { env, own, others }) {
  return own?.(name) ?? (Object.hasOwn(env, name) ? env[name] : others?.(name))
}

/** A variable; one that is not set is an error, since a server that gets an empty token fails later. */
function variable(name, otherwise, at, scope) {
  const found = find(name, scope)
  // As in a shell: the default also stands for a variable that is empty.
  if (otherwise !== undefined && (found === undefined || found === '')) return otherwise
  if (found === undefined) throw invalid(at, `the environment variable ${plain(name, 60)} to be set`, 'unset')
  // What the entry itself holds is known with its `env`.
  if (scope.own?.(name) === undefined) scope.values?.add(found)
  return found
}

/**
 * The text of a file, without the line break at its end.
 *
 * @param {string} file
 * @param {string} at
 * @param {Scope} scope
 */
function fileText(file, at, { folder = process.cwd(), home, values }) {
  const place = path.resolve(folder, expandHome(file.trim(), home))
  try {
    const found = readRegular(place, MAX_FILE).toString('utf8').trim()
    values?.add(found)
    return found
  } catch (error) {
    throw invalid(at, `a file to read, of at most ${MAX_FILE} bytes, at ${plain(place)}`, whyNotRead(error))
  }
}

/**
 * VS Code asks for an input when a server starts. Nobody can be asked here: a variable says it, or its default does.
 *
 * @param {string} id
 * @param {string} at
 * @param {Scope} scope
 */
function input(id, at, { env, inputs, values }) {
  const name = inputVariable(id)
  const found = Object.hasOwn(env, name) ? env[name] : inputs?.get(id)?.default
  if (typeof found === 'string') {
    values?.add(found)
    return found
  }
  throw invalid(
    at,
    `the environment variable ${name} to be set, since nobody can be asked for \${input:${id}}`,
    'unset',
  )
}

/** The variable that stands for an input: `INPUT_GITHUB_TOKEN` for `github-token`. */
export function inputVariable(id) {
  return `INPUT_${plain(id, 60).toUpperCase().replaceAll(/\W/g, '_')}`
}

/** `~` and `~/…` are the user's folder: a shell would say so, and no shell reads these texts. */
export function expandHome(value, home = os.homedir()) {
  return /^~(?=$|[/\\])/.test(value) ? home + value.slice(1) : value
}
