// Curation per turn on real servers over the official SDK. The claims of the second design.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import test from 'ava'

import { endedWell, run, runScript } from '../helpers/child.mjs'
import { everything, refused, router } from '../helpers/router.mjs'
import { onServers } from '../helpers/server-registry.mjs'
import { tempDir } from '../helpers/temp.mjs'

/** Functions of a request: a host's own tools around those of real servers, as a session renders them. */
let functions
/** The host's own. */
const OWN = ['Read', 'apply_diff', 'Bash'].map((name) => ({
  type: 'function',
  function: { name, description: 'create a directory for files' },
}))
const nameOf = ({ function: { name } }) => name

onServers(test)
test.beforeEach(async () => {
  const mcp = JSON.parse(await everything())
  functions = [OWN[0], ...mcp.slice(0, 5), OWN[1], ...mcp.slice(5), OWN[2]]
})

test.serial('the default keeps fifteen MCP tools, and every built-in tool untouched', async (t) => {
  const { kept } = await router.curate(functions, 'create a directory')
  t.is(kept.filter(({ score }) => score !== undefined).length, 15)
  t.deepEqual(
    kept.filter(({ score }) => score === undefined).map(({ name }) => name),
    OWN.map(nameOf),
  )
})

test.serial('off passes all MCP tools, in the order in which they came', async (t) => {
  const { kept, dropped } = await router.curate(functions, 'anything', { curation: { kind: 'off' } })
  t.deepEqual(
    kept.map(({ name }) => name),
    functions.map(nameOf),
  )
  t.deepEqual(dropped, [])
})

test.serial('the six rescue tools stay whatever the message says, and before any keyword', async (t) => {
  const named = (name, description) => ({ name: `mcp--fs--${name}`, description })
  const tools = [
    named('search', 'search every single word here'),
    ...['Read', 'Grep', 'Glob', 'Edit', 'Write', 'Bash'].map((name) => named(name, '')),
  ]
  const { kept } = await router.curate(tools, 'search every single word', { curation: { k: 6 } })
  t.deepEqual(
    kept.map(({ name }) => name),
    tools.slice(1).map(({ name }) => name),
  )
  t.true(kept.every(({ score }) => score === 100))
  const { kept: own } = await router.curate(tools, 'search', { curation: { k: 1, rescue: [] } })
  t.deepEqual(
    own.map(({ name }) => name),
    ['mcp--fs--search'],
  )
})

test.serial(
  'a tool without overlap and uses scores 0, is dropped, and comes back with a message that fits',
  async (t) => {
    const curation = { k: 3 }
    const sum = 'mcp--everything--get-sum'
    const first = await router.curate(functions, 'rename the draft on disk', { curation, recentUses: {} })
    t.true(first.dropped.includes(sum))
    const second = await router.curate(functions, 'returns the sum of numbers', { curation, recentUses: {} })
    t.true(second.kept.some(({ name, score }) => name === sum && score > 0))
  },
)

test.serial('nothing is unregistered: the catalogue and the functions are as before', async (t) => {
  const before = [router.status.toolCount, router.status.generation, JSON.stringify(functions)]
  await router.curate(functions, 'x', { curation: { k: 1 } })
  t.deepEqual([router.status.toolCount, router.status.generation, JSON.stringify(functions)], before)
  t.not(router.resolveTool('mcp--memory--read_graph'), null)
})

test.serial('terms shorter than four characters are dropped, matching is by substring and ignores case', async (t) => {
  const tool = (description) => [{ name: 'mcp__s__t', description }]
  const scoreOf = async (description, message) => (await router.curate(tool(description), message)).kept[0].score
  t.is(await scoreOf('Get a PDF', 'get pdf a'), 0)
  t.is(await scoreOf('Lists repositories', 'REPO'), 10)
  t.is(await scoreOf('Lists repositories', 'repositories,'), 0, 'cut at white space alone')
  t.is(await scoreOf('Lists repositories', 'list lists repositories'), 30)
})

test.serial(
  'a bare name is curated by its description in the catalogue, and both spellings of the prefix count',
  async (t) => {
    const { kept } = await router.curate(
      ['mcp__memory__read_graph', 'mcp--everything--echo', 'other'],
      'entire knowledge graph',
    )
    t.deepEqual(
      kept.map(({ score }) => score),
      [30, 0, undefined],
    )
  },
)

test.serial('recorded uses count half a point each, and survive a restart in a file', async (t) => {
  const file = join(tempDir(t), 'state', 'uses.json')
  const script = `
    await router.setServer({ name: 'memory', tools: [{ name: 'read_graph' }, { name: 'open_nodes' }] })
    const before = await router.persistUses(${JSON.stringify(file)})
    await router.recordUse('mcp--memory--open_nodes')
    await router.recordUse({ serverName: 'memory', toolName: 'open_nodes' })
    const { kept } = await router.curate(['mcp--memory--read_graph', 'mcp__memory__open_nodes'], 'zzzz', { curation: { k: 1 } })
    say([before, kept])
  `
  const runs = [endedWell(t, await runScript(script)), endedWell(t, await runScript(script))]
  const scores = runs.map(([[, [{ name, score }]]]) => [name, score])
  t.deepEqual(scores, [
    ['mcp__memory__open_nodes', 1],
    ['mcp__memory__open_nodes', 2],
  ])
  t.deepEqual(
    runs.map(([[before]]) => before.useCount),
    [0, 2],
  )
  t.deepEqual(readdirSync(join(file, '..')), ['uses.json'], 'nothing else is left beside it')
})

test.serial(
  'a damaged file of uses is empty with a warning, and the score is then that of keywords alone',
  async (t) => {
    const file = join(tempDir(t), 'uses.json')
    for (const damage of ['{', '[]', '{"version":9,"uses":[]}', '{"version":1,"uses":[["a"]]}', '\u0000']) {
      writeFileSync(file, damage)
      await router.persistUses(null)
      const { warning } = await router.persistUses(file)
      t.regex(warning, /is read as empty/, damage)
      t.notThrows(() => JSON.parse(readFileSync(file, 'utf8')), 'written anew')
    }
    await router.persistUses(null)
    const { kept } = await router.curate(functions, 'create a directory', { recentUses: {} })
    t.true(kept.every(({ score }) => score === undefined || Number.isInteger(score / 10)))
  },
)

test.serial('a file of uses that cannot be written is a warning, never an error', async (t) => {
  const folder = tempDir(t)
  writeFileSync(join(folder, 'file'), '')
  const { warning } = await router.persistUses(join(folder, 'file', 'uses.json'))
  t.regex(warning, /uses are not kept/)
  await router.recordUse('mcp--memory--read_graph')
  await router.persistUses(null)
})

// --- files ---

const config = (t, texts) => {
  const folder = tempDir(t)
  const paths = Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, [join(folder, `${key}.toml`), text]]),
  )
  for (const [file, text] of Object.values(paths)) if (text !== undefined) writeFileSync(file, text)
  return Object.fromEntries(Object.entries(paths).map(([key, [file]]) => [key, file]))
}
const RESCUE = ['Read', 'Grep', 'Glob', 'Edit', 'Write', 'Bash']

test.serial('top_k with k 15 is the default when no file and no key says otherwise', async (t) => {
  const files = config(t, { globalPath: '[other]\nx = 1\n', projectPath: undefined })
  t.deepEqual(await router.loadCuration(files), { kind: 'top_k', k: 15, rescue: RESCUE })
  t.deepEqual(await router.loadCuration({}), { kind: 'top_k', k: 15, rescue: RESCUE })
})

test.serial('a project overrides the global file key by key, and curation follows', async (t) => {
  const files = config(t, {
    globalPath: '[mcp]\ncuration = { kind = "top_k", k = 20 }\n',
    projectPath: '[mcp]\ncuration = { k = 2 }\n',
  })
  t.deepEqual(await router.loadCuration(files), { kind: 'top_k', k: 2, rescue: RESCUE })
  t.is(router.settings.curation.k, 2)
  t.is((await router.curate(functions, 'file')).kept.length, OWN.length + 2)
  writeFileSync(files.projectPath, '[mcp]\ncuration = { kind = "off" }\n')
  t.deepEqual(await router.loadCuration(files), { kind: 'off', k: 20, rescue: RESCUE })
  t.is((await router.curate(functions, 'file')).kept.length, functions.length)
})

// --- wrong input ---

test.serial('wrong input is refused by field', async (t) => {
  for (const [call, path] of [
    [() => router.curate('x', 'y'), 'curate.functions'],
    [() => router.curate([{ function: {} }], 'y'), 'curate.functions[0].function.name'],
    [() => router.curate([], 7), 'curate.message'],
    [() => router.curate([], '', { curation: { k: 0 } }), 'curate.options.curation.k'],
    [() => router.curate([], '', { recentUses: { a: -1 } }), 'curate.options.recentUses.a'],
    [() => router.loadCuration({ globalPath: '' }), 'loadCuration.globalPath'],
    [() => router.persistUses(7), 'persistUses.file'],
    [() => router.configure({ curation: { k: 1001 } }), 'configure.curation.k'],
  ]) {
    const { message } = await refused(t, 'ERR_INVALID_ARGUMENT', call, path)
    t.true(message.startsWith(`${path}: expected `), message)
  }
})

test('the example runs on real servers: curated by its file, and uses count', async (t) => {
  t.timeout(120_000)
  const ended = await run([new URL('../../examples/curation/curation.mjs', import.meta.url).pathname])
  endedWell(t, ended)
  t.regex(ended.stdout, /top_k with k = 5/)
  t.regex(ended.stdout, /20\.0 {2}mcp--filesystem--create_directory/)
  t.regex(ended.stdout, /0\.5 {2}mcp--filesystem--create_directory/)
})
