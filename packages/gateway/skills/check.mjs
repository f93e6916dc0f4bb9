// Compares files of a skill with what its entry says about them: size, digest, and the frontmatter of SKILL.md.

import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'

import { parse } from 'yaml'

import { keyOf } from '../catalogue/skill-entry.mjs'

/** Characters of a frontmatter that is read: entries of a list are to be smaller. */
const MAX_FRONTMATTER = 65_536

/**
 * @typedef {import('../catalogue/skill-entry.mjs').Skill} Skill
 * @typedef {import('../catalogue/skill-entry.mjs').SkillFile} SkillFile
 * @typedef {{ skill: Skill, file?: SkillFile }} Known what an entry says about an address; a file of a dynamic skill has no more
 *
 * @typedef {object} Difference
 * @property {Skill} skill
 * @property {string} uri of the file
 * @property {'missing' | 'size' | 'digest' | 'frontmatter'} reason
 * @property {string} expected
 * @property {string} got
 */

/**
 * What of a server's answer to `resources/read` differs from the entries of its skills.
 *
 * @param {string} uri that was asked for
 * @param {any[]} contents
 * @param {(key: string) => Known | undefined} known
 * @returns {Difference | undefined}
 */
export function differenceOf(uri, contents, known) {
  const asked = known(keyOf(uri))
  const answers = contents.filter((content) => typeof content?.uri === 'string')
  if (asked && !answers.some((content) => keyOf(content.uri) === keyOf(uri)))
    return {
      skill: asked.skill,
      uri,
      reason: 'missing',
      expected: saidOf(asked.file),
      got: 'no content of this address',
    }
  for (const content of answers) {
    const found = known(keyOf(content.uri))
    const difference = found && ofContent(content, found)
    if (difference) return { skill: found.skill, uri: content.uri, ...difference }
  }
  return undefined
}

/**
 * @param {{ uri: string, text?: unknown, blob?: unknown }} content
 * @param {Known} known
 * @returns {Pick<Difference, 'reason' | 'expected' | 'got'> | undefined}
 */
function ofContent({ uri, text, blob }, { skill, file }) {
  const copies = [
    ...(typeof text === 'string' ? [Buffer.from(text, 'utf8')] : []),
    ...(typeof blob === 'string' ? [Buffer.from(blob, 'base64')] : []),
  ]
  if (copies.length === 0) return { reason: 'missing', expected: saidOf(file), got: 'neither text nor blob' }
  for (const bytes of copies) {
    const got = { size: bytes.length, digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}` }
    if (file && file.size !== got.size) return { reason: 'size', expected: saidOf(file), got: saidOf(got) }
    if (file && file.digest !== got.digest) return { reason: 'digest', expected: saidOf(file), got: saidOf(got) }
    if (keyOf(uri) === keyOf(skill.uri) && !isDeepStrictEqual(frontmatterOf(bytes), plainOf(skill.frontmatter)))
      return { reason: 'frontmatter', expected: 'the frontmatter of the entry', got: 'another one' }
  }
  return undefined
}

/** @param {{ size: number, digest: string } | undefined} file */
function saidOf(file) {
  return file ? `${file.size} bytes of ${file.digest}` : 'a file'
}

/** Of a SKILL.md; undefined when it has none that can be read. */
function frontmatterOf(bytes) {
  const text = bytes.toString('utf8').replace(/^\ufeff/, '')
  const [, written] = /^---\r?\n([\s\S]*?)^---[\t ]*\r?$/m.exec(text.slice(0, MAX_FRONTMATTER)) ?? []
  if (written === undefined || !text.startsWith('---')) return undefined
  try {
    return plainOf(parse(written, { logLevel: 'error' }))
  } catch {
    return undefined
  }
}

/** As it stands in JSON. */
function plainOf(value) {
  return JSON.parse(JSON.stringify(value ?? null))
}
