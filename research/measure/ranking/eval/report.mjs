// Figures to Markdown. The words around the tables stand in template.md.

import fs from 'node:fs'
import path from 'node:path'

import { mean as average, METRICS } from './metrics.mjs'
import { SPELLINGS, TOGETHER } from './names.mjs'
import { REFERENCE } from './run.mjs'

const percent = (share) => (100 * share).toFixed(1)
const signed = (share) => `${share < 0 ? '−' : '+'}${percent(Math.abs(share))}`
const row = (cells) => `| ${cells.join(' | ')} |`
/** The first columns are text, the others figures. */
const table = (texts, head, rows) =>
  [row(head), row(head.map((_, at) => (at < texts ? '---' : '---:'))), ...rows.map(row)].join('\n')

/**
 * The whole document.
 *
 * @param {object} results of `evaluate`
 * @param {{ versions: Record<string, string>, command: string }} facts
 */
export function renderReport(results, { versions, command }) {
  const parts = {
    command,
    sets: setsTable(results),
    main: mainTable(results),
    metrics: metricsTable(results),
    kinds: kindsTable(results),
    names: namesTable(results),
    systems: systemsTable(results, versions),
    seed: String(results.seed),
    resamples: results.resamples.toLocaleString('en'),
  }
  const template = fs.readFileSync(path.join(import.meta.dirname, 'template.md'), 'utf8')
  return template.replaceAll(/\{\{([\w ]+)\}\}/g, (whole, name) => parts[name] ?? whole)
}

function setsTable({ sets }) {
  return table(
    1,
    ['set', 'tools', 'requests', 'need a tool', 'hash'],
    sets.map(({ name, tools, requests, scored, hash }) => [name, tools, requests, scored, `\`${hash}\``]),
  )
}

function mainTable({ sets, systems, mean }) {
  const pair = (get) => `${get('R@10')} / ${get('C@30')}`
  const withInterval = ({ value, low, high }, show) => `${show(value)} [${show(low)}, ${show(high)}]`
  return table(
    1,
    ['system', ...sets.map(({ name }) => name), 'mean', 'difference from the weighted sum'],
    systems.map(({ id, title, ours }) => [
      ours ? `**${title}**` : title,
      ...sets.map(({ figures }) => pair((metric) => percent(figures[`${id} ${metric}`]))),
      pair((metric) => withInterval(mean[`${id} ${metric}`], percent)),
      id === REFERENCE || !mean[`${id} R@10`].difference
        ? ''
        : pair((metric) => withInterval(mean[`${id} ${metric}`].difference, signed)),
    ]),
  )
}

function metricsTable({ systems, mean }) {
  return table(
    1,
    ['system', ...METRICS],
    systems.map(({ id, title }) => [title, ...METRICS.map((metric) => percent(mean[`${id} ${metric}`].value))]),
  )
}

function kindsTable({ kinds, systems }) {
  if (kinds.length === 0) return 'No set of this run tells kinds apart.'
  const shown = systems.filter(({ id, ours }) => ours || id === REFERENCE)
  return table(
    2,
    ['set', 'kind', 'requests', ...shown.map(({ id }) => `\`${id}\``)],
    kinds.map(({ set, kind, requests, figures }) => [
      set,
      kind,
      requests,
      ...shown.map(({ id }) => `${percent(figures[`${id} R@10`])} / ${percent(figures[`${id} C@30`])}`),
    ]),
  )
}

function namesTable({ names, systems }) {
  const columns = [...Object.keys(SPELLINGS), `${TOGETHER.names} names`]
  const means = (id, column) =>
    average(names.filter(({ system, shares }) => system === id && column in shares).map(({ shares }) => shares[column]))
  return table(
    1,
    ['system', ...columns],
    systems
      .filter(({ id }) => names.some(({ system }) => system === id))
      .map(({ id, title }) => [title, ...columns.map((column) => percent(means(id, column)))]),
  )
}

function systemsTable({ systems }, versions) {
  return table(
    3,
    ['system', 'name here', 'version'],
    systems.map(({ id, title, package: name }) => [
      title,
      `\`${id}\``,
      name ? `${name} ${versions[name]}` : 'this checkout',
    ]),
  )
}
