// Parts of a text between two marks. Texts of a transcript hold what servers and pages said: each is gone through once, however
// many parts it begins and never ends.

/** What a text is in JSON; undefined where it is none. */
export function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const listOf = (value) => (Array.isArray(value) ? value : [])

/**
 * @param {string} text
 * @param {string} open
 * @param {string} close
 * @returns {string | undefined} what stands between the first mark and its end
 */
export function between(text, open, close) {
  const start = text.indexOf(open)
  const end = start === -1 ? -1 : text.indexOf(close, start + open.length)
  return end === -1 ? undefined : text.slice(start + open.length, end)
}

/** A text without the parts that a program adds. @param {string} text @param {string} open @param {string} close */
export function without(text, open, close) {
  const kept = []
  let rest = 0
  for (let start = text.indexOf(open); start !== -1; start = text.indexOf(open, rest)) {
    const end = text.indexOf(close, start + open.length)
    if (end === -1) break
    kept.push(text.slice(rest, start))
    rest = end + close.length
  }
  return kept.join('') + text.slice(rest)
}
