// Counts of tokens by another implementation of the encoding, and what they are tried on.
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { router } from './router.mjs'

/** The oracle: what stands for a special token is plain text here too. */
export const count = (text) => encode(text, { disallowedSpecial: new Set() }).length

export const TEXTS = [
  '',
  ' ',
  'a',
  'hello world',
  "The quick brown fox, isn't it? I'LL SEE",
  '12345678901234567890 3.14',
  'x'.repeat(1000),
  ' '.repeat(300),
  '\n\n\n\t\t  \r\n end',
  'a\nb\n\nc\n',
  '创建一个新的问题并分配给我',
  '課題を作成する',
  'الطقس غدا في لشبونة',
  'Добрый день, мир',
  'ελληνικά ñandú Größe',
  'नमस्ते दुनिया',
  '👩‍👩‍👧‍👦🚀🏳️‍🌈',
  'e\u0301 \u0130\u0131 ﬁ',
  '<|endoftext|>',
  'a<|fim_prefix|>b<|endofprompt|>',
  '{"type":"object","properties":{"a":{"$ref":"#"}}}',
  'getIssueByID get_issue_by_id GET-ISSUE',
  'https://example.com/a?b=c&d=%20#f',
  '\0\u0001\u001f',
  '\u2028\u00a0\u3000',
  'word '.repeat(5000),
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
