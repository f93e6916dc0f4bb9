// Commands that the gateway prints for people to run. Names come from servers and from files of projects: none of them may say
// anything to a shell.

import { existsSync } from 'node:fs'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

import { shortHash } from './short-hash.mjs'

const CLI = fileURLToPath(new URL('../cli.mjs', import.meta.url))
/** What starts this gateway. A clone of the repository is no package that npx finds; in a bundle there is no such file. */
const PROGRAM =
  existsSync(CLI) && !/[\\/]node_modules[\\/]/.test(CLI) ? ['node', CLI] : ['npx', '@zoo-code/tool-router-gateway']
/** What no shell reads as more, and no program as an option. */
const NAME = /^(?!-)[\w./-]+$/
/** Words without quotation marks; and on Windows what stands for itself between them, in cmd and in PowerShell. */
const BARE = { posix: /^[\w./:@+,-]+$/, win32: /^[\w./:@+,\\-]+$/ }
const QUOTED = { posix: /^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, win32: /^[\w ./:@+,\\()~=#-]*$/ }
/** Characters of a text that holds one command, with two paths as long as systems take them. */
export const MAX_TEXT = 12_000
/** Instead of a path that no line can hold. */
const NO_WORD = 'the configuration file'

/** With what a configuration was read. @typedef {{ config?: string, workspace?: string }} From */

/** A name in a command: itself, or its hash where it has anything that a shell could read. @param {string} name */
export const nameWord = (name) => (NAME.test(name) ? name : `#${shortHash(name)}`)

/** Whether a word of a command line means this name. */
export const isNamed = (word, name) => word === name || word === `#${shortHash(name)}`

/**
 * A command of this gateway: it runs as it is printed, in the shell of the platform.
 *
 * @param {string[]} words names as {@link nameWord} writes them
 * @param {From} [from]
 * @param {NodeJS.Platform} [platform]
 */
export function commandLine(words, { config, workspace } = {}, platform = process.platform) {
  const options = Object.entries({ '--config': config, '--workspace': workspace })
  const given = options.flatMap(([option, value]) => (value === undefined ? [] : [option, value]))
  return shellLine([...PROGRAM, ...words, ...given], platform)
}

/** A command of any program. @param {string[]} words @param {NodeJS.Platform} [platform] */
export function shellLine(words, platform = process.platform) {
  const shell = platform === 'win32' ? 'win32' : 'posix'
  return words.map((word) => (BARE[shell].test(word) ? word : quoted(word, shell))).join(' ')
}

function quoted(word, shell) {
  // On Windows a backslash before the last mark would escape it.
  const held = QUOTED[shell].test(word) && !(shell === 'win32' && word.endsWith('\\')) ? word : NO_WORD
  return shell === 'win32' ? `"${held}"` : `'${held.replaceAll("'", "'\\''")}'`
}

/** How what a server offers is looked at and accepted. @param {{ name: string, from?: From }} definition @param {string} what */
export const approveLine = ({ name, from }, what) => commandLine(['approve', nameWord(`${name}/${what}`)], from)

/** How somebody logs in to a server. @param {{ name: string, from?: From }} definition */
export const loginLine = ({ name, from }) => commandLine(['login', nameWord(name)], from)
