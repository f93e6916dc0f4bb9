// How often the first answer about a long result has what was looked for, and what that costs.
//
//   node research/measure/results/results.mjs [--half tuning|held-out] [--misses]
//   node research/measure/results/results.mjs --cost
//
// needles.tsv has 200 needles in 40 results, each asked by words of the result and in other words. They were written before
// the ranking was tried on them; the halves alternate, and the one held out is for the last look.

import { readFileSync } from 'node:fs'
import process from 'node:process'
import { parseArgs } from 'node:util'

import { ToolRouter } from '../../../index.js'
import { isInstalled, RESULTS } from './collect.mjs'

const { values } = parseArgs({
  options: {
    half: { type: 'string' },
    misses: { type: 'boolean', default: false },
    cost: { type: 'boolean', default: false },
  },
})
/** What an answer may cost. */
const MAX_TOKENS = 2_000
const WAYS = ['words', 'paraphrase']

const router = ToolRouter.shared()
const session = router.openSession()

const percent = (part, all) => `${((100 * part) / Math.max(all, 1)).toFixed(1)} %`
/** JSON stands in an answer without white space, and texts in it without escapes. */
const plain = (text) => text.replaceAll(/\\n|[\s\\]+/g, '')

function needles() {
  const names = Object.keys(RESULTS)
  const lines = readFileSync(new URL('needles.tsv', import.meta.url), 'utf8')
    .trim()
    .split('\n')
  return lines.map((line, at) => {
    const [result, find, words, paraphrase] = line.split('\t')
    const half = (names.indexOf(result) + (at % 5)) % 2 === 0 ? 'tuning' : 'held-out'
    return { result, find, words, paraphrase, half }
  })
}

async function reach() {
  if (!isInstalled()) throw new Error('examples/servers is not installed; run npm ci in it')
  const counts = { words: [0, 0], paraphrase: [0, 0] }
  const byResult = new Map()
  let tokens = 0
  for (const name of Object.keys(RESULTS)) {
    const asked = needles().filter((needle) => needle.result === name && (!values.half || needle.half === values.half))
    const held = await router.holdResult(RESULTS[name](), { sessionId: session.id, maxTokens: 200 })
    for (const needle of asked) {
      for (const way of WAYS) {
        const { text, tokenCount } = await session.readResult(held.handle, { need: needle[way], maxTokens: MAX_TOKENS })
        const isFound = plain(text).includes(plain(needle.find))
        counts[way][0] += isFound
        counts[way][1] += 1
        tokens += tokenCount
        const of = byResult.get(name) ?? [held.kinds.join('+'), 0, 0]
        byResult.set(name, [of[0], of[1] + isFound, of[2] + 1])
        if (!isFound && values.misses) console.log(`  miss ${way} ${name}: ${needle[way]} (${needle.find})`)
      }
    }
  }
  for (const [name, [kinds, found, all]] of byResult)
    if (found < all) console.log(`${name} (${kinds}): ${found} of ${all}`)
  for (const way of WAYS) console.log(`${way}: ${percent(...counts[way])} of ${counts[way][1]}`)
  const all = WAYS.reduce(([a, b], way) => [a + counts[way][0], b + counts[way][1]], [0, 0])
  console.log(`all: ${percent(...all)} of ${all[1]}; ${Math.round(tokens / all[1])} tokens per answer`)
}

/** Milliseconds of CPU of one call. */
async function cpu(call) {
  const before = process.cpuUsage()
  await call()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

function isJson(text) {
  try {
    return typeof JSON.parse(text) === 'object'
  } catch {
    return false
  }
}

async function cost() {
  const names = Object.keys(RESULTS).filter((name) => isInstalled() || /^(log|traces|orders)-/.test(name))
  console.log('CPU of a need over 1 MB, and of holding it:')
  for (const name of names) {
    const one = RESULTS[name]()
    const times = Math.ceil(2 ** 20 / one.length)
    const text = isJson(one) ? `[${Array(times).fill(one).join(',')}]` : `${one}\n`.repeat(times).slice(0, 2 ** 20)
    let held
    const holding = await cpu(async () => {
      held = await router.holdResult(text, { sessionId: session.id })
    })
    const spent = []
    for (const need of ['first look', 'connection refused by the database', 'who deleted the project'])
      spent.push(await cpu(() => session.readResult(held.handle, { need })))
    console.log(`${name} (${held.kinds}): ${Math.max(...spent).toFixed(0)} ms, held in ${holding.toFixed(0)} ms`)
  }
  const before = process.memoryUsage.rss()
  const text = `${'a line of a log that says little\n'.repeat(31_000)}`
  for (let at = 0; at < 300; at++) await router.holdResult(`${at} ${text}`, { sessionId: session.id })
  console.log(`300 results of 1 MB held: ${((process.memoryUsage.rss() - before) / 2 ** 20).toFixed(0)} MB more`)
}

await (values.cost ? cost() : reach())
