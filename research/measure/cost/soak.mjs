// Twenty minutes of what a host does in weeks: four workers that rank, run tasks and swap servers at the same time, while
// the model and an embedder of the host come and go. Says how memory, handles and threads grow, and ends with 1 where one of them does, or
// where an answer is wrong.
//
//   npm run soak [-- --minutes 20] [-- --workers 4]
//
// The first fifth of the time is for warming up: caches fill. Memory is compared between moments at which the process holds
// the same: just after the model was taken out, and just before. With the model it holds 120 MB more, while it is being loaded
// 200: how long a load takes would decide a line through all samples. JavaScript's heaps are taken off, since the engine makes
// those of five threads larger and smaller by 90 MB together, as it sees fit. What is in use on them has its own line.

import { readdirSync, readFileSync } from 'node:fs'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import v8 from 'node:v8'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

import { ToolRouter } from '../../../index.js'
import { readArguments } from '../../../scripts/arguments.mjs'
import { generator } from '../gateway/gateway-operations.mjs'

/** Servers of the catalogue, and tools of each: as many as a well-equipped host has. */
const SERVERS = 40
const TOOLS = 25
const VERBS = ['create', 'list', 'delete', 'update', 'search', 'read', 'close', 'move']
const PROVIDERS = ['anthropic', 'openai-chat', 'openai-responses', 'gemini', 'bedrock', 'vscode']
/** A mode that takes tools away from nearly every task. */
const HOST_MODES = { few: { blockedMcpServers: ['server-1', 'server-2', 'server-3'] } }
/** Names of servers that come and go, of each worker. */
const VISITORS = 20
/** What may be gone when it is asked for. */
const GONE = ['ERR_SESSION_NOT_FOUND', 'ERR_TOOL_NOT_FOUND', 'ERR_OUT_OF_SCOPE']
const NOUNS = ['issue', 'page', 'file', 'branch', 'message', 'record', 'deployment', 'invoice']
/** Sessions that a router keeps open: one more closes the oldest. Forgotten ones fill it before anything is measured. */
const MAX_SESSIONS = 1_000
/** Calls of one worker that are under way at the same time: far under the 1,024 that may wait. */
const AT_ONCE = 16
/** How often the main thread looks at the process, and how often it changes the model. */
const SAMPLE_MS = 5_000
const MODEL_MS = 20_000
/** The share of the time that is not measured. */
const WARM_UP = 0.2
const ANY = 'memory at any time, MB'
const OUT = "memory outside of JavaScript's heaps without the model, MB"
const IN = "memory outside of JavaScript's heaps with the model, MB"
const HOST = "memory outside of JavaScript's heaps with an embedder of the host, MB"
const USED = "in use on JavaScript's heaps, MB"
/** Growth a minute that is taken for none: allocators breathe by more within one. */
const MOST = { [OUT]: 2, [IN]: 2, [HOST]: 2, [USED]: 2, handles: 0.2, threads: 0.2 }

const router = ToolRouter.shared()

function server(at, version) {
  const tools = Array.from({ length: TOOLS }, (_, tool) => ({
    name: `${VERBS[(at + tool) % VERBS.length]}_${NOUNS[tool % NOUNS.length]}_${tool}`,
    description: `Version ${version % 7}: ${VERBS[tool % VERBS.length]} a ${NOUNS[(at + tool) % NOUNS.length]} of project ${at}.`,
    inputSchema: {
      type: 'object',
      properties: { id: { type: 'string', description: `of the ${NOUNS[tool % NOUNS.length]}` } },
    },
  }))
  return { name: `server-${at}`, tools }
}

async function worker({ seed, forgets }) {
  const random = generator(seed)
  const counts = { ranks: 0, swaps: 0, visits: 0, tasks: 0, busy: 0, wrong: 0 }
  let isOver = false
  parentPort.on('message', (what) => {
    if (what === 'over') isOver = true
    else parentPort.postMessage({ heap: v8.getHeapStatistics() })
  })
  const text = () =>
    `${VERBS[random(8)]} the ${NOUNS[random(8)]} and ${VERBS[random(8)]} a ${NOUNS[random(8)]} ${random(9999)}`
  const rank = async () => {
    const { tools } = await router.rank(text(), { topK: 10, deadlineMs: random(20) === 0 ? 50 : 0 })
    const isSorted = tools.every(({ score }, at) => at === 0 || score <= tools[at - 1].score)
    if (tools.length !== 10 || !isSorted) counts.wrong += 1
    counts.ranks += 1
  }
  const swap = async () => {
    const at = random(SERVERS)
    const { removed } = await router.setServer(server(at, random(1000)))
    if (removed.length > 0) counts.wrong += 1
    counts.swaps += 1
  }
  /** Servers with other names come and go: of few names, since what was never there leaves its vectors behind. */
  const visit = async () => {
    const at = counts.visits++ % VISITORS
    const visitor = { ...server(at, 0), name: `visitor-${seed}-${at}` }
    const { added } = await router.setServer(visitor)
    const { removed } = await router.removeServer(visitor.name)
    if (added.length !== TOOLS || removed.length !== TOOLS) counts.wrong += 1
  }
  /** The other calls of a task, in any order. */
  const further = [
    (session) => session.render({ provider: PROVIDERS[random(PROVIDERS.length)], delivery: 'append' }),
    (session, name) => session.checkCall({ name, arguments: { id: random(2) ? 'x' : 7 } }),
    (session, name) => session.recordUse(name),
    (session, name) => session.unload([name]),
    (session) => session.compact(text()),
    (session) => session.fork().close(),
    (session) => session.sync({ hostMode: random(2) ? 'few' : null }),
    (session) => router.contextUsage({ text: text() }, { sessionId: session.id }),
    (_, name) => router.forget(random(4) ? name : { serverName: `server-${random(SERVERS)}` }),
    () => router.checkText(text()),
  ]
  const task = async () => {
    const settings = { threshold: 10, initialK: 8, hostModes: HOST_MODES }
    let session = router.openSession({ settings })
    // A host that forgets one in ten, whether it ended well or not.
    const isForgotten = forgets > 0 || random(10) === 0
    try {
      session = await played(session)
      counts.tasks += 1
      forgets -= 1
    } finally {
      if (!isForgotten) session.close()
    }
  }
  const played = async (session) => {
    let { attached } = await session.start(text())
    for (let turn = 0; turn < 4; turn++) {
      const next = (await session.turn(text())).attached
      if (attached.some((name, place) => next[place] !== name)) counts.wrong += 1
      attached = next
      await session.load({ query: text() })
      if (!session.tools().startsWith('[')) counts.wrong += 1
    }
    for (let call = 0; call < further.length; call++)
      await further[random(further.length)](session, attached[random(attached.length)])
    return router.restoreSession(JSON.stringify(session.toJSON?.() ?? session))
  }
  const lane = async () => {
    while (!isOver) {
      // A swap or a task while the router is filled.
      const what = forgets > 0 ? random(2) * 5 : random(200)
      try {
        await (what < 5 ? swap() : what < 7 ? task() : what < 8 ? visit() : rank())
      } catch (error) {
        if (error.code === 'ERR_BUSY') counts.busy += 1
        else if (!GONE.includes(error.code)) {
          counts.wrong += 1
          counts.error ??= String(error.stack)
        }
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
  parentPort.postMessage({ counts })
  parentPort.close()
}

/** An embedder of a host: not a good one, and never the same vector for two texts. */
function hostEmbedder(texts) {
  const vector = (text) => {
    const numbers = new Float32Array(64)
    for (const [at, letter] of [...text].entries()) numbers[(letter.codePointAt(0) * 31 + at) % 64] += 1
    return numbers
  }
  return texts.map(vector)
}

const MB = 2 ** 20
const residentMb = () => process.memoryUsage.rss() / MB

/** What the heaps of all threads take of memory, and what of it is in use. */
async function heaps(workers) {
  const asked = workers.map(
    (each) =>
      new Promise((resolve) => {
        const answered = ({ heap }) => {
          if (!heap) return
          each.off('message', answered)
          resolve(heap)
        }
        each.on('message', answered)
        each.postMessage('heap')
      }),
  )
  const all = [...(await Promise.all(asked)), v8.getHeapStatistics()]
  const sum = (key) => all.reduce((total, heap) => total + heap[key], 0) / MB
  return { taken: sum('total_physical_size'), used: sum('used_heap_size') }
}

/** What the process holds. Where there is no /proc, memory alone. */
function sample() {
  const found = { [ANY]: residentMb() }
  if (process.platform !== 'linux') return found
  const threads = /^Threads:\s*(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))
  return { ...found, handles: readdirSync('/proc/self/fd').length, threads: Number(threads[1]) }
}

/** Least squares: growth per minute. */
function slope(points) {
  const mean = (of) => points.reduce((sum, point) => sum + of(point), 0) / points.length
  const [time, value] = [mean(({ minutes }) => minutes), mean(({ value }) => value)]
  const over = mean((point) => (point.minutes - time) * (point.value - value))
  return over / mean((point) => (point.minutes - time) ** 2)
}

async function main({ minutes, workers: count }) {
  await router.setServers(Array.from({ length: SERVERS }, (_, at) => server(at, 0)))
  const workers = Array.from(
    { length: count },
    (_, at) =>
      new Worker(fileURLToPath(import.meta.url), {
        workerData: { seed: at + 1, forgets: Math.ceil(MAX_SESSIONS / count) },
      }),
  )
  const done = workers.map(
    (each) =>
      new Promise((resolve, reject) =>
        each.on('message', ({ counts }) => counts && resolve(counts)).once('error', reject),
      ),
  )
  const began = performance.now()
  const samples = []
  /** What embeds now: nobody, the model, nobody, the host, and from the beginning. */
  let [models, nextModel, turn] = [0, MODEL_MS, 0]
  const [model, host] = [1, 3]
  for (;;) {
    await pause(SAMPLE_MS)
    const elapsed = performance.now() - began
    samples.push({ minutes: elapsed / 60_000, ...sample() })
    if (elapsed > minutes * 60_000) break
    if (elapsed < nextModel) continue
    // The other workers' rankings go on while the model is loaded, and vectors are made of what is set meanwhile.
    const before = turn
    turn = (turn + 1) % 4
    const isIn = turn === model || turn === host
    const compare = async (key) => {
      const { taken, used } = await heaps(workers)
      samples.push({ minutes: (performance.now() - began) / 60_000, [key]: residentMb() - taken, [USED]: used })
    }
    if (!isIn) await compare(before === model ? IN : HOST)
    try {
      if (turn === model) await router.loadModel({ cacheDir: false })
      else await router.setEmbedder(turn === host ? hostEmbedder : null)
      models += 1
    } catch (error) {
      console.log(`model: ${error.code}`)
    }
    if (!isIn) await compare(OUT)
    nextModel = performance.now() - began + MODEL_MS
  }
  for (const each of workers) each.postMessage('over')
  const counts = await Promise.all(done)
  const sum = (key) => counts.reduce((total, each) => total + each[key], 0)
  const [ranks, swaps, tasks, busy, wrong] = ['ranks', 'swaps', 'tasks', 'busy', 'wrong'].map(sum)
  console.log(
    `${minutes} minutes, ${count} workers: ${ranks} ranks, ${swaps} swaps of servers, ${tasks} tasks of four turns`,
  )
  console.log(`embedders came or went ${models} times; ${busy} calls were refused as too many; ${wrong} were wrong`)
  for (const { error } of counts) if (error) console.log(error)
  const measured = samples.filter((each) => each.minutes >= WARM_UP * minutes)
  let isGrowing = false
  for (const [key, most] of Object.entries({ [ANY]: Number.POSITIVE_INFINITY, ...MOST })) {
    const points = measured.filter((each) => each[key] !== undefined)
    if (points.length < 2) continue
    const values = points.map((each) => ({ minutes: each.minutes, value: each[key] }))
    const growth = slope(values)
    const [first, last] = [values[0], values.at(-1)].map(({ value }) => Math.round(value))
    if (growth > most) isGrowing = true
    console.log(
      `${key}: ${first} to ${last}, slope ${growth.toFixed(3)} a minute${growth > most ? `, MORE THAN ${most}` : ''}`,
    )
    if (key === OUT || key === IN) console.log(`  ${values.map(({ value }) => Math.round(value)).join(' ')}`)
  }
  const isGood = wrong === 0 && !isGrowing
  console.log(isGood ? 'passed' : 'FAILED')
  process.exit(isGood ? 0 : 1)
}

if (isMainThread) {
  const given = readArguments('usage: soak.mjs [--minutes 20] [--workers 4]\n', {
    minutes: { type: 'integer', default: 20, least: 1 },
    workers: { type: 'integer', default: 4, least: 1 },
  })
  if (given) await main(given.values)
} else await worker(workerData)
