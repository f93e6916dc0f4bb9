// An entry of `skills/list`: what a server says about one of its skills, with a manifest of the skill's files.

import { withoutHidden } from '../names/hidden-characters.mjs'

/** Characters of an address, and of an entry: a manifest of 2,000 files fits. */
const MAX_URI = 8_192
const MAX_ENTRY = 524_288
const MANIFEST = '/SKILL.md'
const DIGEST = /^sha256:[\da-f]{64}$/

/**
 * @typedef {object} SkillFile
 * @property {string} uri
 * @property {string} digest of its bytes
 * @property {number} size of it in bytes
 *
 * @typedef {object} Skill
 * @property {string} uri of its SKILL.md
 * @property {Record<string, unknown>} frontmatter that of its SKILL.md, unchanged
 * @property {SkillFile[] | 'dynamic'} resources its files; `dynamic`: nothing is said about them
 */

/**
 * The spelling that all spellings of an address share: `Q%26A.md` and `Q&A.md` are one file.
 *
 * @param {string} uri
 */
export function keyOf(uri) {
  let href = uri
  try {
    const url = new URL(uri)
    url.hash = ''
    href = url.href
    return decodeURIComponent(href)
  } catch {
    return href
  }
}

/** The folder of a skill, by the address of its SKILL.md; undefined for what is not such an address. */
export function folderOf(uri) {
  const key = keyOf(uri)
  const folder = key.slice(0, -MANIFEST.length)
  return key.endsWith(MANIFEST) && !folder.endsWith('/') ? folder : undefined
}

/** Whether a key names something below a folder, and nothing that leads out of it. */
export function isBelow(folder, key) {
  if (!key.startsWith(`${folder}/`)) return false
  const segments = key.slice(folder.length + 1).split('/')
  return segments.every((segment) => segment !== '' && segment !== '.' && segment !== '..')
}

/**
 * Whether an entry is one that can be passed on. Its frontmatter has to stay as it is, since hosts compare it with the file;
 * so hidden characters cannot be taken out of it.
 *
 * @param {any} entry
 * @param {'keep' | 'strip' | 'refuse'} hiddenCharacters
 * @returns {entry is Skill}
 */
export function isSkill(entry, hiddenCharacters) {
  if (entry === null || typeof entry !== 'object' || !isAddress(entry.uri)) return false
  const { uri, frontmatter, resources } = entry
  const folder = folderOf(uri)
  if (folder === undefined || JSON.stringify(entry).length > MAX_ENTRY || !isFrontmatter(frontmatter)) return false
  if (hiddenCharacters !== 'keep' && withoutHidden(/** @type {any} */ ({ frontmatter }), 'refuse') === undefined)
    return false
  if (resources === 'dynamic') return true
  return Array.isArray(resources) && resources.every(isFile) && isComplete(uri, folder, resources)
}

function isAddress(uri) {
  return typeof uri === 'string' && uri !== '' && uri.length <= MAX_URI
}

function isFrontmatter(value) {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return false
  return typeof value.name === 'string' && typeof value.description === 'string'
}

function isFile(file) {
  if (file === null || typeof file !== 'object' || !isAddress(file.uri)) return false
  return (
    typeof file.digest === 'string' && DIGEST.test(file.digest) && Number.isSafeInteger(file.size) && file.size >= 0
  )
}

/** A manifest has each file once, SKILL.md among them, and none outside of the skill's folder. */
function isComplete(uri, folder, files) {
  const keys = new Set(files.map((file) => keyOf(file.uri)))
  return keys.size === files.length && keys.has(keyOf(uri)) && [...keys].every((key) => isBelow(folder, key))
}
