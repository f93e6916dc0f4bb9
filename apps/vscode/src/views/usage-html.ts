// The context usage panel as HTML: a chart to look at and tables to read. No script, nothing remote; text is escaped. Heads of
// columns are links to a command of the extension, which sorts.

import { count } from '../task/words'
import type { Order, Usage, UsageRow } from './usage'

/** Rows of the chart; the table has all of them. */
const CHARTED = 12

/** The command that a column's head is a link to. */
export const SORT = 'toolRouter.sortUsage'

export function usageHtml(usage: Usage, styleUri: string, cspSource: string): string {
  const csp = `default-src 'none'; style-src ${cspSource};`
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(csp)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${escaped(styleUri)}">
<title>Context Usage</title>
</head>
<body>
<main>
<h1>Context usage</h1>
<p class="lead">${escaped(usage.title)}. ${escaped(usage.rule)}</p>
${usage.rows.length > 0 ? [figures(usage), chart(usage), tables(usage)].join('\n') : `<p>${usage.none}</p>`}
${usage.own > 0 ? own(usage.own) : ''}
</main>
</body>
</html>`
}

function figures({ label, now, before, saved, window }: Usage): string {
  const share = (tokens: number) => (window > 0 ? `, ${((100 * tokens) / window).toFixed(1)} % of the window` : '')
  const figure = (name: string, tokens: number, rest: string) =>
    `<div><dt>${name}</dt><dd><strong>${count(tokens)}</strong> tokens${rest}</dd></div>`
  return `<dl class="figures">
${figure(label, now, share(now))}
${figure('With every tool', before, share(before))}
${figure('Saved per request', saved, '')}
</dl>`
}

function chart({ rows, label }: Usage): string {
  const shown = rows.slice(0, CHARTED)
  const most = Math.max(1, ...shown.map(({ now, before }) => Math.max(now, before)))
  const wide = (tokens: number) => Math.max(tokens > 0 ? 1 : 0, Math.round((600 * tokens) / most))
  const bars = shown.map(
    ({ name, now, before }) => `<div class="bar"><span class="name">${escaped(name)}</span>
<svg viewBox="0 0 600 20" preserveAspectRatio="none">
<rect class="before" width="${wide(before)}" height="20"/><rect class="now" y="5" width="${wide(now)}" height="10"/>
</svg></div>`,
  )
  const rest = rows.length > shown.length ? ` The ${shown.length} largest of ${rows.length}; the table has all.` : ''
  return `<figure>
<div class="chart" role="img" aria-label="Tokens per server, with the tools of the task and with every tool. The table below has the numbers.">
${bars.join('\n')}
</div>
<figcaption><span class="key now"></span> ${label.toLowerCase()} <span class="key before"></span> with every tool.${rest}</figcaption>
</figure>`
}

const own = (tools: number) =>
  `<p class="own">Not counted: ${count(tools)} tools of the editor itself and of its extensions, which agents have anyway.</p>`

/** Servers of which something is sent, and apart those of which nothing is: of a hundred they are most. */
function tables(usage: Usage): string {
  const sent = usage.rows.filter(({ isSent }) => isSent)
  const rest = usage.rows.filter(({ isSent }) => !isSent)
  if (sent.length === 0 || rest.length === 0) return table(usage, usage.rows)
  const title = `${count(rest.length)} ${rest.length === 1 ? 'server' : 'servers'} of which nothing is sent`
  return `${table(usage, sent)}
<details><summary>${title}</summary>
${table(usage, rest, title)}
</details>`
}

function table(usage: Usage, rows: readonly UsageRow[], part?: string): string {
  const { label, now, before, window, order } = usage
  const share = (tokens: number) => (window > 0 ? `${((100 * tokens) / window).toFixed(2)} %` : '')
  const row = ({
    name,
    tools,
    now,
    before,
  }: UsageRow) => `<tr><th scope="row">${escaped(name)}</th><td>${escaped(tools)}</td>
<td>${count(now)}</td><td>${count(before)}</td><td>${share(now)}</td></tr>`
  const head = (by: Order, text: string) => {
    const sorted = by === order ? ` aria-sort="${by === 'name' ? 'ascending' : 'descending'}"` : ''
    const link = `command:${SORT}?${encodeURIComponent(JSON.stringify([by]))}`
    return `<th scope="col"${sorted}><a href="${escaped(link)}" title="Sort by this">${text}</a></th>`
  }
  const foot = `<tfoot><tr><th scope="row">Together</th><td></td><td data-total="now">${count(now)}</td><td data-total="before">${count(before)}</td>
<td>${share(now)}</td></tr></tfoot>`
  const caption = part ?? 'Tokens by server, of MCP tools alone'
  return `<div class="scroll" tabindex="0" role="region" aria-label="${part ?? 'Tokens by server'}">
<table>
<caption>${caption}</caption>
<thead><tr>${head('name', 'Server')}<th scope="col">Tools</th>${head('now', label)}
${head('before', 'With every tool')}<th scope="col">Share of the window</th></tr></thead>
<tbody>${rows.map(row).join('\n')}</tbody>
${part === undefined ? foot : ''}
</table>
</div>`
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`)
}
