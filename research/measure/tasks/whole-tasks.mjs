#!/usr/bin/env node
// What a task sees beside well-worded requests: small talk, and needs that nothing serves. Over the live servers of
// examples/servers, with default settings, with vectors and without.
//
//   node research/measure/tasks/whole-tasks.mjs [--half tuning|held-out] [--cache <folder>] [--misses]
//
// `--misses` lists lines that went wrong; for the held-out half, which nobody looks at one by one, it is refused.

import { createRequire } from 'node:module'
import path from 'node:path'
import process from 'node:process'

import { readArguments } from '../../../scripts/arguments.mjs'
import { liveServers } from '../catalogue.mjs'
import { jsonLines } from '../strangers/catalogue.mjs'

const { ToolRouter } = createRequire(import.meta.url)('../../../index.js')

const USAGE = 'usage: whole-tasks.mjs [--half tuning|held-out] [--cache <folder>] [--misses]\n'
const LABELLED = path.join(import.meta.dirname, '..', '..', 'labelled')
/** What the tasks of the measurements begin with. */
const TASK = 'find out why the checkout page is slow, and open an issue with what you found'

const given = readArguments(USAGE, {
  half: { type: 'string', default: 'tuning', choices: ['tuning', 'held-out'] },
  cache: { type: 'string' },
  misses: { type: 'boolean' },
})
if (given?.values.misses && given.values.half === 'held-out') {
  process.stderr.write('--misses: the held-out half is not looked at one by one\n')
  process.exitCode = 2
} else if (given) await main(given.values)

function share(part, all) {
  return `${part} of ${all} (${((100 * part) / all).toFixed(1)} %)`
}

function lines(name, half) {
  return jsonLines(path.join(LABELLED, `${name}.jsonl`)).filter((line) => line.half === half)
}

async function main({ half, cache, misses }) {
  const router = ToolRouter.shared()
  const servers = await liveServers()
  await router.loadModel(cache ? { cacheDir: cache } : {})
  await router.setServers(servers, { replace: true })
  while (router.status.vectorCount < router.status.toolCount) await router.ready({ timeoutMs: 5000 })
  const say = (what, value) => console.log(`| ${what} | ${value} |`)
  console.log(
    `${router.status.toolCount} tools of ${servers.length} servers, half: ${half}\n\n| tried | got |\n| --- | --- |`,
  )
  for (const ranker of ['hybrid', 'lexical']) {
    router.configure({ ranker, deadlineMs: 10_000 })
    await evidence(router, ranker, half, say, misses)
  }
}

async function evidence(router, ranker, of, say, misses) {
  const miss = (...what) => misses && console.error(ranker, ...what)
  const started = async (text = TASK, settings = {}) => {
    const session = router.openSession({ settings })
    return { session, selection: await session.start(text) }
  }
  const bins = Array.from({ length: 10 }, () => ({ count: 0, served: 0, sum: 0 }))
  const count = ({ evidence }, served) => {
    const bin = bins[Math.min(9, Math.floor(evidence * 10))]
    bin.count++
    bin.served += served
    bin.sum += evidence
  }
  const talk = lines('small-talk', of)
  const later = talk.filter(({ where }) => where === 'later-turn')
  let quiet = 0
  let added = 0
  for (const { text } of later) {
    const { session } = await started()
    const selection = await session.turn(text)
    quiet += selection.added.length === 0
    added += selection.added.length
    if (selection.added.length > 0) miss('small talk adds', text, selection.evidence, selection.added)
    count(await router.rank(text, { topK: 1 }), 0)
    session.close()
  }
  say(`${ranker}: small talk as a later turn adds nothing`, `${share(quiet, later.length)}; ${added} tools added`)
  let none = 0
  const first = talk.filter(({ where }) => where === 'first-message')
  for (const { text } of first) {
    const { session, selection } = await started(text)
    none += selection.attached.length === 0
    if (selection.attached.length > 0) miss('first small talk attaches', text, selection.evidence)
    session.close()
  }
  say(`${ranker}: small talk as the first message attaches nothing`, share(none, first.length))
  const impossible = lines('impossible', of)
  const refused = { load: 0, reroute: 0, far: 0 }
  for (const { text, kind } of impossible) {
    const { session } = await started()
    const { loaded, evidence } = await session.load({ query: text })
    refused.load += loaded.length === 0
    refused.far += kind !== 'near-miss' && loaded.length === 0
    if (loaded.length > 0) miss('impossible loads', kind, text, evidence, loaded.map(({ name }) => name).slice(0, 2))
    session.close()
    const other = (await started()).session
    const answer = await other.reroute({ originalQuery: TASK, missingCapability: text })
    refused.reroute += answer.status === 'INCOMPLETE'
    other.close()
    count(await router.rank(text, { topK: 1 }), 0)
  }
  const far = impossible.filter(({ kind }) => kind !== 'near-miss').length
  say(`${ranker}: needs that nothing serves attach nothing by mcp_load`, share(refused.load, impossible.length))
  say(`${ranker}: of these, far ones and nonsense`, share(refused.far, far))
  say(`${ranker}: reroute answers INCOMPLETE`, share(refused.reroute, impossible.length))
  const needs = lines('needs', of)
  const kept = { found: 0, load: 0, turn: 0, first: 0 }
  for (const { text, gold, alts = {} } of needs) {
    const wanted = [...gold, ...Object.values(alts).flat()]
    const holds = (names) => names.some((name) => wanted.includes(idOf(router, name)))
    const { tools } = await router.rank(text, { topK: 10 })
    count(await router.rank(text, { topK: 1 }), 1)
    if (!tools.some(({ serverName, toolName }) => wanted.includes(`${serverName}::${toolName}`))) continue
    kept.found++
    const { session } = await started()
    const { loaded, alreadyAttached, evidence } = await session.load({ query: text })
    const has = holds([...loaded.map(({ name }) => name), ...alreadyAttached])
    kept.load += has
    if (!has) miss('need is not loaded', text, evidence)
    session.close()
    const { session: other } = await started('hello')
    kept.turn += holds(seen(await other.turn(text)))
    other.close()
    const { session: third, selection } = await started(text)
    kept.first += holds(seen(selection))
    third.close()
  }
  say(`${ranker}: served needs found within 10`, share(kept.found, needs.length))
  for (const [what, how] of [
    ['load', 'by mcp_load'],
    ['turn', 'as the first turn that says something'],
    ['first', 'as the first message'],
  ])
    say(`${ranker}: of these, see their tool ${how}`, share(kept[what], kept.found))
  const gaps = bins
    .filter(({ count }) => count > 0)
    .map(({ count, served, sum }) => Math.abs(sum / count - served / count))
  say(`${ranker}: mean gap of ten bins`, (gaps.reduce((a, b) => a + b, 0) / gaps.length).toFixed(3))
  const row = ({ count, served, sum }) =>
    count ? `${(sum / count).toFixed(2)}/${(served / count).toFixed(2)} (${count})` : '-'
  say(`${ranker}: said / served by bin`, bins.map(row).join(', '))
}

/** What a model can read: definitions and lines. */
function seen({ attached, directory }) {
  return [...attached, ...directory]
}

function idOf(router, name) {
  const tool = router.resolveTool(name)
  return tool && `${tool.serverName}::${tool.toolName}`
}
