#!/usr/bin/env node
// Measures what the package costs, beside its peers:
//
//   npm run bench [-- --data <folder>] [--json] [--only <rows>] [--runs <n>]
//
// Figures are ratios within one run, or CPU time of a process: medians of repetitions that take turns; of several runs the
// median, with the least and the most. Without a folder of catalogues, tools come from the servers of `npm run demo`. Exit code: 0 done, 1 failed, 2 wrong arguments.

import { execFile } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'

import { readArguments } from '../../../scripts/arguments.mjs'
import { ensure, explainFailure, SetupError } from '../../../scripts/setup.mjs'
import { seeded } from '../ranking/eval/bootstrap.mjs'
import { OWN, readSets } from '../ranking/eval/sets.mjs'
import { jsonLines as lines } from '../strangers/catalogue.mjs'
import { median } from './bench/measure.mjs'

const USAGE = `usage: npm run bench [-- options]
  --data <folder>  catalogue/ and scale/ with tools.jsonl, queries.jsonl
  --only <rows>    rows that begin so, by commas: lexical,build,change,start,blocks,memory,queue,tokens,model
  --runs <n>       measures each row so often (1)
  --json           prints JSON instead of a table
`
const PROBES = path.join(import.meta.dirname, 'bench', 'probes.mjs')
const ALL_PEERS = ['scan', 'minisearch', 'orama', 'wink']
/** Tools of a catalogue that is made of another. */
const MANY = 20_000
/** A request of fewer characters is short. */
const SHORT = 60
const REPETITIONS = 3
/** As many tools as have vectors within half a minute. */
const MODEL_TOOLS = 300

const say = (line) => process.stderr.write(`${line}\n`)

/** Runs a probe in a process of its own. */
async function probe(name, options) {
  const args = ['--expose-gc', PROBES, name, JSON.stringify(options)]
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1 << 24 })
  return JSON.parse(stdout)
}

/** Catalogues by name, and requests, as files that probes read. */
async function prepare(data, folder) {
  const catalogues = {}
  let queries
  if (data === undefined) {
    const [own] = await readSets([OWN], say)
    catalogues.own = own.tools
    queries = own.requests.map(({ query }) => query)
  } else {
    for (const name of ['catalogue', 'scale']) {
      const file = path.join(data, name, 'tools.jsonl')
      if (fs.existsSync(file)) catalogues[name] = lines(file)
    }
    queries = lines(path.join(data, 'catalogue', 'queries.jsonl')).map(({ query }) => query)
  }
  const labelled = lines(path.join(import.meta.dirname, '..', '..', 'labelled', 'queries.jsonl')).map(
    ({ query }) => query,
  )
  const random = seeded('bench')
  const mixed = [...new Set([...queries, ...labelled])]
    .map((query) => [random(), query])
    .toSorted()
    .map(([, query]) => query)
  const write = (name, value) => {
    const file = path.join(folder, `${name}.json`)
    fs.writeFileSync(file, JSON.stringify(value))
    return file
  }
  const requests = write('requests', { mixed, short: mixed.filter((query) => query.length < SHORT) })
  return {
    requests,
    catalogues: Object.entries(catalogues).map(([name, tools]) => ({
      name,
      size: tools.length,
      tools: write(name, tools),
    })),
  }
}

/** So many tools: those of the catalogue, and copies of them on servers of other names. */
function grown(tools, count) {
  const copy = (tool, at) => ({ ...tool, id: `${at}`, server: `${tool.server}-${Math.floor(at / tools.length)}` })
  return Array.from({ length: count }, (_, at) => (at < tools.length ? tools[at] : copy(tools[at % tools.length], at)))
}

const times = (value) => `${value.toFixed(value < 10 ? 2 : 1)}x`
const ms = (value) => `${value.toFixed(value < 10 ? 2 : 0)} ms`

/** All rows: what they are called, and how each is measured. */
function rowsOf({ requests, catalogues: [catalogue, large] }) {
  /** A part of a catalogue is a file of its own: what reading all of it leaves in memory would be measured too. */
  const of = (set, { size, ...options } = {}) => {
    if (size === undefined) return { tools: set.tools, requests, ...options }
    const file = `${set.tools}.${size}`
    fs.writeFileSync(file, JSON.stringify(JSON.parse(fs.readFileSync(set.tools, 'utf8')).slice(0, size)))
    return { tools: file, requests, ...options }
  }
  const made = (set, count) => {
    const file = `${set.tools}.${count}`
    fs.writeFileSync(file, JSON.stringify(grown(JSON.parse(fs.readFileSync(set.tools, 'utf8')), count)))
    return { tools: file, requests }
  }
  const repeated = async (name, systems, options) => {
    const costs = Object.fromEntries(systems.map((system) => [system, []]))
    for (let round = 0; round < REPETITIONS; round++) {
      for (const system of systems) costs[system].push(await probe(name, { ...options, system }))
    }
    const cpu = (system) => median(costs[system].map(({ ms: cost }) => cost))
    return systems
      .slice(1)
      .map((system) => [`against ${system}`, cpu(system) / cpu(systems[0]), times, ms(cpu(systems[0]))])
  }
  const lexical = async (set, options) => {
    const answer = await probe('lexical', of(set, options))
    return Object.entries(answer).flatMap(([kind, { ms: cost, times: ratios }]) => [
      [kind, cost, ms],
      ...Object.entries(ratios).map(([peer, ratio]) => [`${kind}, against ${peer}`, ratio, times]),
    ])
  }
  const figures = (answer, format) => Object.entries(answer).map(([name, value]) => [name, value, format])
  const megabytes = (value) => `${value.toFixed(0)} MB`
  const change = async (set) => {
    const answer = await probe('change', of(set))
    return Object.entries(answer).flatMap(([kind, { ms: cost, ranks }]) => [
      [kind, cost, ms],
      [`${kind}, in ranks`, ranks, times],
    ])
  }
  const ofModel = async (set) => {
    const answer = await probe('model', of(set, { size: MODEL_TOOLS }))
    return [...figures(answer.ms, ms), ...figures(answer.times, times), ...figures(answer.megabytes, megabytes)]
  }
  return [
    [`lexical rank, ${catalogue.size} tools`, () => lexical(catalogue, { peers: ALL_PEERS })],
    ['lexical rank, 300 tools', () => lexical(catalogue, { peers: ALL_PEERS, size: 300 })],
    large && [`lexical rank, ${large.size} tools`, () => lexical(large, { peers: ['scan', 'minisearch'] })],
    [
      `build to first answer, ${catalogue.size} tools`,
      () => repeated('build', ['router', 'minisearch', 'minisearch-schemas'], of(catalogue)),
    ],
    ['start with 300 tools', () => repeated('start', ['router', 'minisearch'], of(catalogue, { size: 300 }))],
    [`change of one tool of ${catalogue.size} until the next answer`, () => change(catalogue)],
    large && [`change of one tool of ${large.size} until the next answer`, () => change(large)],
    [
      `blocks of the event loop, ${catalogue.size} tools`,
      async () => figures(await probe('blocks', of(catalogue)), ms),
    ],
    [`blocks of the event loop, ${MANY} tools`, async () => figures(await probe('blocks', made(catalogue, MANY)), ms)],
    [
      'memory over require, one tool',
      async () => figures(await probe('memory', of(catalogue, { size: 1 })), megabytes),
    ],
    [
      `memory over require, ${catalogue.size} tools`,
      async () => figures(await probe('memory', of(catalogue)), megabytes),
    ],
    [`queue, ${catalogue.size} tools`, async () => figures(await probe('queue', of(catalogue)), times)],
    ['tokens, against gpt-tokenizer', async () => figures(await probe('tokens', of(catalogue)), times)],
    [`model, ${MODEL_TOOLS} tools`, () => ofModel(catalogue)],
  ].filter(Boolean)
}

async function main({ data, json, only, runs }) {
  await ensure({ assets: false, bench: true, servers: data === undefined, say })
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tool-router-bench-'))
  const measured = []
  try {
    const wanted = only?.split(',').map((name) => name.trim())
    for (const [title, measure] of rowsOf(await prepare(data, folder))) {
      if (wanted && !wanted.some((name) => title.startsWith(name))) continue
      say(`measuring ${title}`)
      const found = []
      for (let run = 0; run < runs; run++) found.push(await measure())
      for (const [at, [name, , format]] of found[0].entries()) {
        const values = found.map((figures) => figures[at][1]).toSorted((a, b) => a - b)
        const value = median(values)
        measured.push({ row: title, figure: name, value, ...(runs > 1 && { least: values[0], most: values.at(-1) }) })
        if (json) continue
        const range = runs > 1 ? `${format(values[0])} to ${format(values.at(-1))}` : ''
        process.stdout.write(`${`${title}: ${name}`.padEnd(78)} ${format(value).padStart(9)}  ${range}\n`)
      }
    }
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
  const cpu = os.cpus()
  const environment = {
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
    cpus: cpu.length,
    cpu: cpu[0]?.model,
  }
  if (json) process.stdout.write(`${JSON.stringify({ environment, rows: measured }, null, 2)}\n`)
}

const given = readArguments(USAGE, {
  data: { type: 'string' },
  only: { type: 'string' },
  json: { type: 'boolean' },
  runs: { type: 'integer', default: 1, least: 1 },
})
if (given) {
  try {
    await main(given.values)
  } catch (error) {
    process.exitCode = 1
    if (error instanceof SetupError) explainFailure(error)
    else process.stderr.write(`\nthe measurement failed: ${error.stack}\n`)
  }
}
