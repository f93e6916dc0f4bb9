// SPDX-License-Identifier: Apache-2.0
//
// Placeholders in texts of a server, as the clients write them. One that is not understood refuses the server: sent as
// text it would be a wrong password, or a folder that does not exist.

import os from 'node:os'
import path from 'node:path'

import { invalid, plain } from '../errors.mjs'

const UNDERSTOOD =
  'a placeholder that is understood here: ${NAME}, ${NAME:-default}, ${env:NAME}, ${input:id}, ${workspaceFolder}, ' +
  '${userHome} (write $${ for a ${ that is none)'

/**
 * What placeholders stand for.
 *
 * @typedef {object} Scope
 * @property {NodeJS.ProcessEnv} env variables of the gateway
 * @property {string} workspace folder of the project
 * @property {string} [home] folder of the user
 * @property {Map<string, object>} [inputs] VS Code's `inputs` by id
 * @property {boolean} [bareNames] `$NAME` stands for a variable too, as in Gemini CLI's settings
 * @property {Set<string>} [values] gets every value of a variable that was put in: it may be a secret
 */

/**
 * Replaces the placeholders of a text.
 *
 * @param {string} value
 * @param {string} at its path, for messages
 * @param {Scope} scope
 */
export function expand(value, at, scope) {
  // One inside another is no client's way of writing, and what is left of it would be sent as text.
  if (/\$\{[^{}]*\$\{/.test(value)) throw invalid(at, UNDERSTOOD, 'one inside another')
  // In one pass: what a variable holds is not looked through again.
  return value.replaceAll(/\$\$\{|\$\{([^{}]*)\}|\$([A-Za-z_]\w*)/g, (whole, name, bareName) => {
    if (name !== undefined) return resolve(name, at, scope, whole)
    if (bareName === undefined) return '${'
    return scope.bareNames ? variable(bareName, undefined, at, scope) : whole
  })
}

function resolve(name, at, scope, whole) {
  const { workspace, home = os.homedir() } = scope
  switch (name) {
    case 'workspaceFolder':
    case 'workspaceRoot':
      return workspace
    case 'workspaceFolderBasename':
      return path.basename(workspace)
    case 'userHome':
      return home
    case 'pathSeparator':
    case '/':
      return path.sep
  }
  const [, kind, own, otherwise] = /^(?:(env|input):)?([^:]+?)(?::-(.*))?$/s.exec(name) ?? []
  if (kind === 'input') return input(own, at, scope)
  if (own === undefined || (kind === undefined && !/^[A-Za-z_]\w*$/.test(own)))
    throw invalid(at, UNDERSTOOD, plain(whole, 60))
  return variable(own, otherwise, at, scope)
}

/** A variable of the gateway; one that is not set is an error, since a server that gets an empty token fails later. */
function variable(name, otherwise, at, { env, values }) {
  const found = Object.hasOwn(env, name) ? env[name] : undefined
  // As in a shell: the default also stands for a variable that is empty.
  if (otherwise !== undefined && (found === undefined || found === '')) return otherwise
  if (found === undefined) throw invalid(at, `the environment variable ${plain(name, 60)} to be set`, 'unset')
  values?.add(found)
  return found
}

/** VS Code asks for an input when a server starts. Nobody can be asked here: a variable says it, or its default does. */
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
