// What two texts have in common, word by word.

import { diffArrays } from 'diff'

/** Words that two texts may differ by: the search for the shortest difference grows with its square. */
const MOST = 2_000

/**
 * @param {string} was
 * @param {string} is
 * @returns {[Part[], Part[]]} both texts in parts
 *
 * @typedef {{ text: string, isOther: boolean }} Part
 */
export function difference(was, is) {
  const changes = diffArrays(words(was), words(is), { maxEditLength: MOST }) ?? [
    { value: [was], removed: true, added: false },
    { value: [is], removed: false, added: true },
  ]
  const without = (kind, isOther) =>
    changes
      .filter((change) => !change[kind])
      .map((change) => ({ text: change.value.join(''), isOther: change[isOther] }))
  return [without('added', 'removed'), without('removed', 'added')]
}

const words = (text) => text.match(/\s+|\S+/g) ?? []
