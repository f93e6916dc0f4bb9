// A catalogue of any size: copies of a real one under other names of servers, with other words in their descriptions.

/** Every so many words of a description is another one in a copy. */
const CHANGED_WORD = 4

/** Numbers that look drawn and are the same each time. */
export function numbers(seed) {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** The first tools as they are, then copies. */
export function* grown(tools, size) {
  const words = [...new Set(tools.flatMap(({ description = '' }) => description.match(/[a-z]{4,}/g) ?? []))]
  for (let at = 0; at < size; at++) {
    const [tool, copy] = [tools[at % tools.length], Math.floor(at / tools.length)]
    if (copy === 0) {
      yield tool
      continue
    }
    const draw = numbers(at)
    const varied = (text) =>
      text.replace(/[A-Za-z]{4,}/g, (word) => (draw(CHANGED_WORD) === 0 ? words[draw(words.length)] : word))
    const server = `${tool.server}-${words[copy % words.length]}-${copy}`
    yield { ...tool, id: `${server}::${tool.name}`, server, description: varied(tool.description ?? '') }
  }
}
