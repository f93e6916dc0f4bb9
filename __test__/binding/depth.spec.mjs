// What a server, a model or a file wrote may be nested, wide or long: nothing of it ends the process, on any of its threads.
import test from 'ava'
import { endedWell, runScript } from '../helpers/child.mjs'

/** Opens a session over one server and hands every text to everything that reads text, then says how many doors answered. */
const DOORS = `
  const deep = (levels, open, close, inside = '1') => open.repeat(levels) + inside + close.repeat(levels)
  const SHAPES = {
    arrays: (n) => deep(n, '[', ']'),
    objects: (n) => deep(n, '{"a":', '}'),
    both: (n) => deep(n, '[{"a":', '}]'),
    'deep fields of records': (n) => JSON.stringify([1, 2, 3]).replace('2', deep(n, '{"name":"x","a":[', ']}')),
    'never closed': (n) => '['.repeat(n),
    'never opened': (n) => '}'.repeat(n),
    wide: (n) => '[' + '[],'.repeat(n) + '1]',
    'one long key': (n) => '{"' + 'k'.repeat(n) + '":' + deep(200, '[', ']') + '}',
    'lines of deep records': (n) => (deep(n / 10, '[', ']') + '\\n').repeat(10),
    'deep in a text': (n) => JSON.stringify({ text: deep(n, '[', ']') }),
  }
  await router.setServer({ name: 's', tools: [{ name: 'read', inputSchema: { type: 'object', properties: { a: {} } } }] })
  const { join } = require('node:path')
  const folder = require('node:fs').mkdtempSync(join(require('node:os').tmpdir(), 'tool-router-depth-'))
  const written = (text) => {
    const file = join(folder, 'file')
    require('node:fs').writeFileSync(file, text)
    return file
  }
  const { acceptedSchema, compactSchema } = router.constructor
  const session = router.openSession()
  await session.start('read')
  const [{ name }] = await router.listTools()
  const read = async (result, options) => {
    const held = await session.holdResult(result, { maxTokens: 50, previewTokens: 20 })
    if (held !== null) await session.readResult(held.handle, options)
  }
  const DOOR = {
    'a need in a result': (text) => read(text, { need: 'name of x' }),
    'a need in a content': (text) => read({ content: [{ type: 'text', text }] }, { need: 'name of x' }),
    'a path in a result': (text) => read(text, { path: '$' }),
    'a deep path': (text) => read(text, { path: '$' + '[0]'.repeat(120) }),
    'every value': (text) => read(text, { path: '$[*].a' }),
    'a path in structured content': (text) => read(JSON.stringify({ structuredContent: 1 }).replace('1', text), { path: '$..*' }),
    'a path that is no path': (text) => read('[' + '1,'.repeat(500) + '1]', { path: text.slice(0, 4000) }),
    'a text': (text) => router.checkText(text.slice(0, 60000)),
    'a ranking': (text) => router.rank(text),
    'a turn': (text) => session.turn(text),
    'a load': (text) => session.load({ query: text }),
    'a call': (text) => session.checkCall({ name, arguments: text }),
    'a call as text': (text) => session.checkCall(text),
    'a state': (text) => router.restoreSession(text),
    'a signal': (text) => session.reroute(text),
    queries: (text) => router.parseSyntheticQueries(text),
    'a description': (text) => router.setServer({ name: 'd', tools: [{ name: 'x', description: text }] }),
    'an output schema': (text) => session.holdResult({ structuredContent: { a: 'word '.repeat(900) } }, { maxTokens: 200, outputSchema: text }),
    'a schema alone': (text) => compactSchema(text),
    'an accepted schema': (text) => acceptedSchema(text),
    'a file of uses': (text) => router.persistUses(written(text)).then(() => router.persistUses(null)),
    'a curation file': (text) => router.loadCuration({ globalPath: written('mcp = ' + text) }),
    'a schema': (text) => router.setServer({ name: 'd', tools: [{ name: 'x', inputSchema: text }] }),
  }
  let answered = 0
  for (const [shape, make] of Object.entries(SHAPES)) {
    for (const levels of [130, 4000, 200000]) {
      for (const [door, open] of Object.entries(DOOR)) {
        try { await open(make(levels)) } catch (error) { if (error.name !== 'ToolRouterError') throw new Error(door + ' of ' + shape + ': ' + error) }
        answered += 1
      }
    }
  }
  require('node:fs').rmSync(folder, { recursive: true })
  say({ all: Object.keys(SHAPES).length * Object.keys(DOOR).length * 3, answered })
`

test('JSON of any depth, width or length is read or refused, in whatever reads it', async (t) => {
  const [{ all, answered }] = endedWell(t, await runScript(DOORS))
  t.is(answered, all)
})

test('and in a worker, whose stack is smaller', async (t) => {
  const source = `
    const { Worker } = require('node:worker_threads')
    const code = 'const addon = require(' + JSON.stringify(ADDON) + '); const router = addon.ToolRouter.shared(); const { parentPort } = require("node:worker_threads"); const say = (what) => parentPort.postMessage(what); (async () => {' + ${JSON.stringify(DOORS)} + '})()'
    await new Promise((ends, fails) => {
      const worker = new Worker(code, { eval: true, resourceLimits: { stackSizeMb: 1 } })
      worker.on('message', say).on('error', fails).on('exit', ends)
    })
  `
  const [{ all, answered }] = endedWell(t, await runScript(source))
  t.is(answered, all)
})
