// Names with `*` in them, which stands for any characters: of tools that are off, and of variables that a server gets.

/** @param {string} pattern @returns {(name: string) => boolean} */
function matcher(pattern) {
  if (!pattern.includes('*')) return (name) => name === pattern
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  // `**` is one `*`: two would be tried in every way.
  const expression = new RegExp(
    `^${parts.filter((part, at) => part !== '' || at === 0 || at === parts.length - 1).join('.*')}$`,
    's',
  )
  return (name) => expression.test(name)
}

/**
 * Patterns as the names that they match. One that matches none stays: a list of what alone is on must not become empty.
 *
 * @param {string[]} patterns
 * @param {string[]} names
 */
export function matching(patterns, names) {
  return patterns.flatMap((pattern) => {
    const found = pattern.includes('*') ? names.filter(matcher(pattern)) : []
    return found.length > 0 ? found : pattern
  })
}
