// SPDX-License-Identifier: Apache-2.0
//
// Characters that a person does not see and a model reads, in what a server says about its tools. The same ones as in the
// router (src/text/hidden.rs), whose setting holds for all hosts of the process and not for this gateway alone.

const PLAIN = /^[\t\n\r -~]*$/
/** Controls, fillers, directions, tags: never of use. */
const HIDDEN =
  /[\p{Cc}\u{ad}\u{61c}\u{180e}\u{3164}\u{ffa0}\u{feff}\u{115f}\u{1160}\u{200b}\u{200e}\u{200f}\u{202a}-\u{202e}\u{2060}-\u{206f}\u{fff9}-\u{fffb}\u{e0000}-\u{e0fff}]/u
/** A tag of a flag of a region: England, Scotland and Wales have one. */
const TAG = /[\u{e0020}-\u{e007f}]/u
const FLAG = '\u{1f3f4}'
const FLAG_TAGS = 7
/** They shape letters of Arabic and Indic scripts and join emoji; after ASCII they do nothing. */
const JOINER = /[\u{200c}\u{200d}]/u
/** One chooses a form of what stands before it; more of them carry data. */
const SELECTOR = /[\u{fe00}-\u{fe0f}]/u
const NO_FORMS = /[\u{fe00}-\u{fe0f}A-z]/u

/** The text without hidden characters. */
export function stripped(text) {
  if (PLAIN.test(text)) return text
  let made = ''
  let previous
  let flagTags = 0
  for (const character of text) {
    const tags = flagTags
    flagTags = character === FLAG ? FLAG_TAGS : 0
    if (isHidden(character, previous, tags)) continue
    if (tags > 0 && TAG.test(character)) flagTags = tags - 1
    previous = character
    made += character
  }
  return made
}

function isHidden(character, previous, tags) {
  if (character === '\t' || character === '\n' || character === '\r') return false
  if (JOINER.test(character)) return previous === undefined || previous.codePointAt(0) < 128
  if (SELECTOR.test(character)) return previous === undefined || NO_FORMS.test(previous)
  if (tags > 0 && TAG.test(character)) return false
  return HIDDEN.test(character)
}

/**
 * What a server says about a tool, without hidden characters. Its name, and names of its parameters, stay: calls need them.
 *
 * @param {import('../catalogue/catalogue.mjs').Tool} tool as the server listed it
 * @param {'keep' | 'strip' | 'refuse'} how
 * @returns {import('../catalogue/catalogue.mjs').Tool | undefined} undefined for a tool that is refused
 */
export function withoutHidden(tool, how) {
  if (how === 'keep') return tool
  const written = JSON.stringify(tool)
  if (PLAIN.test(written) && !written.includes('\\u')) return tool
  let found = false
  const clean = (value) => {
    if (typeof value === 'string') {
      const text = stripped(value)
      found ||= text !== value
      return text
    }
    if (value === null || typeof value !== 'object') return value
    if (Array.isArray(value)) return value.map(clean)
    const made = {}
    for (const [key, each] of Object.entries(value))
      Object.defineProperty(made, key, { value: clean(each), enumerable: true, configurable: true, writable: true })
    return made
  }
  const { name, ...said } = tool
  const cleaned = clean(said)
  if (!found) return tool
  return how === 'refuse' ? undefined : { ...(name !== undefined && { name }), ...cleaned }
}
