#!/usr/bin/env node
// What labelled requests in other languages find through the public API, beside English ones: needs within the first 10 and 30.
//
//   node research/make/languages/labelled.mjs --out folder [--half tuning|held-out] [--cache folder] [--ask none|words|all]
//                      [--model folder] [--set known|strangers|both]
//
// The requests are those of research/labelled, over the servers of examples/servers and over the strangers
// (research/measure/strangers/capture.mjs), each set by itself. --out gets them for vectors.py, with their tools, which are not
// asked for again where they are there. --ask says what is measured: nothing, rankings by words alone, or those and the ones
// with the model, whose glosses are on.
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import process from 'node:process'

import { readArguments } from '../../../scripts/arguments.mjs'
import { catalogueOf, liveServers } from '../../measure/catalogue.mjs'
import { defaultCache, halfOf, jsonLines, strangerTools } from '../../measure/strangers/catalogue.mjs'

const USAGE =
  'usage: labelled.mjs --out <folder> [--half tuning|held-out] [--cache <folder>] [--ask none|words|all] [--model <folder>] [--set known|strangers|both]\n'
const LABELLED = path.join(import.meta.dirname, '..', '..', 'labelled')
const WITHIN = [10, 30]

const given = readArguments(USAGE, {
  out: { type: 'string', required: true },
  half: { type: 'string', default: 'tuning', choices: ['tuning', 'held-out'] },
  cache: { type: 'string', default: defaultCache },
  ask: { type: 'string', default: 'all', choices: ['none', 'words', 'all'] },
  model: { type: 'string' },
  set: { type: 'string', default: 'both', choices: ['known', 'strangers', 'both'] },
})
if (given) await main(given.values)

async function main({ out, half, cache, ask, model, set }) {
  const read = {
    known: [knownTools, knownRequests],
    strangers: [() => strangerTools(cache), strangerRequests],
  }
  fs.mkdirSync(out, { recursive: true })
  const written = (file, lines) => fs.writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  for (const name of set === 'both' ? Object.keys(read) : [set]) {
    const [toolsOf, requestsOf] = read[name]
    const file = path.join(out, `${name}.tools.jsonl`)
    if (!fs.existsSync(file)) written(file, await toolsOf())
    const tools = jsonLines(file)
    const requests = requestsOf(half)
    written(path.join(out, `${name}.requests.jsonl`), requests)
    if (ask !== 'none') await measure(name, tools, requests, { words: ask === 'words', model, out })
  }
}

async function knownTools() {
  const toolsOf = ({ name, tools }) => tools.map((tool) => ({ ...tool, id: `${name}::${tool.name}`, server: name }))
  return (await liveServers()).flatMap(toolsOf)
}

/** Needs of a line whose gold may have equals. */
function needsOf({ gold, alts = {} }) {
  return gold.map((id) => [id, ...(alts[id] ?? [])])
}

function knownRequests(half) {
  const lines = (name) => jsonLines(path.join(LABELLED, `${name}.jsonl`))
  const ofHalf = (line) => line.half === half
  const needs = lines('needs').filter(ofHalf)
  const tasks = lines('tasks').filter(ofHalf)
  // Lines of queries.jsonl have no half, and are for building.
  const queries = half === 'tuning' ? lines('queries').filter(({ kind }) => kind === 'multilingual') : []
  return [
    ...needs.map((line) => ({ id: line.id, language: line.language, text: line.text, needs: needsOf(line) })),
    ...tasks.map(({ id, language, text, needs }) => ({ id, language, text, needs })),
    ...queries.map((line) => ({
      id: line.id,
      language: languageOf(line.query),
      text: line.query,
      needs: needsOf(line),
    })),
  ].filter((line) => line.needs.length > 0)
}

/** Good enough for the twenty lines that do not say it. */
function languageOf(text) {
  if (/\p{Script=Hangul}/u.test(text)) return 'ko'
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return 'ja'
  if (/\p{Script=Han}/u.test(text)) return 'zh'
  return /\p{Script=Cyrillic}/u.test(text) ? 'ru' : 'other'
}

function strangerRequests(half) {
  const lines = jsonLines(path.join(LABELLED, 'strangers', 'tasks.jsonl'))
  return lines
    .filter(({ id, needs }) => halfOf(id) === half && needs.length > 0)
    .map(({ id, language, text, needs }) => ({ id, language, text, needs }))
}

async function measure(name, tools, requests, { words, model, out }) {
  const { servers, idOf } = catalogueOf(tools)
  const { ToolRouter } = createRequire(import.meta.url)('../../../index.js')
  const router = ToolRouter.shared()
  await router.setServers(servers, { replace: true })
  if (!words) {
    await router.loadModel({ cacheDir: path.join(out, 'vectors'), ...(model && { modelDir: model }) })
    while ((await router.ready({ timeoutMs: 30_000 })).state === 'loading');
  }
  const rows = {}
  for (const ranker of words ? ['lexical'] : ['lexical', 'semantic', undefined]) {
    const counts = {}
    for (const { language, text, needs } of requests) {
      const options = { topK: Math.max(...WITHIN), deadlineMs: 60_000, ...(ranker && { ranker }) }
      const ranked = (await router.rank(text, options)).tools.map(idOf)
      for (const group of [language, ...(language === 'en' ? [] : ['not English'])]) {
        counts[group] ??= { needs: 0, within: WITHIN.map(() => 0) }
        counts[group].needs += needs.length
        WITHIN.forEach((most, at) => {
          counts[group].within[at] += needs.filter((need) =>
            need.some((id) => ranked.slice(0, most).includes(id)),
          ).length
        })
      }
    }
    for (const [group, { needs, within }] of Object.entries(counts)) {
      rows[group] ??= { needs }
      rows[group][ranker ?? 'as shipped'] = within.map((found) => ((100 * found) / needs).toFixed(1)).join(' / ')
    }
  }
  process.stdout.write(`${name}: needs within the first ${WITHIN.join(' / ')}, %\n`)
  console.table(rows)
}
