// Parts of a page that is one file: no script, nothing from elsewhere, light or dark as the reader's system is. Texts of servers
// are text: every one is escaped.

import { shownText } from './shown-text.mjs'
import { count } from './numbers.mjs'

const ESCAPED = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
/** What is invisible, or turns the direction of what stands beside it, is shown by its number. */
export const text = (value) => shownText(String(value), MOST).replaceAll(/[&<>"']/g, (character) => ESCAPED[character])
/** Characters of one text. */
const MOST = 100_000
/** A share of a width, as CSS has it. */
export const width = (part, whole) => `${((100 * Math.max(0, part)) / (whole || 1)).toFixed(2)}%`

const STYLE = `
:root { color-scheme: light dark; --ink: #1f2328; --paper: #fff; --faint: #d9dee3; --soft: #656d76;
  --a: #0969da; --b: #1a7f37; --c: #bf8700; --d: #8250df; --e: #cf222e }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --paper: #0d1117; --faint: #30363d; --soft: #8d96a0;
  --a: #4493f8; --b: #3fb950; --c: #d29922; --d: #ab7df8; --e: #f85149 } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 62rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.6rem } h2 { font-size: 1.1rem; margin-top: 2.2rem }
blockquote { margin: 0; padding-left: 1rem; border-left: 3px solid var(--faint) }
table { border-collapse: collapse; width: 100% } th { text-align: left; color: var(--soft); font-weight: normal }
td, th { padding: .15rem .6rem .15rem 0; vertical-align: middle } td.number, th.number { text-align: right }
td.number { font-variant-numeric: tabular-nums; white-space: nowrap }
td.bar { width: 45% } .scores td.bar { width: 28% } code { font: 13px ui-monospace, monospace }
.line { display: flex; height: .9rem; background: var(--faint); border-radius: 3px; overflow: hidden }
.two { display: flex } .two > div { display: flex; height: .9rem } .two > div:first-child { justify-content: flex-end }
.a { background: var(--a) } .b { background: var(--b) } .c { background: var(--c) } .d { background: var(--d) } .e { background: var(--e) }
.key span { display: inline-block; width: .8rem; height: .8rem; margin: 0 .3rem 0 1rem; border-radius: 2px; vertical-align: -1px }
.note { color: var(--soft) } code { overflow-wrap: anywhere }
@media (max-width: 40rem) { body { margin: 1rem auto; padding: 0 .8rem } body { font-size: 14px } td.bar, table:has(td.bar) th:last-child { display: none } td, th { padding-right: .4rem } }`

/** @param {string} title @param {string} body */
export const document = (title, body) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${text(title)}</title>
<style>${STYLE}</style>
${body}
</html>
`

/** What colours stand for: pairs of a class and a name. */
export const key = (pairs) =>
  `<p class="key note">${pairs.map(([colour, name]) => `<span class="${colour}"></span>${text(name)}`).join('')}</p>`

export function table(titles, rows, kind = '') {
  const isNumber = (at) => rows[0]?.[at]?.startsWith('<td class="number"')
  const head = titles.map((title, at) => `<th${isNumber(at) ? ' class="number"' : ''}>${text(title)}</th>`).join('')
  return `<table class="${kind}"><tr>${head}</tr>\n${rows.map((cells) => `<tr>${cells.join('')}</tr>`).join('\n')}\n</table>`
}
export const cell = (value) => `<td>${value}</td>`
export const number = (value) => `<td class="number">${count(value)}</td>`
/** Parts beside each other, each a pair of a class and its share of `whole`. */
export const parts = (pairs, whole) =>
  pairs.map(([colour, part]) => `<div class="${colour}" style="width:${width(part, whole)}"></div>`).join('')
/** A bar as long as its share of the longest one, with its parts. */
export const bar = (pairs, whole, longest) =>
  `<td class="bar"><div class="line" style="width:${width(whole, longest)}">${parts(pairs, whole)}</div></td>`
