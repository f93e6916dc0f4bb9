// What a program costs: the CPU time of its start, and the memory of this process over many programs, of which one in ten
// is ended at a limit.
//
//   node --expose-gc research/measure/programs/soak.mjs [--programs 10000] [--warm 200]

import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'

import { ToolRouter } from '../../../index.js'
import { closePrograms, runProgram, warmPrograms } from '../../../packages/programs/index.mjs'

const { values } = parseArgs({
  options: { programs: { type: 'string', default: '10000' }, warm: { type: 'string', default: '200' } },
})
const SIDE_BY_SIDE = 4
/** Parts of the run, each with its own figures of memory. */
const PARTS = 10

const router = ToolRouter.shared()
const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }
await router.setServer({
  name: 'shop',
  tools: [{ name: 'get_order', description: 'Get an order', inputSchema: schema }],
})
const session = router.openSession()
await session.start('get an order')
const call = async (_, { n }) => ({
  content: [{ type: 'text', text: JSON.stringify({ n, lines: Array(50).fill('x') }) }],
})

const cpuMs = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** CPU time of all threads of this process, per program, of programs that do nothing and of programs that call once. */
async function starts(code) {
  const count = Number(values.warm)
  for (let at = 0; at < 20; at++) await runProgram(session, code, { call })
  const cpu = cpuMs()
  const began = performance.now()
  for (let at = 0; at < count; at++) await runProgram(session, code, { call })
  return { cpuMs: ((cpuMs() - cpu) / count).toFixed(2), ms: ((performance.now() - began) / count).toFixed(2) }
}

const ENDED = [
  ['compute', 'for (;;);', { computeMs: 10 }],
  ['memory', 'const a = []; for (;;) a.push("x".repeat(1e5) + a.length)', { memoryBytes: 16 << 20 }],
  ['stack', '(function f() { f() })()', {}],
  ['stalled', 'await new Promise(() => {})', {}],
  ['calls', 'for (;;) await tools.shop.get_order({ n: 1 })', { calls: 5 }],
]

async function one(at) {
  if (at % 10 === 9) {
    const [reason, code, limits] = ENDED[Math.floor(at / 10) % ENDED.length]
    const { problem } = await runProgram(session, code, { call, limits })
    return problem?.reason === reason || problem?.reason === 'compute'
  }
  const code = 'const { n, lines } = await tools.shop.get_order({ n: parameters.n }); print(lines.length); return n'
  const { text } = await runProgram(session, code, { call, parameters: { n: at } })
  return text === `50\n${at}`
}

await warmPrograms()
console.log('start of a program that returns:', await starts('return 1'))
console.log('start of a program that calls once:', await starts('return tools.shop.get_order({ n: 1 })'))

const count = Number(values.programs)
let wrong = 0
for (let part = 0; part < PARTS; part++) {
  let next = (part * count) / PARTS
  const last = ((part + 1) * count) / PARTS
  const work = async () => {
    while (next < last) if (!(await one(next++))) wrong += 1
  }
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work))
  globalThis.gc?.()
  const { rss, heapUsed, external } = process.memoryUsage()
  const [all, heap, outside] = [rss, heapUsed, external].map((bytes) => Math.round(bytes / 1e6))
  console.log(`${last} programs: ${all} MB resident, ${heap} MB heap, ${outside} MB outside of it, ${wrong} wrong`)
}
await closePrograms()
process.exitCode = wrong === 0 ? 0 : 1
