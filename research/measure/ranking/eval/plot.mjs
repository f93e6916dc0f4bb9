// The mean over sets as a picture: a point and its confidence interval for each system.

import * as vega from 'vega'
import { compile } from 'vega-lite'

const SHOWN = { 'R@10': 'recall at 10', 'C@30': 'all needed tools in the first 30' }

/** @returns {Promise<string>} SVG text */
export function renderPlot({ systems, mean }) {
  const values = Object.entries(SHOWN).flatMap(([metric, title]) =>
    systems.map(({ id, ours = false }) => {
      const { value, low, high } = mean[`${id} ${metric}`]
      return { system: id, ours, measure: title, value: 100 * value, low: 100 * low, high: 100 * high }
    }),
  )
  const order = [...systems].sort((a, b) => mean[`${b.id} R@10`].value - mean[`${a.id} R@10`].value).map(({ id }) => id)
  const y = { field: 'system', type: 'nominal', sort: order, title: null }
  const color = {
    field: 'ours',
    type: 'nominal',
    legend: null,
    scale: { domain: [true, false], range: ['#b3261e', '#5f6b76'] },
  }
  const x = { type: 'quantitative', scale: { zero: false, nice: true }, title: 'percent, mean over sets' }
  const { spec } = compile({
    data: { values },
    background: 'white',
    facet: { column: { field: 'measure', type: 'nominal', title: null, sort: Object.values(SHOWN) } },
    spec: {
      width: 300,
      height: { step: 22 },
      layer: [
        {
          mark: { type: 'rule', strokeWidth: 2 },
          encoding: { y, color, x: { ...x, field: 'low' }, x2: { field: 'high' } },
        },
        { mark: { type: 'point', filled: true, size: 60 }, encoding: { y, color, x: { ...x, field: 'value' } } },
      ],
    },
  })
  return new vega.View(vega.parse(spec), { renderer: 'none' }).toSVG()
}
