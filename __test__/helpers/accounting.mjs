// Counts of tokens by another implementation of the encoding, and what they are tried on.
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { router } from './router.mjs'

/** The oracle: what stands for a special token is plain text here too. */
export const count = (text) => encode(text, { disallowedSpecial: new Set() }).length

export const TEXTS = [
  '',
  'x'.repeat(1000),
  ' '.repeat(300),
  'word '.repeat(5000),
  '<|endoftext|>a<|fim_prefix|>b<|endofprompt|>',
  '课題 الطقس Добрый ñandú नमस्ते 👩‍👩‍👧‍👦🏳️‍🌈 e\u0301 \u0130\u0131 ﬁ',
  '\0\u0001\u001f\u2028\u00a0\u3000',
]

/** What each definition costs by name, counted from what is rendered. */
export async function costs() {
  const session = router.openSession({ settings: { searchTurns: 0 } })
  const found = new Map(JSON.parse(session.tools()).map((definition) => [definition.function.name, definition]))
  // Rendered text is cut at the definitions' own ends: JSON.stringify would write other bytes.
  const text = session.tools().slice(1, -1)
  const starts = [...text.matchAll(/\{"type":"function","function":\{"name":"(mcp--[A-Za-z0-9_-]+)"/g)]
  session.close()
  const costOf = new Map(
    starts.map(({ index, 1: name }, at) => [
      name,
      count(text.slice(index, at + 1 < starts.length ? starts[at + 1].index - 1 : undefined)),
    ]),
  )
  if (costOf.size !== found.size) throw new Error('definitions cannot be told apart')
  return costOf
}
