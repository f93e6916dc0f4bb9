// Words that are nearly others: a slip of the hand, another habit of writing.

/** Short for a key, and nearer to another one by its letters. */
const SHORT_FOR = new Map([
  ['cmd', 'command'],
  ['arguments', 'args'],
  ['endpoint', 'url'],
])
/** Up to this many characters one slip is a lot, and two make another word. */
const SHORT = 5

/** The one of some words that another is nearly, or undefined. @param {string} key @param {string[]} read */
export function nearest(key, read) {
  const folded = fold(key)
  const same = read.find((name) => fold(name) === folded || name === SHORT_FOR.get(folded))
  if (same !== undefined) return same
  let best
  let least = folded.length <= SHORT ? 1 : 2
  for (const name of read) {
    const distance = slips(folded, fold(name))
    if (distance > least || fold(name).length <= SHORT / 2) continue
    best = distance < least || best === undefined ? name : best
    least = distance
  }
  return best
}

/** `disabled_tools`, `DisabledTools` and `disabled-tools` are one word in three habits. */
export function fold(key) {
  return key.toLowerCase().replaceAll(/[^\p{L}\p{N}*]/gu, '')
}

/** Letters put in, left out, changed, or changed about, that lie between two words. */
function slips(a, b) {
  const rows = [Array.from({ length: b.length + 1 }, (_, at) => at)]
  for (let i = 1; i <= a.length; i++) {
    rows[i] = [i]
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      rows[i][j] = Math.min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + cost)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        rows[i][j] = Math.min(rows[i][j], rows[i - 2][j - 2] + 1)
    }
  }
  return rows[a.length][b.length]
}
