// Figures to Markdown. The words around the tables stand in template.md.

import fs from 'node:fs'
import path from 'node:path'

import { mean as average } from './metrics.mjs'
import { SPELLINGS, TOGETHER } from './names.mjs'

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
 * @param {{ versions: Record<string, string>, command: string, plot: string, environment: string }} facts
 */
export function renderReport(results, { versions, command, plot, environment }) {
  const parts = {
    command,
    plot,
    sets: setsTable(results),
    main: mainTable(results),
    metrics: metricsTable(results),
    kinds: kindsTable(results),
    names: namesTable(results),
    'session means': sessionMeansTable(results),
    sessions: sessionsTable(results),
    systems: systemsTable(results, versions),
    latency: latencyTable(results),
    environment,
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
      id === 'weighted' || !mean[`${id} R@10`].difference
        ? ''
        : pair((metric) => withInterval(mean[`${id} ${metric}`].difference, signed)),
    ]),
  )
}

function metricsTable({ systems, mean }) {
  const metrics = ['R@1', 'R@10', 'R@30', 'C@30', 'nDCG@10', 'MRR']
  return table(
    1,
    ['system', ...metrics],
    systems.map(({ id, title }) => [title, ...metrics.map((metric) => percent(mean[`${id} ${metric}`].value))]),
  )
}

function kindsTable({ kinds, systems }) {
  if (kinds.length === 0) return 'No set of this run tells kinds apart.'
  return table(
    2,
    ['set', 'kind', 'requests', ...systems.map(({ id }) => `\`${id}\``)],
    kinds.map(({ set, kind, requests, figures }) => [
      set,
      kind,
      requests,
      ...systems.map(({ id }) => `${percent(figures[`${id} R@10`])} / ${percent(figures[`${id} C@30`])}`),
    ]),
  )
}

function namesTable({ names, systems }) {
  const columns = [...Object.keys(SPELLINGS), `${TOGETHER.names} names`]
  const titles = new Map(systems.map(({ id, title }) => [id, title]))
  return table(
    2,
    ['set', 'system', ...columns],
    names.map(({ set, system, shares }) => [
      set,
      titles.get(system),
      ...columns.map((column) => (column in shares ? percent(shares[column]) : '')),
    ]),
  )
}

/** Means over all groups of tasks, each with the same weight. */
function sessionMeansTable({ sessions }) {
  if (sessions.length === 0) return 'No set of this run has requests that need several tools.'
  const sizes = [...new Set(sessions.map(({ initialK }) => initialK))]
  const groups = sizes.map((initialK) => sessions.filter((row) => row.initialK === initialK))
  const means = (rows, column) => average(rows.map((row) => row[column]))
  return table(
    1,
    ['`initialK`', 'after the first turn', 'tools then', 'in the end', 'tools in the end', 'maximum of a task'],
    groups.map((rows) => [
      rows[0].initialK,
      percent(means(rows, 'first')),
      means(rows, 'firstTools').toFixed(1),
      percent(means(rows, 'covered')),
      means(rows, 'tools').toFixed(1),
      Math.max(...rows.map(({ most }) => most)),
    ]),
  )
}

function sessionsTable({ sessions }) {
  if (sessions.length === 0) return ''
  const whole = (number) => Math.round(number).toLocaleString('en')
  return table(
    3,
    [
      'set',
      'tasks',
      '`initialK`',
      'after the first turn',
      'in the end',
      'tools attached',
      'tokens attached',
      'of the catalogue',
    ],
    sessions.map(({ set, sessions: count, derived, initialK, first, covered, tools, tokens, scoped }) => [
      set,
      `${count}, ${derived ? 'split' : 'written steps'}`,
      initialK,
      percent(first),
      percent(covered),
      tools.toFixed(1),
      whole(tokens),
      `${percent(tokens / scoped)} %`,
    ]),
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

function latencyTable({ latency, systems }) {
  const times = (factor) => `${factor.toFixed(2)} x`
  return table(
    1,
    ['system', 'median', '95th percentile', 'median, ms'],
    systems.map(({ id, title }) => {
      const { median, p95, ms } = latency[id]
      return [title, times(median), times(p95), ms.toFixed(1)]
    }),
  )
}
