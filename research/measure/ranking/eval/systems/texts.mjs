// What simple baselines read of a tool, and how they split it.

/** Words that say nothing about a task: articles, pronouns, auxiliaries, prepositions, conjunctions. */
const STOP_WORDS = new Set(
  `a an the this that these those some any each every all both no not i me my we our us you your he she it its they them
  their who what which whose when where why how am is are was were be been being do does did have has had can could will
  would shall should may might must of in on at by for with about into from to up down out over under between through
  during before after and or but if then than as so because while here there again also just only very too`.split(
    /\s+/,
  ),
)

/** How deep schemas are read: deeper levels repeat shallower ones. */
const MAX_DEPTH = 6

/** `createIssue2` and `create-issue_2` become `create issue 2`. */
export function splitIdentifier(text) {
  return text
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .replace(/(\p{L})(\p{N})|(\p{N})(\p{L})/gu, '$1$3 $2$4')
    .replaceAll(/[_\-./:]+/g, ' ')
}

/** Lower case, split at what is no letter, digit or underscore of ASCII: what a first version of such a search does. */
export function plainWords(text) {
  return text.toLowerCase().split(/\W+/).filter(Boolean)
}

/**
 * Terms with identifiers split, stop words left out, and words reduced to stems.
 *
 * @param {(word: string) => string} stem
 */
export function splitTerms(stem) {
  return (text) =>
    splitIdentifier(text)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.filter((word) => !STOP_WORDS.has(word))
      .map(stem) ?? []
}

/** Names and descriptions of a tool's parameters, nested ones included. */
export function parameterText(schema, depth = 0) {
  if (schema === null || typeof schema !== 'object' || depth > MAX_DEPTH) return ''
  const texts = []
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    texts.push(
      name,
      typeof property?.description === 'string' ? property.description : '',
      parameterText(property, depth + 1),
    )
  }
  for (const inner of [schema.items, ...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]) {
    texts.push(parameterText(inner, depth + 1))
  }
  return texts.filter(Boolean).join(' ')
}

/** `server name description`. */
export const shortText = ({ server, name, description = '' }) => `${server} ${name} ${description}`

/** The same with title and parameters. */
export const fullText = (tool) => `${shortText(tool)} ${tool.title ?? ''} ${parameterText(tool.inputSchema)}`

/** What is embedded for a tool: `server name: description`, with split names. */
export const embeddedText = ({ server, name, description = '' }) =>
  `${splitIdentifier(`${server} ${name}`).trim()}: ${description}`
