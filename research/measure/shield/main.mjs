// What the shield finds: of malicious texts as many as it can, of honest ones none. holdout.jsonl was written after the
// checks, and found 28 of 40 with one false alarm when it was measured; they have learned from it since. languages.jsonl was
// written before the words of other languages; its kept half was measured once, when they were done. ../../labelled/shield.jsonl is of
// many hands: the measure of wording learned from the open half, and the kept one was measured once.
//
//   node research/measure/shield/main.mjs [--corpus labelled.json] [--tools tools.jsonl]
//
// A corpus has `entries` of { label: 'malicious' | 'benign', server, tool, peers?: { server, tool }[] }.
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

import { ToolRouter } from '../../../index.js'

const { values } = parseArgs({ options: { corpus: { type: 'string' }, tools: { type: 'string' } } })
const router = ToolRouter.shared()
const lines = (file) => readFileSync(file, 'utf8').split('\n').filter(Boolean).map(JSON.parse)
const isFlagged = ({ finding }) => finding.severity !== 'low'

/** By server, in the order in which servers come. */
function grouped(list) {
  const groups = new Map()
  for (const each of list) groups.set(each.server, [...(groups.get(each.server) ?? []), each])
  return groups
}

/** What is found in a tool that comes to its peers. */
async function flagged({ server, tool, peers = [] }) {
  await router.setServers([], { replace: true })
  const own = peers.filter((peer) => peer.server === server).map((peer) => peer.tool)
  const others = grouped(peers.filter((peer) => peer.server !== server))
  for (const [name, list] of others) await router.setServer({ name, tools: list.map((peer) => peer.tool) })
  const { findings } = await router.setServer({ name: server, tools: [...own, tool] })
  return findings.filter(isFlagged)
}

async function measure(name, entries, { isListed = true } = {}) {
  const counts = { malicious: [0, 0], benign: [0, 0] }
  for (const entry of entries) {
    const found = await flagged(entry)
    counts[entry.label][1] += 1
    if (found.length > 0) counts[entry.label][0] += 1
    if (isListed && found.length > 0 !== (entry.label === 'malicious'))
      console.log(`  ${entry.label}, ${found.length > 0 ? found[0].finding.code : 'nothing found'}: ${entry.tool.name}`)
  }
  const [[found, bad], [alarms, good]] = [counts.malicious, counts.benign]
  console.log(`${name}: found ${found} of ${bad}, false alarms ${alarms} of ${good}`)
}

await measure('own texts', lines(new URL('holdout.jsonl', import.meta.url)))
for (const half of ['open', 'kept']) {
  const entries = lines(new URL('languages.jsonl', import.meta.url)).filter((entry) => entry.half === half)
  await measure(`in many languages, ${half} half`, entries)
}
const hands = lines(new URL('../../labelled/shield.jsonl', import.meta.url)).filter(({ half }) => half === 'kept')
for (const [name, isMeant] of [
  ['hands that nothing was learned from, English', ({ lang }) => lang === 'en'],
  ['hands that nothing was learned from, other languages', ({ lang }) => lang !== 'en'],
]) {
  const entries = hands.filter(isMeant).map(({ label, text }, at) => ({
    ...{ label: label === 'hostile' ? 'malicious' : 'benign', server: 'helper' },
    tool: { name: `tool_${at}`, description: text },
  }))
  await measure(name, entries, { isListed: false })
}
if (values.corpus) await measure('corpus', JSON.parse(readFileSync(values.corpus, 'utf8')).entries)
if (values.tools) {
  const tools = lines(values.tools)
  const servers = grouped(tools)
  await router.setServers([], { replace: true })
  let count = 0
  // One after the other, each beside all before it: the findings of one call are bounded.
  for (const [name, list] of servers) {
    const { findings } = await router.setServer({ name, tools: list })
    for (const tool of new Set(findings.filter(isFlagged).map(({ toolName }) => toolName))) {
      const { code, severity, field } = findings.find((found) => isFlagged(found) && found.toolName === tool).finding
      console.log(`  ${name}: ${tool ?? '(server)'}: ${code}, ${severity}, ${field}`)
      count += 1
    }
  }
  console.log(`tools: ${count} of ${tools.length} flagged (${((100 * count) / tools.length).toFixed(2)} %)`)
}
process.exit()
