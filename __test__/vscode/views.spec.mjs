// What apps/vscode shows: boxes say what is so, rows can be heard, what is wrong is said where one looks, and
// numbers say whose they are.

import fs from 'node:fs'
import path from 'node:path'

import test from 'ava'

import { ToolRouter } from '../../index.js'
import { extensionFolder, loadExtension, manifest, memory, resetEditor } from '../helpers/vscode.mjs'
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
  'views/troubles.ts',
  'views/try-it.ts',
  'views/usage.ts',
  'views/usage-html.ts',
  'views/words.ts',
])
const router = ToolRouter.shared()
const treeOf = () => treeWith(modules, router)
test.afterEach.always(() => router.removeServer('files'))
const { contributes } = manifest

test('what a row can do is in its menu, by a key, and in the palette for the chosen row', (t) => {
  const menu = contributes.menus['view/item/context'].filter(({ group }) => !group.startsWith('inline'))
  const inMenu = new Set(menu.map(({ command }) => command.replace('toolRouter.', '')))
  for (const name of ['toggle', 'override', 'compare', 'pin', 'unpin', 'unload', 'onlyThis', 'open'])
    t.true(inMenu.has(name), name)
  for (const name of [
    'allOn',
    'allOff',
    'restart',
    'openEntry',
    'forgetInputs',
    'provideInput',
    'allowServer',
    'showLog',
  ])
    t.true(inMenu.has(name), name)
  t.deepEqual(
    contributes.keybindings.map(({ key }) => key),
    ['space', 'enter'],
  )
  const hidden = contributes.menus.commandPalette.filter(({ when }) => when === 'false').map(({ command }) => command)
  t.deepEqual(hidden, ['toolRouter.toggle', 'toolRouter.open'])
})

test('the thing has one name, an icon, and a first steps page whose files exist', (t) => {
  const names = [
    manifest.displayName,
    contributes.configuration.title,
    contributes.viewsContainers.activitybar[0].title,
    ...contributes.commands.map(({ category }) => category),
    ...contributes.mcpServerDefinitionProviders.map(({ label }) => label),
    ...contributes.walkthroughs.map(({ title }) => title),
  ]
  t.deepEqual([...new Set(names)], ['MCP Tool Router'])
  const files = [
    manifest.icon,
    ...contributes.walkthroughs.flatMap(({ steps }) => steps.map(({ media }) => media.markdown)),
  ]
  for (const file of files) t.true(fs.existsSync(path.join(extensionFolder, file)), file)
})

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
  router.configure({ threshold: 3, initialK: 4 })
  t.teardown(() => router.configure({}))
  await router.setServers([many('one', 'send_message'), many('two', 'send_message')])
  const task = new modules.Task(router, memory())
  const { attached } = await task.start('send a message with number 3 to the team of the project')
  t.is(attached.length, 4)
  const has = (server) => (name) => name.startsWith(`mcp--${server}--`)
  const lost = ['one', 'two'].find((server) => attached.filter(has(server)).length >= 3) ?? 'one'
  await router.removeServer(lost)
  await task.sync()
  t.true(modules.attachedCount(task.selection) > attached.filter((name) => !has(lost)(name)).length)
  task.dispose()
  for (const name of ['one', 'two']) await router.removeServer(name)
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
  router.configure({ threshold: 3, initialK: 7 })
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

test.serial('a misspelt mode says the same in the hover, the panel, the list and Try it', async (t) => {
  const { server, editor, task, tree } = await treeOf()
  editor.user['toolRouter.modes'] = { docs: { allowedMcpServers: ['files'] } }
  editor.user['toolRouter.mode'] = 'dosc'
  const said = /^No server is used: toolRouter\.mode: expected a name of toolRouter\.modes \(docs\), got "dosc"\.$/
  modules.apply(router)
  t.teardown(() => router.configure({}))
  t.regex(modules.modeProblem(), said)
  const selection = { ...SELECTION, mode: 'all', rule: 'threshold', scopedCount: 0, attached: [], turn: 1 }
  const numbers = await modules.usage(
    router,
    { ...selection, tokens: { ...SELECTION.tokens, servers: [] } },
    [server],
    false,
  )
  t.regex(numbers.rule, said)
  t.notRegex(modules.usageHtml(numbers, '', ''), /No server has tools|threshold/)
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
  tokens: {
    attached: 7_752,
    mcpLoad: 167,
    scoped: 93_852,
    saved: 85_933,
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
  t.true(lines.some((line) => /would cost 7,919 tokens per request instead of 93,852/.test(line)))
  t.true(lines.some((line) => /No model has been asked yet/.test(line)))
  const used = modules.statusWords({ ...STATUS, selection: SELECTION, isUsed: true })
  t.true(used.lines.some((line) => /tools cost 7,919 tokens/.test(line)))
})

test('while a gateway runs the status bar says what its agent has', (t) => {
  const live = { pid: 1, listed: 9, attached: 2, scoped: 4, tokens: 900 }
  const { text, lines } = modules.statusWords({ ...STATUS, live })
  t.is(text, '$(tools) 2 of 4 MCP tools')
  t.true(
    lines.some((line) =>
      /has 2 of 4 tools, and 7 of the gateway itself.*\*\*900 tokens\*\* in each request/.test(line),
    ),
  )
})

test('the hover begins with the numbers, and names three of many servers that failed', (t) => {
  const servers = Array.from({ length: 7 }, (_, at) => ({ name: `s${at}`, state: 'failed', reason: 'r', tools: [] }))
  const { lines } = modules.statusWords({ ...STATUS, servers })
  t.regex(lines[0], /1,234 tokens/)
  t.is(lines.filter((line) => line.includes('circle-slash')).length, 3)
  t.regex(lines.at(-1), /4 more/)
})

test('the status bar stays when all fit, and when the router is off', (t) => {
  const all = { ...SELECTION, mode: 'all', rule: 'threshold', scopedCount: 30 }
  t.true(modules.statusWords({ ...STATUS, selection: all }).isShown)
  const off = modules.statusWords({ ...STATUS, isEnabled: false })
  t.true(off.isShown)
  t.regex(off.text, /routing off/)
  t.false(modules.statusWords({ ...STATUS, servers: [] }).isShown, 'nobody without servers is bothered')
})

test.serial('the panel says what would be sent until a model has been asked, in one order', async (t) => {
  const { server } = await treeOf()
  const selection = {
    ...SELECTION,
    tokens: {
      ...SELECTION.tokens,
      servers: [
        { serverName: 'small', attachedCount: 1, attached: 1, scoped: 2 },
        { serverName: 'files', attachedCount: 2, attached: 5, scoped: 90 },
      ],
    },
  }
  const { label, rows } = await modules.usage(router, selection, [server], false)
  t.is(label, 'Would be sent')
  t.deepEqual(
    rows.map(({ name, tools }) => [name, tools]),
    [
      ['mcp_load', '1 of 1'],
      ['files', '2 of 3'],
      ['small', '1 of 1'],
    ],
  )
  t.is((await modules.usage(router, selection, [server], true)).label, 'Sent now')
  const empty = modules.usageHtml(
    { title: '', rule: '', label: '', window: 1, rows: [], now: 0, before: 0, none: 'None.', own: 27 },
    '',
    '',
  )
  t.regex(empty, /<p>None\.<\/p>/)
  t.regex(empty, /Not counted: 27 tools of the editor itself/)
  t.notRegex(empty, /<svg|<table/)
})

test.serial(
  'rows of the panel have the order that was asked for, and those of which nothing is sent stand apart',
  async (t) => {
    const servers = [
      { serverName: 'b', attachedCount: 1, attached: 5, scoped: 9 },
      { serverName: 'c', attachedCount: 0, attached: 0, scoped: 90 },
      { serverName: 'a', attachedCount: 2, attached: 7, scoped: 8 },
    ]
    const selection = { ...SELECTION, tokens: { ...SELECTION.tokens, mcpLoad: 6, servers } }
    const ordered = async (order) => {
      const usage = await modules.usage(router, selection, [], false, 0, order)
      return [usage.rows.map(({ name }) => name).join(), modules.usageHtml(usage, '', '')]
    }
    t.is((await ordered())[0], 'c,a,b,mcp_load')
    t.is((await ordered('now'))[0], 'a,mcp_load,b,c')
    const [names, html] = await ordered('name')
    t.is(names, 'a,b,c,mcp_load')
    const [sent, rest] = html.split('<details>')
    t.regex(rest, /<summary>1 server of which nothing is sent<\/summary>/)
    t.true(rest.includes('>c</th>') && !rest.includes('>a</th>') && !sent.includes('"row">c</th>'))
    t.regex(sent, /<th scope="col" aria-sort="ascending"><a href="command:toolRouter\.sortUsage\?%5B%22name%22%5D"/)
    t.is(html.match(/data-total="now"/g).length, 1, 'one sum of both')
  },
)

test('reasons are words', (t) => {
  const none = { lexicalShare: -1, semanticShare: -1, boost: 0 }
  t.is(
    modules.why({ ...none, lexicalShare: 0.88, semanticShare: 2.67, similarity: 0.63 }),
    'by its words, by its meaning',
  )
  t.is(modules.why({ ...none, boost: 1 }), 'named or used before')
  t.is(modules.why(none), 'hardly')
})
