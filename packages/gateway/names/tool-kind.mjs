// SPDX-License-Identifier: Apache-2.0
//
// What a tool does to the world: reads, writes, or may destroy. By what its server says (`annotations`) and by the words
// of its name, whichever is worse: a server may be wrong, or lie, and nobody would call `delete_repository` harmless.

import { CHANGING, DESTROYING } from './verbs.mjs'

/** @typedef {'read' | 'write' | 'destructive'} Kind */

/** From harmless to not. */
export const KINDS = ['read', 'write', 'destructive']

/** A tool is taken to only read for these alone: what else may look harmless is none of them. */
const READS = new Set(
  (
    'get list read search find fetch show view describe lookup look count check inspect browse retrieve status stat ' +
    'summarize summarise explain compare diff preview analyze analyse info help whoami ping'
  ).split(' '),
)
/** Behind verbs, words that are both verbs and things: `comment_get` is held to write. */
const WRITES = new Set([
  ...CHANGING.filter((verb) => !READS.has(verb)),
  ...'append comment copy fork react reopen schedule submit upsert'.split(' '),
])
/** What is gone afterwards, or may do anything. */
const DESTROYS = new Set([
  ...DESTROYING,
  ...'overwrite format reset rollback execute exec eval evaluate shell bash terminal'.split(' '),
])
const LINKS = new Set(['and', 'or', 'then'])

/**
 * @param {{ name: string, annotations?: { readOnlyHint?: boolean, destructiveHint?: boolean } }} tool as its server listed it
 * @param {Map<string, Kind>} [given] kinds that the user's configuration gives tools, by name
 * @returns {Kind}
 */
export function kindOf({ name, annotations }, given) {
  const said = given?.get(name)
  if (said !== undefined) return said
  const byName = kindByName(name)
  const { readOnlyHint, destructiveHint } = annotations ?? {}
  if (readOnlyHint === true) return byName === 'destructive' ? byName : 'read'
  if (destructiveHint === true) return 'destructive'
  // A server that says no to reading is believed; one that says nothing is read by the name.
  if (readOnlyHint === false || destructiveHint === false) return byName === 'destructive' ? byName : 'write'
  return byName ?? 'write'
}

/** By the first word that says what is done; undefined where none does. @returns {Kind | undefined} */
function kindByName(name) {
  const words = name
    .replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
  // Wherever it stands: `issue_delete`, `get_and_delete`.
  if (words.some((word) => DESTROYS.has(word))) return 'destructive'
  const at = words.findIndex((word) => READS.has(word) || WRITES.has(word))
  if (at === -1) return undefined
  if (WRITES.has(words[at])) return 'write'
  // `get_or_create`, `find_and_replace`: the second deed counts too. Behind a noun such a word is one itself.
  return words.some((word, index) => LINKS.has(words[index - 1]) && WRITES.has(word)) ? 'write' : 'read'
}
