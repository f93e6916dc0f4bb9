#!/usr/bin/env node
// What knowledge of some servers does to the others: half of the known servers are treated as strangers (no phrases, no known
// order, another name), in several draws; each need is compared with itself when nobody is left out.
//
//   node research/measure/strangers/left-out.mjs [--draws 3] [--half tuning|held-out] [--ranker auto|lexical]
//                      [--requests folder] [--cache folder] [--json]
//
// It plays the first texts of research/labelled/tasks.jsonl over the servers of examples/servers, and with --requests ranks the
// requests of a labelled set (research/labelled/README.md). The last draw leaves everybody out.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'

import { readArguments } from '../../../scripts/arguments.mjs'
import { OWN, readSets } from '../ranking/eval/sets.mjs'
import { defaultCache, jsonLines } from './catalogue.mjs'

const USAGE = `usage: left-out.mjs [--draws 3] [--half tuning|held-out] [--ranker auto|lexical] [--requests <folder>] [--cache <folder>] [--json]
`
const ROOT = path.join(import.meta.dirname, '..', '..', '..')
const TASKS = path.join(ROOT, 'research', 'labelled', 'tasks.jsonl')
const run = promisify(execFile)

const given = readArguments(USAGE, {
  draws: { type: 'integer', default: 3, least: 1 },
  half: { type: 'string', default: 'tuning', choices: ['tuning', 'held-out'] },
  ranker: { type: 'string', default: 'auto', choices: ['auto', 'lexical'] },
  requests: { type: 'string' },
  cache: { type: 'string', default: defaultCache },
  json: { type: 'boolean' },
})
if (given) await main(given.values)

async function main({ draws, half, ranker, requests, cache, json }) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'left-out-'))
  try {
    const sets = await setsOf(folder, half, requests)
    const bySet = sets.map(({ tools }) => [...new Set(jsonLines(tools).map(({ server }) => server))])
    const servers = [...new Set(bySet.flat())]
    const play = async (strangers) => {
      const model = modelPackage(folder, strangers)
      const draw = JSON.stringify({ sets, strangers, ranker, cache: path.join(cache, 'vectors') })
      const options = { cwd: ROOT, env: { ...process.env, NODE_PATH: model }, maxBuffer: 1 << 28 }
      const { stdout } = await run(
        process.execPath,
        [path.join(import.meta.dirname, 'left-out-draw.mjs'), draw],
        options,
      )
      return JSON.parse(stdout)
    }
    const nobody = await play([])
    const everybody = await play(servers)
    const rows = { 'nobody left out': rowOf(nobody, nobody, everybody, []) }
    for (let draw = 1; draw <= draws; draw++) {
      const strangers = drawn(draw, bySet)
      const name = `draw ${draw}: ${strangers.length} of ${servers.length} left out`
      rows[name] = rowOf(await play(strangers), nobody, everybody, strangers)
      process.stderr.write(`${name}\n`)
    }
    rows['everybody left out'] = rowOf(everybody, nobody, everybody, servers)
    if (json) process.stdout.write(`${JSON.stringify(rows)}\n`)
    else for (const set of Object.keys(nobody.answers)) printed(set, rows)
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

/** Half of the servers of every set, decided by draw and name alone; one that is in two sets is drawn in the first. */
function drawn(draw, bySet) {
  const place = (server) => createHash('sha256').update(`${draw} ${server}`).digest('hex')
  const others = bySet.map((servers, at) => servers.filter((server) => !bySet.slice(0, at).flat().includes(server)))
  return others.flatMap((servers) =>
    servers.sort((a, b) => (place(a) < place(b) ? -1 : 1)).slice(0, Math.round(servers.length / 2)),
  )
}

async function setsOf(folder, half, requests) {
  const tools = path.join(folder, 'tools.jsonl')
  const [own] = await readSets([OWN], () => {})
  fs.writeFileSync(tools, own.tools.map((tool) => `${JSON.stringify(tool)}\n`).join(''))
  const tasks = jsonLines(TASKS).filter((task) => task.half === half && task.needs.length > 0)
  const sets = [{ name: 'tasks', tools, tasks: tasks.map(({ text, needs }) => ({ text, needs })) }]
  if (requests) {
    const lines = jsonLines(path.join(requests, 'queries.jsonl')).filter(({ gold }) => gold.length > 0)
    const kept = lines.map(({ query, gold, alts }) => ({ query, gold, alts }))
    sets.push({ name: 'requests', tools: path.resolve(requests, 'tools.jsonl'), requests: kept })
  }
  return sets
}

/** A folder of packages whose model package knows nothing of some servers. The names of files are those of the catalogue. */
function modelPackage(folder, strangers) {
  const packages = fs.mkdtempSync(path.join(folder, 'packages-'))
  const { name } = JSON.parse(fs.readFileSync(path.join(ROOT, 'npm', 'model', 'package.json'), 'utf8'))
  const from = path.join(ROOT, 'npm', 'model')
  const to = path.join(packages, name)
  fs.mkdirSync(path.join(to, 'knowledge', 'servers'), { recursive: true })
  for (const file of fs.readdirSync(from)) {
    if (file !== 'knowledge' && file !== 'package.json') fs.symlinkSync(path.join(from, file), path.join(to, file))
  }
  fs.copyFileSync(path.join(from, 'package.json'), path.join(to, 'package.json'))
  const known = path.join('knowledge', 'servers')
  for (const file of fs.readdirSync(path.join(from, known))) {
    if (!strangers.includes(path.basename(file, '.txt')))
      fs.copyFileSync(path.join(from, known, file), path.join(to, known, file))
  }
  return packages
}

/** By set, what became of the needs of those left out and of the others, and of the same needs with nobody and everybody left out. */
function rowOf(draw, nobody, everybody, strangers) {
  const row = {}
  for (const [set, lines] of Object.entries(draw.answers)) {
    const all = [draw, nobody, everybody].map(({ answers }) => answers[set])
    const sums = { strangers: [0, 0, 0, 0], known: [0, 0, 0, 0] }
    for (const [at, needs] of lines.entries()) {
      for (const [of, [server]] of needs.entries()) {
        const sum = sums[strangers.includes(server) ? 'strangers' : 'known']
        for (const [place, answers] of all.entries()) sum[place] += Number(answers[at][of][1])
        sum[3] += 1
      }
    }
    const complete = (answers) => answers.filter((needs) => needs.every((need) => need.at(-1))).length
    row[set] = { ...sums, complete: [...all.map(complete), lines.length], shipped: draw.shipped }
  }
  return row
}

function printed(set, rows) {
  const shown = ([now, nobody, everybody, all]) => (all === 0 ? '-' : `${now} of ${all} (${nobody}, ${everybody})`)
  const table = Object.entries(rows).map(([name, row]) => {
    const { strangers, known, complete, shipped } = row[set]
    const columns = { complete: shown(complete), 'needs, left out': shown(strangers), 'needs, known': shown(known) }
    return [name, { ...columns, 'shipped vectors': shipped }]
  })
  process.stdout.write(`${set}; in brackets the same with nobody and with everybody left out\n`)
  console.table(Object.fromEntries(table))
}
