// The tables of research/notes/bill.md, and of them the short one and the plot of docs/delivery.md.

import { STRANGERS } from './tasks.mjs'

const TITLES = {
  static: 'all tools, always',
  never: 'first selection alone',
  window: 'three tools a turn',
}
/** A delivery in code, and what of the first selection is not the default behind it. */
const titleOf = (way) => TITLES[way] ?? way.replace(/^\w+/, '`$&`')
/** Of fewer tasks a mean says nothing. */
const FEWEST_TASKS = 20
const BEGIN = '<!-- bill -->'
const END = '<!-- end of bill -->'

const sum = (rows, field) => rows.reduce((total, row) => total + row[field], 0)

/** Sums of a way, and what they are against the first selection alone. */
export function figures(rows, provider, way) {
  const own = rows.filter((row) => row.provider === provider && row.way === way)
  const base = sum(
    rows.filter((row) => row.provider === provider && row.way === 'never'),
    'cost',
  )
  const needed = sum(own, 'needed')
  return {
    covered: sum(own, 'covered') / needed,
    finallyCovered: sum(own, 'finallyCovered') / needed,
    tokens: sum(own, 'tokens') / own.length,
    rewrites: sum(own, 'rewrites') / own.length,
    cost: sum(own, 'cost') / own.length,
    extra: sum(own, 'cost') / base - 1,
    steps: sum(own, 'steps') / own.length,
    further: sum(own, 'further') / base,
  }
}

const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)} %`
const signed = (share) => `${share >= 0 ? '+' : '-'}${percent(Math.abs(share))}`

function tableOf(rows) {
  const lines = [
    '| provider | way | covered | tokens of tools | rewrites | base tokens | against the first selection alone | further steps | their cost | covered then |',
    '| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
  ]
  for (const provider of [...new Set(rows.map((row) => row.provider))]) {
    for (const way of [...new Set(rows.filter((row) => row.provider === provider).map((row) => row.way))]) {
      const at = figures(rows, provider, way)
      const cells = [
        provider,
        titleOf(way),
        percent(at.covered),
        Math.round(at.tokens).toLocaleString('en'),
        at.rewrites.toFixed(2),
        Math.round(at.cost).toLocaleString('en'),
        way === 'never' ? '' : signed(at.extra),
        at.steps.toFixed(2),
        signed(at.further),
        percent(at.finallyCovered),
      ]
      lines.push(`| ${cells.join(' | ')} |`)
    }
  }
  return lines.join('\n')
}

/** The tables: what was looked at while the router was made stands in none of them. */
export function table(rows) {
  const parts = []
  const count = (some) => new Set(some.map((row) => row.task)).size
  const add = (title, which) => {
    const some = rows.filter(which)
    if (count(some) >= FEWEST_TASKS) parts.push(`### ${title}: ${count(some)} tasks`, tableOf(some))
  }
  const isStranger = ({ set }) => set === STRANGERS
  add('Held-out half', (row) => !isStranger(row) && row.half === 'held-out')
  add('Held-out half, over servers that nothing here knows', (row) => isStranger(row) && row.half === 'held-out')
  add('Tasks whose first text says all', (row) => !isStranger(row) && row.saysAll)
  if (parts.length === 0) parts.push(`### All: ${count(rows)} tasks`, tableOf(rows))
  return parts.join('\n\n')
}

/** One provider's ways over our tasks and over servers that nobody knows, side by side. */
export function shortTable(rows, provider = 'anthropic') {
  const half = rows.filter((row) => row.half === 'held-out')
  const [own, strangers] = [false, true].map((is) => half.filter(({ set }) => (set === STRANGERS) === is))
  const of = (some, way) => {
    const at = figures(some, provider, way)
    const extra = way === 'never' ? '' : signed(at.extra)
    return [percent(at.covered), Math.round(at.tokens).toLocaleString('en'), extra, at.steps.toFixed(2)]
  }
  const ways = [...new Set(own.filter((row) => row.provider === provider).map((row) => row.way))]
  return [
    '| way | covered | tokens of tools | cost | further steps | unknown servers: covered | tokens of tools | cost | further steps |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
    ...ways
      .filter((way) => way !== 'window')
      .map((way) => `| ${[titleOf(way), ...of(own, way), ...of(strangers, way)].join(' | ')} |`),
  ].join('\n')
}

/** A page with its table replaced. */
export function withTable(page, text) {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)]
  if (begin < 0 || end < begin) throw new Error(`the page has no ${BEGIN} and ${END}`)
  return `${page.slice(0, begin + BEGIN.length)}\n\n${text}\n\n${page.slice(end)}`
}

const BAR = { left: 250, width: 420, height: 18, gap: 8 }

/** Bars of what each way costs more than the first selection alone, at Anthropic's prices and at one without. */
export function plot(rows) {
  const bars = ['anthropic', 'openai-responses', 'openai-chat'].flatMap((provider) => {
    const ways = [...new Set(rows.filter((row) => row.provider === provider).map((row) => row.way))]
    return ways
      .filter((way) => way !== 'never')
      .map((way) => ({ provider, way, extra: figures(rows, provider, way).extra }))
  })
  const most = Math.max(...bars.map(({ extra }) => extra), 0.01)
  const line = BAR.height + BAR.gap
  const height = bars.length * line + 50
  const text = (x, y, content, more = '') =>
    `<text x="${x}" y="${y}" font-family="sans-serif" font-size="12"${more}>${content}</text>`
  const parts = bars.map(({ provider, way, extra }, at) => {
    const y = 34 + at * line
    const width = Math.max((Math.max(extra, 0) / most) * BAR.width, 1)
    const color = ['static', 'window'].includes(way) ? '#5f6b76' : '#b3261e'
    const label = `${provider}, ${titleOf(way).replaceAll('`', '')}`
    return [
      text(BAR.left - 8, y + 13, label, ' text-anchor="end"'),
      `<rect x="${BAR.left}" y="${y}" width="${width.toFixed(1)}" height="${BAR.height}" fill="${color}"/>`,
      text(BAR.left + width + 6, y + 13, signed(extra)),
    ].join('')
  })
  const title = text(8, 18, 'What tools cost more than the first selection alone, in base-token equivalents')
  const size = `width="${BAR.left + BAR.width + 90}" height="${height}"`
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size}><rect width="100%" height="100%" fill="white"/>${title}${parts.join('')}</svg>\n`
}
