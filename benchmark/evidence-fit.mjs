#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
//
// Sets the measure of evidence: a logistic regression over what benchmark/evidence.mjs collected, of the tuning halves alone,
// and what its values are said as, by lines that the regression did not see. Prints src/ranking/data/evidence.txt.
//
//   node benchmark/evidence-fit.mjs --signals signals.jsonl

import { readFileSync } from 'node:fs'
import process from 'node:process'

import { readArguments } from '../scripts/arguments.mjs'

const USAGE = 'usage: evidence-fit.mjs --signals <signals.jsonl>\n'
/** What each measure reads: dropping others cost nothing. */
const COMMON = [
  ...[
    'content',
    'content_share',
    'absent',
    'terms',
    'english',
    'clauses',
    'short',
    'unknown_content',
    'foreign_content',
  ],
  ...['coverage', 'short_coverage', 'lexical', 'lexical_z', 'top_lexical', 'missing'],
  ...['word_need', 'word_unmet', 'word_talk_over', 'implied'],
]
const COLUMNS = {
  hybrid: [...COMMON, 'top_cosine', 'clause_cosine', 'cosine_z', 'need_cosine', 'unmet', 'talk_over'],
  lexical: COMMON,
}
/** The strength of the ridge: weights stay small where signals say the same. */
const RIDGE = 10
const STEPS = 25
/**
 * What all weights are multiplied by. The fit is timid for lines that people wrote, as requests of sets whose servers were
 * taken out are often served by half: crosswise, 2.2 and 1.8 would be best for such lines, 1.0 and 1.2 for sets.
 */
const SHARPER = 1.5

/** Parts of the tuning lines: what a part's values are said as is read off weights that were set without it. */
const FOLDS = 10
/** Values between which the calibration is linear. */
const POINTS = [0.01, 0.03, 0.06, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98]
/** How far lines count for a point, in logits: narrower, and it follows single lines. */
const WIDTH = 0.6

const given = readArguments(USAGE, { signals: { type: 'string', required: true } })
if (given) main(given.values)

/** Lines written by people count whole; of sets there are thousands, and what little serves there is often served by half. */
function weightOf({ set, kind, served }) {
  if (set === 'small-talk' || set === 'impossible' || set === 'needs') return 1
  if (set === 'task') return served || kind !== 'first' ? 0.7 : 0
  if (kind.startsWith('small')) return 0.3
  return kind.startsWith('few') ? 0.07 : 0.12
}

function main({ signals: file }) {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  const rows = lines.map((line) => JSON.parse(line)).filter((row) => row.half === 'tuning' && weightOf(row) > 0)
  const of = (ranker) => rows.filter((row) => row.ranker === ranker)
  const fits = {}
  const said = {}
  for (const ranker of ['hybrid', 'lexical']) {
    fits[ranker] = weighed(of(ranker), COLUMNS[ranker])
    said[ranker] = calibration(of(ranker), COLUMNS[ranker])
  }
  const all = ['intercept', ...new Set(Object.values(COLUMNS).flat())]
  const shown = (ranker, name) => (fits[ranker][name] === undefined ? '0' : (SHARPER * fits[ranker][name]).toFixed(3))
  process.stdout.write(
    '# What each signal weighs in the measure of evidence, with vectors and without; set by benchmark/evidence-fit.mjs.\n',
  )
  for (const name of all) process.stdout.write(`${name} ${shown('hybrid', name)} ${shown('lexical', name)}\n`)
  for (const [at, point] of POINTS.entries())
    process.stdout.write(`said ${point} ${said.hybrid[at].toFixed(3)} ${said.lexical[at].toFixed(3)}\n`)
}

/** A step of a task is often read in its task ("the same for staging"): what it says by itself is no measure of what it needs. */
function countsFor(row) {
  return row.set === 'task' && row.kind === 'step' ? 0 : weightOf(row)
}

function logit(value) {
  return Math.log(value / (1 - value))
}

/** The place of a line's fold, by its id: what was made of one line stays together. */
function foldOf(id) {
  let sum = 0
  for (const letter of String(id)) sum = (sum * 31 + letter.charCodeAt(0)) % 1_000_003
  return sum % FOLDS
}

/** How many of the lines around each point are served; a higher point has no less. */
function calibration(rows, names) {
  const seen = []
  for (let fold = 0; fold < FOLDS; fold++) {
    const weights = weighed(
      rows.filter(({ id }) => foldOf(id) !== fold),
      names,
    )
    for (const row of rows.filter(({ id }) => foldOf(id) === fold)) {
      const { signals } = row
      if (signals.namesATool || signals.saysNothing) continue
      const sum = names.reduce((total, name) => total + weights[name] * signals[name], weights.intercept)
      seen.push([SHARPER * sum, row.served, countsFor(row)])
    }
  }
  const shares = POINTS.map((point) => {
    let [served, all] = [0, 0]
    for (const [value, isServed, weight] of seen) {
      const near = weight * Math.exp(-0.5 * ((value - logit(point)) / WIDTH) ** 2)
      served += near * isServed
      all += near
    }
    return served / all
  })
  return rising(shares)
}

/** Neighbours that fall become their mean. */
function rising(values) {
  const blocks = []
  for (const value of values) {
    blocks.push({ sum: value, count: 1 })
    while (blocks.length > 1 && blocks.at(-2).sum / blocks.at(-2).count > blocks.at(-1).sum / blocks.at(-1).count) {
      const { sum, count } = blocks.pop()
      blocks.at(-1).sum += sum
      blocks.at(-1).count += count
    }
  }
  return blocks.flatMap(({ sum, count }) => Array(count).fill(sum / count))
}

/** Weights by name, by Newton's method on standardised signals. */
function weighed(rows, names) {
  const raw = rows.map(({ signals }) => names.map((name) => signals[name]))
  const mean = names.map((_, at) => raw.reduce((sum, row) => sum + row[at], 0) / raw.length)
  const deviation = names.map((_, at) =>
    Math.max(1e-9, Math.sqrt(raw.reduce((sum, row) => sum + (row[at] - mean[at]) ** 2, 0) / raw.length)),
  )
  const points = raw.map((row) => [1, ...row.map((value, at) => (value - mean[at]) / deviation[at])])
  const size = names.length + 1
  let weights = Array(size).fill(0)
  for (let step = 0; step < STEPS; step++) {
    const gradient = weights.map((weight, at) => (at === 0 ? 0 : RIDGE * weight))
    const hessian = Array.from({ length: size }, (_, at) =>
      Array.from({ length: size }, (_, other) => (at === other && at > 0 ? RIDGE : 0)),
    )
    points.forEach((point, at) => {
      const expected = 1 / (1 + Math.exp(-point.reduce((sum, value, place) => sum + value * weights[place], 0)))
      const weight = weightOf(rows[at])
      for (let a = 0; a < size; a++) {
        gradient[a] += weight * (expected - rows[at].served) * point[a]
        for (let b = 0; b < size; b++) hessian[a][b] += weight * expected * (1 - expected) * point[a] * point[b]
      }
    })
    const change = solve(hessian, gradient)
    weights = weights.map((value, at) => value - change[at])
  }
  const slopes = Object.fromEntries(names.map((name, at) => [name, weights[at + 1] / deviation[at]]))
  return { ...slopes, intercept: weights[0] - names.reduce((sum, name, at) => sum + slopes[name] * mean[at], 0) }
}

/** Gauss's elimination with pivots. */
function solve(matrix, vector) {
  const rows = matrix.map((row, at) => [...row, vector[at]])
  for (let at = 0; at < rows.length; at++) {
    const pivot = rows.reduce(
      (best, row, place) => (place >= at && Math.abs(row[at]) > Math.abs(rows[best][at]) ? place : best),
      at,
    )
    ;[rows[at], rows[pivot]] = [rows[pivot], rows[at]]
    for (let below = at + 1; below < rows.length; below++) {
      const factor = rows[below][at] / rows[at][at]
      for (let column = at; column <= rows.length; column++) rows[below][column] -= factor * rows[at][column]
    }
  }
  const found = Array(rows.length).fill(0)
  for (let at = rows.length - 1; at >= 0; at--) {
    const rest = rows[at].slice(at + 1, -1).reduce((sum, value, place) => sum + value * found[at + 1 + place], 0)
    found[at] = (rows[at].at(-1) - rest) / rows[at][at]
  }
  return found
}
