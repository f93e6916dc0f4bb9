// What apps/vscode shows: boxes say what is so, rows can be heard, what is wrong is said where one looks, and
// numbers say whose they are.

import test from 'ava'

import { ToolRouter } from '../../index.js'
import { loadExtension, manifest, memory, resetEditor } from '../helpers/vscode.mjs'
import { treeOf as treeWith } from '../helpers/vscode-tree.mjs'

resetEditor()
const modules = await loadExtension([
  'scope.ts',
  'settings.ts',
  'task/task.ts',
  'task/words.ts',
  'servers/findings.ts',
  'views/scope-tree.ts',
  'views/status-words.ts',
  'views/tokens.ts',
  'views/tool-list.ts',
  'views/troubles.ts',
  'views/try-it.ts',
  'views/words.ts',
])
const router = ToolRouter.shared()
const treeOf = () => treeWith(modules, router)
test.afterEach.always(() => router.removeServer('files'))
const { contributes } = manifest

// --- the task ---

const many = (name, words, rest = '') => ({
  name,
  tools: Array.from({ length: 8 }, (_, at) => ({
    name: `${words}_${at}`,
    description: `${words} number ${at}${rest}`,
  })),
})

test.serial('a task that loses most of its tools with their server gets others for its last text', async (t) => {
  resetEditor()
  router.configure({ threshold: 3, initialK: 4, directoryTokens: 0, delivery: 'append' })
  t.teardown(async () => {
    router.configure({})
    for (const name of ['one', 'two']) await router.removeServer(name)
  })
  await router.setServers([many('one', 'send_message'), many('two', 'send_message')])
  const task = new modules.Task(router, memory())
  const { attached } = await task.start('send_message: send the message with number 3')
  t.is(attached.length, 4)
  const has = (server) => (name) => name.startsWith(`mcp--${server}--`)
  const lost = ['one', 'two'].find((server) => attached.filter(has(server)).length >= 3) ?? 'one'
  await router.removeServer(lost)
  await task.sync()
  t.true(modules.sentCounts(task.selection).sent > attached.filter((name) => !has(lost)(name)).length)
  task.dispose()
})

test.serial('while nothing is chosen the model has the tools themselves, whatever the delivery', async (t) => {
  resetEditor()
  router.configure({ provider: 'vscode', delivery: 'call', threshold: 50 })
  t.teardown(() => router.configure({}))
  await router.setServer(many('one', 'send_message', ', to people and rooms of the team, at once or later'.repeat(9)))
  const task = new modules.Task(router, memory())
  await task.start('send a message')
  t.is(JSON.parse(task.render().tools).length, 8)
  router.configure({ provider: 'vscode', delivery: 'call', threshold: 3, initialK: 2 })
  await task.start('send a message with number 3 to the team of the project')
  t.deepEqual(
    JSON.parse(task.render().tools).map(({ name }) => name),
    ['mcp_load', 'mcp_call'],
  )
  task.dispose()
  await router.removeServer('one')
})

test.serial('where choosing costs more than all tools do, all are sent, and it is said why', async (t) => {
  resetEditor()
  router.configure({ threshold: 3, initialK: 7, delivery: 'append' })
  t.teardown(() => router.configure({}))
  await router.setServer(many('one', 'send_message'))
  const task = new modules.Task(router, memory())
  const { mode, rule, attached } = await task.start('send a message with number 3')
  t.deepEqual([mode, attached.length], ['all', 8])
  t.regex(modules.ruleInWords({ ...task.selection, rule }, router.settings), /8 in scope cost no more than to choose/)
  task.dispose()
  await router.removeServer('one')
})

test.serial('a model is offered what reads a held result once one is held, and not before', async (t) => {
  resetEditor()
  await router.setServer(many('one', 'send_message'))
  const task = new modules.Task(router, memory())
  await task.start('send a message')
  await task.shown({ content: [{ type: 'text', text: 'short' }] })
  t.false(task.hasHeld)
  await task.shown({ content: [{ type: 'text', text: 'a line of many words\n'.repeat(20_000) }] })
  t.true(task.hasHeld)
  await task.start('another task')
  t.false(task.hasHeld)
  task.dispose()
  await router.removeServer('one')
})

test.serial('a misspelt mode says the same in the hover, the list and Try it', async (t) => {
  const { editor, task, tree } = await treeOf()
  editor.user['toolRouter.modes'] = { docs: { allowedMcpServers: ['files'] } }
  editor.user['toolRouter.mode'] = 'dosc'
  const said = /^No server is used: toolRouter\.mode: expected a name of toolRouter\.modes \(docs\), got "dosc"\.$/
  modules.apply(router)
  t.teardown(() => router.configure({}))
  t.regex(modules.modeProblem(), said)
  const selection = { ...SELECTION, mode: 'all', rule: 'threshold', scopedCount: 0, attached: [], turn: 1 }
  const { lines } = modules.statusWords({ ...STATUS, selection, modeProblem: modules.modeProblem() })
  t.true(lines.some((line) => line.startsWith('No server is used')))
  t.false(lines.some((line) => line.includes('threshold')))
  t.regex((await modules.ranked(router, new modules.Tokens(router), 'read'))[0].label, said)
  void [task, tree]
})

// --- what is wrong ---

const NOTHING = { servers: [], problems: [], setting: undefined, modelFailure: undefined, askingCount: 0 }
for (const [what, state, label, command] of [
  [
    'a broken file, with its line',
    { problems: [{ file: '/w/.vscode/mcp.json', text: 'line 2: CommaExpected', line: 2 }] },
    /\.vscode\/mcp\.json, line 2: CommaExpected/,
    'toolRouter.openEntry',
  ],
  [
    'a folder that is not trusted',
    { problems: [{ file: '/w/.vscode/mcp.json', text: 'its servers (2) need a trusted workspace' }] },
    /not trusted/,
    'workbench.trust.manage',
  ],
  [
    'a setting that cannot be used',
    { setting: 'toolRouter.searchK: expected' },
    /setting/,
    'workbench.action.openSettings',
  ],
  ['servers that wait for consent', { askingCount: 2 }, /2 servers wait for your consent/, 'toolRouter.allow'],
  [
    "the editor's settings that forbid servers",
    { servers: [{ name: 's', state: 'forbidden', reason: 'r' }] },
    /No server may start/,
    'workbench.action.openSettings',
  ],
  [
    'a model that cannot be loaded',
    { modelFailure: 'model.onnx is not there' },
    /by words alone/,
    'toolRouter.showLog',
  ],
]) {
  test.serial(`${what}: a row, the badge and the status bar say so, and what to do`, async (t) => {
    const troubles = modules.troublesOf({ ...NOTHING, ...state })
    t.is(troubles.length, 1)
    t.regex(troubles[0].label, label)
    t.is(troubles[0].command.command, command)
    const { tree, editor } = await treeOf()
    await tree.update(troubles)
    t.is(editor.view.badge.value, 1)
    const item = tree.getTreeItem(tree.getChildren()[0])
    t.is(item.command.command, command)
    const words = modules.statusWords({ ...STATUS, troubles })
    t.true(words.isShown && words.isWarning)
    t.true(words.spoken.includes(troubles[0].label))
  })
}

test.serial('a server that has failed or waits is counted in the badge and named in the status bar', async (t) => {
  for (const state of ['failed', 'waiting']) {
    const { tree, editor, server } = await treeOf()
    Object.assign(server, { state, reason: 'it has *ended*' })
    await tree.update([])
    t.is(editor.view.badge.value, 1, state)
    const words = modules.statusWords({ ...STATUS, servers: [server] })
    t.true(words.isWarning)
    t.true(words.lines.some((line) => line.includes('files: it has \\*ended\\*')))
  }
})

test.serial('without a router every command answers with the reason', async (t) => {
  const { activate } = await loadExtension('extension.ts')
  const editor = resetEditor()
  t.is(await activate({ subscriptions: [], extension: { packageJSON: manifest } }), undefined)
  const names = editor.commands.map(([name]) => name)
  t.deepEqual(names.sort(), contributes.commands.map(({ command }) => command).sort())
  await editor.commands.find(([name]) => name === 'toolRouter.startTask')[1]()
  t.regex(editor.said.at(-1)[0], /MCP tools are not routed here: /)
  t.true(contributes.viewsWelcome.some(({ when }) => when === 'toolRouter.isMissing'))
})

// --- tools that are named and not sent whole ---

const KINDS = ['issue', 'page', 'channel', 'pipeline']
const VERBS = ['create', 'list', 'get', 'update', 'delete', 'search']
const id = { type: 'string', description: 'which of them is meant, as another tool has answered' }
const catalogue = KINDS.map((kind) => ({
  name: `${kind}s`,
  tools: Array.from({ length: 30 }, (_, at) => ({
    name: `${VERBS[at % VERBS.length]}_${kind}_${at}`,
    description: `${VERBS[at % VERBS.length]} a ${kind} of the project, in the way of number ${at}`,
    inputSchema: { type: 'object', properties: { id }, required: ['id'] },
  })),
}))

for (const [surface, look] of Object.entries({
  'the status bar': (t, { selection, sent, named }) => {
    const { text, lines } = modules.statusWords({ ...STATUS, selection })
    t.is(text, `$(tools) ${sent} of 120 MCP tools, ${named} by name`)
    const { attached, mcpLoad, directory, scoped, saved } = selection.tokens
    const [cost, states] = lines
    t.deepEqual(numbersOf(cost), [attached + mcpLoad + directory, scoped, saved])
    t.is(numbersOf(cost)[0] + saved, scoped)
    t.deepEqual(numbersOf(states), [120, sent - named, named, 120 - sent])
  },
  'the list': async (t, { task, sent, named }) => {
    const heads = (await modules.toolItems(router, task)).filter(({ tool }) => !tool).map(({ label }) => label)
    t.deepEqual(heads, [`Sent whole (${sent - named})`, `Named in a line (${named})`, `Not sent (${120 - sent})`])
  },
  'the view': async (t, { selection, named }) => {
    const sentTools = modules.sentTools(selection)
    const tools = await router.listTools()
    const row = ({ name: serverName }) =>
      modules.serverRow({
        server: { name: serverName, source: 'project', state: 'connected' },
        tools: tools.filter((tool) => tool.serverName === serverName),
        isDisabled: false,
        sent: sentTools,
      })
    const byName = catalogue.map((server) => Number(row(server).spoken.match(/(\d+) by name/)?.[1] ?? 0))
    t.is(
      byName.reduce((total, each) => total + each, 0),
      named,
    )
    const states = tools.map((tool) => modules.toolRow({ tool, sent: sentTools, hasChanged: false }).description)
    t.is(states.filter((text) => text.startsWith('named · ')).length, named)
  },
}))
  test.serial(`tools that are named to a model are counted and paid for: ${surface}`, async (t) => {
    resetEditor()
    await router.setServers(catalogue)
    const task = new modules.Task(router, memory())
    t.teardown(async () => {
      task.dispose()
      for (const { name } of catalogue) await router.removeServer(name)
    })
    const selection = await task.start('create an issue for the crash and tell the channel')
    const [whole, named] = [selection.attached.length, selection.directory.length]
    t.true(whole > 0 && named > 0)
    const hub = catalogue.map((server) => ({ ...server, source: 'project', state: 'connected' }))
    await look(t, { task, selection, named, sent: whole + named, hub })
  })

test('where every tool that is sent is named in a line, none of the numbers is 0', (t) => {
  const selection = { ...SELECTION, directory: ['a', 'b'], tokens: { ...SELECTION.tokens, servers: [] } }
  t.is(modules.toolsInWords(selection), '2 of 485 MCP tools, by name')
})

const numbersOf = (text) => [...text.matchAll(/\d[\d,]*/g)].map(([number]) => Number(number.replaceAll(',', '')))

// --- whose numbers ---

const STATUS = {
  isEnabled: true,
  servers: [{ name: 's', state: 'connected', tools: [] }],
  troubles: [],
  scope: { count: 29, tokens: 1_234 },
  selection: null,
  isUsed: false,
  live: undefined,
  status: { state: 'ready' },
  settings: { threshold: 50 },
}
const SELECTION = {
  mode: 'dynamic',
  rule: 'over-threshold',
  scopedCount: 485,
  attached: [],
  directory: [],
  tokens: {
    attached: 7_752,
    mcpLoad: 167,
    directory: 1_000,
    scoped: 93_852,
    saved: 84_933,
    servers: [{ serverName: 's', attachedCount: 30 }],
  },
}

test('before a task numbers are what an agent would pay, of tools that may be used', (t) => {
  const { text, lines } = modules.statusWords(STATUS)
  t.is(text, '$(tools) 29 MCP tools')
  t.true(lines.some((line) => line.includes('would cost **1,234 tokens**')))
  t.false(lines.some((line) => /\bsent\b/.test(line)))
})

test('of a task that no model has been asked with, numbers are what they would be', (t) => {
  const { lines, text } = modules.statusWords({ ...STATUS, selection: SELECTION })
  t.is(text, '$(tools) 30 of 485 MCP tools')
  t.true(lines.some((line) => /would cost 8,919 tokens per request instead of 93,852/.test(line)))
  t.true(lines.some((line) => /No model has been asked yet/.test(line)))
  const used = modules.statusWords({ ...STATUS, selection: SELECTION, isUsed: true })
  t.true(used.lines.some((line) => /tools cost 8,919 tokens/.test(line)))
})

test('the status bar stays when all fit, and when the router is off', (t) => {
  const all = { ...SELECTION, mode: 'all', rule: 'threshold', scopedCount: 30 }
  t.true(modules.statusWords({ ...STATUS, selection: all }).isShown)
  const off = modules.statusWords({ ...STATUS, isEnabled: false })
  t.true(off.isShown)
  t.regex(off.text, /routing off/)
  t.false(modules.statusWords({ ...STATUS, servers: [] }).isShown, 'nobody without servers is bothered')
})
