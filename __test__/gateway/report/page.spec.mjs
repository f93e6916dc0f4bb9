// The report of a task: one page with nothing from elsewhere, and what it says about tools.
import test from 'ava'

import { bar } from '../../../examples/demo/format.mjs'
import { bills, reasons } from '../../../packages/gateway/report/facts.mjs'
import { page } from '../../../packages/gateway/report/page.mjs'
import { servers } from '../../helpers/catalogue.mjs'
import { router } from '../../helpers/router.mjs'

const HOSTILE = '</style><script src="https://example.org/x.js"></script><img onerror=alert(1) src=x>\'"&'

/** A record of a task as the demo makes it. */
async function record(texts) {
  router.configure({ threshold: 5, initialK: 5 })
  const [first, ...others] = servers()
  await router.setServers([{ ...first, alwaysLoad: [first.tools[0].name] }, ...others], { replace: true })
  const session = router.openSession()
  const selection = await session.start(texts[0])
  const tools = await reasons(router, texts[0], selection, selection.attached)
  session.close()
  const { tokens, attached } = selection
  const turns = [
    { who: 'the user', said: texts[0], added: tools, tokens: 700 },
    { who: 'the model', said: HOSTILE, added: [{ name: HOSTILE, why: HOSTILE }], tokens: 900 },
  ]
  const { servers: all } = tokens
  return {
    texts,
    toolCount: 58,
    servers: [...all, { ...all[0], serverName: HOSTILE }],
    first: { tokens, attached: attached.length, tools },
    turns,
    bills: await bills(router, texts, 'weather'),
  }
}

test.serial('a report has nothing from elsewhere and runs nothing, whatever servers and people say', async (t) => {
  const html = page(await record([`list the issues ${HOSTILE}`, 'delete the branch']))
  t.notRegex(html, /<script|<img|<link|<iframe|@import|url\(/i)
  t.notRegex(html.replaceAll(/&lt;.*?&gt;/g, ''), /\son\w+=/i)
  t.regex(html, /content="default-src 'none'; style-src 'unsafe-inline'"/)
  t.regex(html, /prefers-color-scheme: dark/)
  const turned = page(await record(['list the issues\u202e of \u{e0041}\u0007 others']))
  t.notRegex(turned, /[\p{Cf}\p{Zl}\p{Zp}]|(?!\n)\p{Cc}/u)
  t.true(turned.includes('issues⟨U+202E⟩ of ⟨U+E0041⟩⟨U+7⟩ others'))
  for (const title of [
    'Tokens per server',
    'The context over the turns',
    'Why each tool is there',
    'The bill of each delivery',
  ])
    t.true(html.includes(`<h2>${title}`), title)
})

test.serial(
  'a tool is there by its rank, by its name, because another needs it, or because it is pinned',
  async (t) => {
    const { first } = await record(['list the issues of the repository, then forecast'])
    t.true(first.tools.length > 4)
    for (const { why } of first.tools) t.regex(why, /^(rank \d+|named|pinned|needed by \w+ \(.+\))$/)
    t.true(first.tools.some(({ why }) => why === 'named'))
    const [, ranked] = first.tools.map(({ score, parts }) => [
      score,
      Object.values(parts).reduce((sum, part) => sum + part),
    ])
    t.true(Math.abs(ranked[0] - ranked[1]) < 0.001, 'the parts of a score are the score')
    const selection = { companions: [{ name: 'a', of: 'mcp--x--list_things', by: 'thing_id' }] }
    const [companion, pinned] = await reasons(router, 'nothing', selection, ['a', 'b'])
    t.deepEqual([companion.why, pinned.why], ['needed by list_things (thing_id)', 'pinned'])
  },
)

test.serial('each delivery has its bill', async (t) => {
  const { bills: rows } = await record(['list the issues', 'delete the branch', 'forecast for Oslo'])
  t.deepEqual(
    rows.map(({ way }) => way),
    ['all tools', 'append', 'defer', 'changes', 'call'],
  )
  for (const { definitions, reads, rewrites, total } of rows)
    t.true(Math.abs(definitions + reads + rewrites - total) < 0.5)
  const [all, append, ...others] = rows
  t.true(all.total > append.definitions)
  for (const { way, rewrites } of others) t.true(rewrites <= append.rewrites, way)
})

test('a bar shows whatever is more than nothing', (t) => {
  t.deepEqual([bar(0, 100, 10), bar(1, 1000, 10), bar(50, 100, 10), bar(200, 100, 4)], ['', '█', '█████', '████'])
})
