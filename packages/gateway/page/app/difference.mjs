// SPDX-License-Identifier: Apache-2.0
//
// What two texts have in common, word by word.

/** Words compared: a table of their square is made. Longer texts are compared by their beginning and end alone. */
const MOST = 600

/**
 * @param {string} was
 * @param {string} is
 * @returns {[Part[], Part[]]} both texts in parts
 *
 * @typedef {{ text: string, isOther: boolean }} Part
 */
export function difference(was, is) {
  const [before, after] = [words(was), words(is)]
  let from = 0
  while (from < before.length && from < after.length && before[from] === after[from]) from += 1
  let behind = 0
  const left = () => Math.min(before.length, after.length) - from - behind
  while (left() > 0 && before.at(-1 - behind) === after.at(-1 - behind)) behind += 1
  const inner = [before.slice(from, before.length - behind), after.slice(from, after.length - behind)]
  const common = inner.some(({ length }) => length > MOST) ? [new Set(), new Set()] : commonOf(...inner)
  const parts = (all, same) =>
    joined(
      all.map((text, place) => ({
        text,
        isOther: place >= from && place < all.length - behind && !same.has(place - from),
      })),
    )
  return [parts(before, common[0]), parts(after, common[1])]
}

const words = (text) => text.match(/\s+|[^\s]+/g) ?? []

/** Places of the longest common row of words, in each of both. */
function commonOf(before, after) {
  const lengths = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1))
  for (let one = before.length - 1; one >= 0; one--)
    for (let two = after.length - 1; two >= 0; two--)
      lengths[one][two] =
        before[one] === after[two]
          ? lengths[one + 1][two + 1] + 1
          : Math.max(lengths[one + 1][two], lengths[one][two + 1])
  const same = [new Set(), new Set()]
  for (let one = 0, two = 0; one < before.length && two < after.length; ) {
    if (before[one] === after[two]) {
      same[0].add(one++)
      same[1].add(two++)
    } else if (lengths[one + 1][two] >= lengths[one][two + 1]) one += 1
    else two += 1
  }
  return same
}

function joined(parts) {
  const made = []
  for (const part of parts) {
    const last = made.at(-1)
    if (last?.isOther === part.isOther) last.text += part.text
    else made.push({ ...part })
  }
  return made
}
