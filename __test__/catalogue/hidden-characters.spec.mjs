// What nobody sees is taken out of what a gateway lists as out of what the router gives a model, for every character there is.
import test from 'ava'

import { stripped, withoutHidden } from '../../packages/gateway/names/hidden-characters.mjs'
import { router } from '../helpers/router.mjs'

/** Characters of one description. */
const BLOCK = 2_048

/** Every code point but surrogates, each between letters, in texts of a bounded length. */
function* blocks() {
  for (let first = 0; first <= 0x10ffff; first += BLOCK) {
    if (first >= 0xd800 && first < 0xe000) continue
    yield Array.from({ length: BLOCK }, (_, at) => `${String.fromCodePoint(first + at)}é`).join('')
  }
}

test('gateway and router agree about every code point', async (t) => {
  await router.configure({ hiddenCharacters: 'strip' })
  const texts = [...blocks()]
  await router.setServer({
    name: 'all',
    tools: texts.map((description, at) => ({ name: `t${at}`, description, inputSchema: { type: 'object' } })),
  })
  const listed = new Map((await router.listTools()).map(({ toolName, description }) => [toolName, description]))
  let hidden = 0
  for (const [at, text] of texts.entries()) {
    const own = stripped(text)
    // Descriptions are trimmed where hosts read them.
    t.is(own.trim(), listed.get(`t${at}`)?.trim(), `block ${at}`)
    hidden += [...text].length - [...own].length
  }
  t.true(hidden > 4_000, `${hidden}`)
})

test('a lone surrogate stays, and what is hidden beside it goes', (t) => {
  t.is(stripped('a\u200b\ud800\u200bb'), 'a\ud800b')
  const tool = { name: 'x', description: 'a\u{e0041}b', inputSchema: { properties: { y: { title: 'c\u2060d' } } } }
  t.deepEqual(withoutHidden(tool), {
    name: 'x',
    description: 'ab',
    inputSchema: { properties: { y: { title: 'cd' } } },
  })
})

test('of what a server says about a tool its name stays as it is, and what scripts need', (t) => {
  const name = 'a\u200b'
  t.is(withoutHidden({ name, description: 'Adds.\u{e0041}' }).name, name)
  for (const text of ['می‌خواهم', '👩‍👩‍👧', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '❤️', 'line\n\ttab']) {
    const plain = { name: 'a', description: text }
    t.is(withoutHidden(plain), plain, text)
  }
})
