// What crosses the border of a sandbox: arguments on the way out, results on the way in. Both are JSON, and data only.

import { parse, plainText, stringify } from '@zoo-code/tool-router/exact-json'

/** Characters of an error that a program reads. */
const MAX_OF_ERROR = 4_000

/** Whether a parsed value has more levels than `most`; without recursion. @param {any} value @param {number} most */
export function isDeeper(value, most) {
  const nested = (each) => each !== null && typeof each === 'object'
  let level = [value].filter(nested)
  for (let depth = 0; level.length > 0; depth++) {
    if (depth >= most) return true
    level = level.flatMap((each) => Object.values(each)).filter(nested)
  }
  return false
}

/**
 * The value of a result of `tools/call`: its structured content, what its text is as JSON, or its text.
 *
 * @param {any} result
 */
export function contentOf(result) {
  const { structuredContent, content } = Object(result)
  if (structuredContent !== undefined && structuredContent !== null) return structuredContent
  if (typeof result === 'string') return parsed(result)
  if (!Array.isArray(content)) return result ?? null
  if (content.every(isText)) return parsed(content.map(textOf).join('\n'))
  return content.map((each) => (isText(each) ? { type: 'text', text: textOf(each) } : standIn(each)))
}

/**
 * The first number that a program wrote and that it cannot have meant: JavaScript has no whole numbers of this size. Those of results
 * are BigInt there.
 *
 * @param {any} value
 * @param {string} path
 * @returns {string | undefined}
 */
export function inexactIn(value, path) {
  if (typeof value === 'number') return isBeyond(value) ? path : undefined
  if (value === null || typeof value !== 'object') return undefined
  for (const [key, each] of Object.entries(value)) {
    const found = inexactIn(each, Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`)
    if (found !== undefined) return found
  }
  return undefined
}

/** Larger ones are written with a power, and are no number of anything. */
const isBeyond = (number) => Number.isInteger(number) && !Number.isSafeInteger(number) && Math.abs(number) < 1e21

const isText = (each) => typeof textOf(each) === 'string'
const textOf = (each) => each?.text ?? each?.resource?.text

/** Objects and lists; a number or `true` that a tool answers as text stays what it said. */
function parsed(text) {
  if (!/^\s*[[{]/.test(text)) return text
  try {
    return parse(text, { isOpen: true })
  } catch {
    return text
  }
}

/** Bytes of pictures and sounds are of no use to a program. */
function standIn(each) {
  const { type, mimeType, uri, name, data, blob, resource } = Object(each)
  const bytes = [data, blob, resource?.blob].find((value) => typeof value === 'string')?.length
  return { type, mimeType: mimeType ?? resource?.mimeType, uri: uri ?? resource?.uri, name, characters: bytes }
}

/** What a result says that is an error. @param {any} result */
export function errorOf(result) {
  const value = contentOf(result)
  const text = typeof value === 'string' ? value : (stringify(value) ?? '')
  return plainText(text).slice(0, MAX_OF_ERROR) || 'the tool answered with an error and said nothing'
}

/**
 * A search as a program reads it.
 *
 * @param {object[]} tools
 * @param {import('@zoo-code/tool-router/internal').LoadResult} found
 */
export function searchOf(tools, { doubt, nothingFits }) {
  return {
    tools,
    ...(doubt && { doubt }),
    ...(nothingFits && { nothingFits: nothingFits.message }),
  }
}
