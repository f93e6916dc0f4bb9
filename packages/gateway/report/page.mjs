// The report of a task.

import { CONTEXT, PARTS } from './facts.mjs'
import { bar, cell, document, key, number, parts, table, text, width } from '../base/html.mjs'
import { count, percent } from '../base/numbers.mjs'

/**
 * @param {import('./play.mjs').Played} record
 * @returns {string} a page
 */
export function page(record) {
  const { tokens } = record.first
  const sections = [servers(record), turns(record), scores(record), deliveries(record)]
  const body = `<h1>${percent(tokens.saved / tokens.scoped)} fewer tokens of tool definitions</h1>
<blockquote>${text(record.texts[0])}</blockquote>
<p>${count(record.toolCount)} tools of ${count(record.servers.length)} servers would cost ${count(tokens.scoped)} tokens in every
request. The task begins with ${count(record.first.attached)} of them and <code>mcp_load</code>:
${count(tokens.attached + tokens.mcpLoad)} tokens.</p>
${sections.join('\n')}`
  return document('Tools of a task', body)
}

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
