#!/usr/bin/env node
// Collects what the measure of chances reads of each tool that may come, for research/make/chance.py. Builds the addon with
// the feature `ablation` first.
//
//   node research/measure/ranking/chances.mjs --out chances.jsonl [--half tuning|held-out] [--ranker auto|lexical] [--cache folder]
//                      [--tools strangers|others|demo|<tools.jsonl>] [--beside <tools.jsonl>] [--queries <queries.jsonl>] [--most 300]
//
// First texts of tasks and, over the servers of the demo, their later messages, short needs and what needs nothing. A line has its
// text's id, whether it is a later message, and a row for each tool: tokens of its definition and of its signature, what the measure
// reads, and which of the needs it meets. With --small the servers are those that a line needs, alone and beside three others. With --queries, the requests of a labelled set over its own tools.
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

import { readArguments } from '../../../scripts/arguments.mjs'
import { catalogueOf } from '../catalogue.mjs'
import { defaultCache, jsonLines, OTHERS, readLabelled, readOthers, strangerTools } from '../strangers/catalogue.mjs'
import { build } from './ablation/build.mjs'
import { OWN, readSets } from './eval/sets.mjs'

const USAGE =
  'usage: chances.mjs --out <chances.jsonl> [--half tuning|held-out] [--ranker auto|lexical] [--tools …] [--beside …]\n'
const LABELLED = path.join(import.meta.dirname, '..', '..', 'labelled')
/** Lines of each kind of what needs nothing: there are a thousand of some. */
const MAX_OF_NOTHING = 250

const given = readArguments(USAGE, {
  out: { type: 'string', required: true },
  half: { type: 'string', default: 'tuning', choices: ['tuning', 'held-out'] },
  ranker: { type: 'string', default: 'auto', choices: ['auto', 'lexical'] },
  tools: { type: 'string', default: 'strangers' },
  beside: { type: 'string' },
  queries: { type: 'string' },
  most: { type: 'integer', default: 300, least: 1 },
  small: { type: 'boolean' },
  cache: { type: 'string', default: defaultCache },
})
if (given) await main(given.values)

async function main({ out, half, ranker, tools: listed, beside, queries, most, small, cache }) {
  const own = await toolsOf(listed, cache)
  const { servers, idOf } = catalogueOf([...own, ...(beside ? jsonLines(beside) : [])])
  const { ToolRouter } = createRequire(import.meta.url)(build())
  const router = ToolRouter.shared()
  await router.setServers(servers, { replace: true })
  if (ranker === 'auto') {
    await router.loadModel({ cacheDir: path.join(cache, 'vectors') })
    while ((await router.ready({ timeoutMs: 30_000 })).state === 'loading');
  }
  const settings = { threshold: 0, initialK: 30, deadlineMs: 60_000, ...(ranker === 'lexical' && { ranker }) }
  const names = servers.map(({ name }) => name)
  const file = createWriteStream(out)
  const write = async (session, { id, kind, language, text, needs, scope }) => {
    const seen = JSON.parse(await session.__chances(text))
    if (seen === null) return
    const met = (name) => needs.flatMap((need, at) => (need.includes(idOf(session.resolveTool(name))) ? [at] : []))
    const rows = seen.rows.map(([name, tokens, line, named, attached, values]) => [
      ...[tokens, line, named, attached, met(name)],
      values.map((value) => Number(value.toFixed(4))),
    ])
    if (!file.write(`${JSON.stringify({ id, kind, language, scope, ...seen, needs: needs.length, rows })}\n`)) {
      await new Promise((resolve) => file.once('drain', resolve))
    }
  }
  for (const line of textsOf({ half, listed, beside, queries, most })) {
    for (const scope of small ? ['few', 'own'] : ['all']) {
      const allowedMcpServers = scopeOf(scope, line, names)
      const mode = scope === 'all' ? {} : { hostMode: scope }
      const session = router.openSession({
        settings: { ...settings, hostModes: { [scope]: { allowedMcpServers } } },
        ...mode,
      })
      const { id, kind, language, text, needs, steps = [] } = line
      await write(session, { id, kind, language, text, needs, scope })
      if (steps.length > 0) await session.start(text)
      for (const [at, step] of steps.entries()) {
        await write(session, {
          id: `${id}/${at + 1}`,
          kind: 'step',
          language,
          text: step.text,
          needs: step.needs,
          scope,
        })
        await session.turn(step.text)
      }
      session.close()
    }
  }
  await new Promise((resolve) => file.end(resolve))
}

async function toolsOf(listed, cache) {
  if (listed === 'strangers') return strangerTools(cache)
  if (listed === 'others') return strangerTools(cache, OTHERS)
  if (listed === 'demo') return (await readSets([OWN], () => {}))[0].tools
  return jsonLines(listed)
}

/** The servers of a person with few: those that the line needs first, or one by chance, and three more. */
function scopeOf(scope, { id, needs, steps = [] }, names) {
  const start = createHash('sha256').update(String(id)).digest().readUInt32BE() % names.length
  const own = [...needs, ...steps.flatMap((step) => step.needs)].map(([first]) => first.split('::')[0])
  const others = [0, 1, 2].map((at) => names[(start + 7 * at) % names.length])
  if (own.length === 0) own.push(others[0])
  return [...new Set(scope === 'own' ? own : [...own, ...others])]
}

/** What is asked, with its needs. */
function textsOf({ half, listed, beside, queries, most }) {
  const read = (name) => jsonLines(path.join(LABELLED, name)).filter((line) => line.half === half)
  const some = (lines) => lines.filter((_, at) => at % Math.ceil(lines.length / MAX_OF_NOTHING) === 0)
  const nothing = (kind, name) => some(read(name)).map(({ id, text }) => ({ id, kind, text, needs: [] }))
  if (queries) {
    const lines = jsonLines(queries)
    const every = Math.max(1, Math.floor(lines.length / most))
    return lines
      .filter((_, at) => at % every === 0)
      .slice(0, most)
      .map(({ id, query, gold, alts = {} }) => ({
        ...{ id: String(id), kind: 'query', text: query },
        needs: gold.map((tool) => [tool, ...(alts[tool] ?? [])]),
      }))
  }
  if (listed === 'others') {
    return [...readOthers(half).map((task) => ({ ...task, kind: 'task' })), ...nothing('code', 'code.jsonl')]
  }
  if (listed === 'strangers') {
    const { tasks, code } = readLabelled({ half, beside: beside !== undefined })
    return [
      ...tasks.map((task) => ({ ...task, kind: 'task' })),
      ...code.map(({ id, text }) => ({ id, kind: 'code', text, needs: [] })),
      ...nothing('code', 'code.jsonl'),
      ...nothing('talk', 'small-talk.jsonl'),
    ]
  }
  const needs = some(read('needs.jsonl')).map(({ id, text, gold, alts = {} }) => ({
    ...{ id, kind: 'need', text },
    needs: gold.map((tool) => [tool, ...(alts[tool] ?? [])]),
  }))
  return [
    ...read('tasks.jsonl').map((task) => ({ ...task, kind: 'task' })),
    ...needs,
    ...nothing('talk', 'small-talk.jsonl'),
    ...nothing('code', 'code.jsonl'),
    ...nothing('impossible', 'impossible.jsonl'),
  ]
}
