// SPDX-License-Identifier: Apache-2.0
//
// The report of a task: one page of HTML with nothing from elsewhere and no script, light or dark as the reader's system is.
// Texts of servers are text: every one is escaped.

import { shownText } from '../page/shown.mjs'
import { CONTEXT, PARTS } from './facts.mjs'
import { count, percent } from './numbers.mjs'

const ESCAPED = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
/** What is invisible, or turns the direction of what stands beside it, is shown by its number. */
const text = (value) => shownText(String(value), MOST).replaceAll(/[&<>"']/g, (character) => ESCAPED[character])
/** Characters of one text. */
const MOST = 100_000
/** A share of a width, as CSS has it. */
const width = (part, whole) => `${((100 * Math.max(0, part)) / (whole || 1)).toFixed(2)}%`

const STYLE = `
:root { color-scheme: light dark; --ink: #1f2328; --paper: #fff; --faint: #d9dee3; --soft: #656d76;
  --a: #0969da; --b: #1a7f37; --c: #bf8700; --d: #8250df; --e: #cf222e }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --paper: #0d1117; --faint: #30363d; --soft: #8d96a0;
  --a: #4493f8; --b: #3fb950; --c: #d29922; --d: #ab7df8; --e: #f85149 } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 62rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.6rem } h2 { font-size: 1.1rem; margin-top: 2.2rem }
blockquote { margin: 0; padding-left: 1rem; border-left: 3px solid var(--faint) }
table { border-collapse: collapse; width: 100% } th { text-align: left; color: var(--soft); font-weight: normal }
td, th { padding: .15rem .6rem .15rem 0; vertical-align: middle } td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
td.bar { width: 45% } .scores td.bar { width: 28% } code { font: 13px ui-monospace, monospace }
.line { display: flex; height: .9rem; background: var(--faint); border-radius: 3px; overflow: hidden }
.two { display: flex } .two > div { display: flex; height: .9rem } .two > div:first-child { justify-content: flex-end }
.a { background: var(--a) } .b { background: var(--b) } .c { background: var(--c) } .d { background: var(--d) } .e { background: var(--e) }
.key span { display: inline-block; width: .8rem; height: .8rem; margin: 0 .3rem 0 1rem; border-radius: 2px; vertical-align: -1px }
.note { color: var(--soft) }`

/**
 * @param {import('./play.mjs').Played} record
 * @returns {string} a page
 */
export function page(record) {
  const { tokens } = record.first
  const sections = [servers(record), turns(record), scores(record), deliveries(record)]
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Tools of a task</title>
<style>${STYLE}</style>
<h1>${percent(tokens.saved / tokens.scoped)} fewer tokens of tool definitions</h1>
<blockquote>${text(record.texts[0])}</blockquote>
<p>${count(record.toolCount)} tools of ${count(record.servers.length)} servers would cost ${count(tokens.scoped)} tokens in every
request. The task begins with ${count(record.first.attached)} of them and <code>mcp_load</code>:
${count(tokens.attached + tokens.mcpLoad)} tokens.</p>
${sections.join('\n')}
</html>
`
}

/** What colours stand for: pairs of a class and a name. */
const key = (pairs) =>
  `<p class="key note">${pairs.map(([colour, name]) => `<span class="${colour}"></span>${text(name)}`).join('')}</p>`

function table(titles, rows, kind = '') {
  const head = titles.map((title) => `<th>${text(title)}</th>`).join('')
  return `<table class="${kind}"><tr>${head}</tr>\n${rows.map((cells) => `<tr>${cells.join('')}</tr>`).join('\n')}\n</table>`
}
const cell = (value) => `<td>${value}</td>`
const number = (value) => `<td class="number">${count(value)}</td>`
/** Parts beside each other, each a pair of a class and its share of `whole`. */
const parts = (pairs, whole) =>
  pairs.map(([colour, part]) => `<div class="${colour}" style="width:${width(part, whole)}"></div>`).join('')
/** A bar as long as its share of the longest one, with its parts. */
const bar = (pairs, whole, longest) =>
  `<td class="bar"><div class="line" style="width:${width(whole, longest)}">${parts(pairs, whole)}</div></td>`

function servers({ servers: all }) {
  const sorted = all.toSorted((one, other) => other.scoped - one.scoped)
  const rows = sorted.map(({ serverName, scoped, attached, attachedCount }) => [
    cell(text(serverName)),
    number(scoped),
    number(attached),
    number(attachedCount),
    bar([['b', attached]], scoped, sorted[0].scoped),
  ])
  const titles = ['server', 'all its tools', 'attached', 'tools', '']
  return `<h2>Tokens per server, before and after</h2>\n${table(titles, rows)}`
}

/** Who added what: the first message, later ones, and the model. */
function turns({ turns: all }) {
  const longest = Math.max(...all.map(({ tokens }) => tokens))
  const rows = all.map(({ who, said, tokens, added }, at) => {
    const before = all[at - 1]?.tokens ?? 0
    const names = added.map(
      ({ name, why }) => `<li><code>${text(name)}</code> <span class="note">${text(why)}</span></li>`,
    )
    const list = `<details><summary>${count(added.length)} added</summary><ul>${names.join('')}</ul></details>`
    const pairs = [
      ['a', before],
      [who === 'the model' ? 'd' : 'c', tokens - before],
    ]
    return [cell(`${text(who)}: ${text(said)}${list}`), number(tokens), bar(pairs, tokens, longest)]
  })
  const colours = key([
    ['a', 'there before'],
    ['c', 'added by the user’s message'],
    ['d', 'by the model, with mcp_load'],
  ])
  return `<h2>The context over the turns</h2>${colours}\n${table(['who asked', 'tokens of tools', ''], rows)}`
}

/** A stacked bar for each tool: what takes from a score stands on the left. */
function scores({ first: { tools } }) {
  const sum = (values) => values.reduce((total, value) => total + Math.max(0, value), 0)
  const least = Math.max(...tools.map((tool) => sum(Object.values(tool.parts).map((value) => -value))))
  const most = Math.max(...tools.map((tool) => sum(Object.values(tool.parts))))
  const side = (tool, sign, whole) => {
    const pairs = PARTS.map(([, word], at) => ['abcde'[at], sign * tool.parts[word]])
    return `<div style="width:${width(whole, least + most)}">${parts(pairs, whole)}</div>`
  }
  const rows = tools.map((tool) => [
    cell(`<code>${text(tool.name)}</code>`),
    cell(text(tool.why)),
    `<td class="number">${tool.score === undefined ? '' : tool.score.toFixed(2)}</td>`,
    `<td class="bar"><div class="two">${side(tool, -1, least)}${side(tool, 1, most)}</div></td>`,
  ])
  const colours = key(PARTS.map(([, word], at) => ['abcde'[at], word]))
  const title = '<h2>Why each tool is there, and what made its score</h2>'
  return `${title}${colours}\n${table(['tool', 'why', 'score', ''], rows, 'scores')}`
}

function deliveries({ bills }) {
  const longest = Math.max(...bills.map(({ total }) => total))
  const rows = bills.map(({ way, definitions, reads, rewrites, total }) => {
    const pairs = [
      ['a', definitions],
      ['b', reads],
      ['e', rewrites],
    ]
    return [cell(text(way)), number(total), bar(pairs, total, longest)]
  })
  const colours = key([
    ['a', 'definitions written'],
    ['b', 'definitions read'],
    ['e', 'conversation written again'],
  ])
  const note = `In base tokens, at Anthropic’s prices, for a conversation that begins with ${count(CONTEXT.start)} tokens and grows by ${count(CONTEXT.turn)} with each message.`
  return `<h2>The bill of each delivery</h2><p class="note">${note}</p>${colours}\n${table(['delivery', 'base tokens', ''], rows)}`
}
