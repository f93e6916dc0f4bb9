// The task of apps/vscode: what its model is offered. What is shown of it, `npm run test:vscode` tries in an editor.

import test from 'ava'

import { router } from '../helpers/router.mjs'
import { loadExtension, manifest, memory, resetEditor } from '../helpers/vscode.mjs'

resetEditor()
const modules = await loadExtension(['task/task.ts', 'task/words.ts', 'views/tool-list.ts'])
const { contributes } = manifest

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

test.serial('where no server has tools, nobody is asked what the task is', async (t) => {
  const { startTask } = await loadExtension('extension.ts')
  const editor = resetEditor()
  editor.answers = ['Show the View']
  await startTask(undefined, { servers: [{ tools: [] }] })
  t.regex(editor.said[0][0], /^No MCP server has tools yet/)
  t.deepEqual(editor.said.slice(1), [['toolRouter.scope.focus']])
})
