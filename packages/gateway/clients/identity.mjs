// What makes one server of two written entries.

/** Fields that say which server it is and what of it is there. Others, such as time-outs, are merged. */
const FIELDS = [
  ...['command', 'args', 'env', 'envFile', 'cwd', 'url', 'headers', 'headersHelper', 'oauth'],
  ...['disabledTools', 'onlyAllow'],
]
/** Lists whose order says nothing. */
const SETS = ['disabledTools', 'onlyAllow']
/** Fields of which the larger one is kept. */
const LARGER = ['timeout', 'startTimeout']

/**
 * Whether two entries are one server: alike in what is started or reached, with which keys, and in the tools that are on.
 * Another key is another account.
 *
 * @param {Record<string, any>} entry as `import` writes it
 */
export function identityOf(entry) {
  return JSON.stringify(FIELDS.map((field) => canonical(field, entry[field])))
}

/** Takes into one entry what another of the same server has more of. @returns {string[]} what was taken */
export function merge(entry, other) {
  const taken = []
  for (const field of LARGER) {
    if (other[field] === undefined || !(other[field] > (entry[field] ?? 0))) continue
    entry[field] = other[field]
    taken.push(`${field} ${other[field]}`)
  }
  for (const [field, value] of Object.entries(other)) {
    if (entry[field] !== undefined || FIELDS.includes(field)) continue
    entry[field] = value
    taken.push(field)
  }
  return taken
}

function canonical(field, value) {
  if (value === undefined || value === null) return field === 'args' || SETS.includes(field) ? [] : null
  if (typeof value === 'string') {
    const text = value.replaceAll('${env:', '${')
    return field === 'url' ? text.replace(/\/$/, '') : text
  }
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) {
    const all = value.map((each) => canonical('', each))
    return SETS.includes(field) ? all.toSorted() : all
  }
  // Names of headers are the same in any case.
  const named = Object.entries(value).map(([key, each]) => [
    field === 'headers' ? key.toLowerCase() : key,
    canonical('', each),
  ])
  return named.length === 0 ? null : named.toSorted(([a], [b]) => (a < b ? -1 : 1))
}
