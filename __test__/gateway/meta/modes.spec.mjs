// select_mode: tasks of several servers, the default of modes, what a mode fixes and hides, short definitions.
import { readFileSync } from 'node:fs'

import test from 'ava'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'

import { shapedTool, withFixed } from '../../../packages/gateway/listing/shaped-tool.mjs'
import { readConfig } from '../../../packages/gateway/config/read.mjs'
import { createGateway } from '../../../packages/gateway/gateway/index.mjs'
import { inProcess as modernInProcess } from '../../helpers/eras.mjs'
import { folder, gateway, inProcess, late, odd, realServers, unique } from '../../helpers/gateway.mjs'

const EXAMPLE = JSON.parse(readFileSync(new URL('../../../examples/gateway/modes.json', import.meta.url), 'utf8'))
const select = (client, task_description, more) => client.ask('select_mode', { task_description, ...more })
const listed = async (client, name) => (await client.listTools()).tools.find((tool) => tool.name === name)

test.serial('without modes a task of two servers gets the tools of both', async (t) => {
  const servers = realServers(folder(t), ['github', 'slack', 'memory', 'filesystem'])
  const opened = await gateway(t, { mcpServers: servers })
  const client = await inProcess(t, opened)
  const answer = await select(client, 'Merge the pull request and tell the team in a Slack message')
  t.deepEqual(answer.selected_mode.split(' + ').toSorted(), ['github', 'slack'])
  const names = await client.names()
  for (const name of ['mcp--github--merge_pull_request', 'mcp--slack--slack_post_message'])
    t.true(names.includes(name), names.join())
  t.true(answer.tools.length <= 15)
  const tokens = countTokens(JSON.stringify((await client.listTools()).tools))
  t.true(tokens < 2_200, `${tokens} tokens`)
})

test.serial('a named group that holds the best tool comes whole', async (t) => {
  const modules = { look: { description: 'Look', tools: ['filesystem/move_file', 'memory/read_graph'] } }
  const opened = await gateway(t, { mcpServers: realServers(folder(t), ['memory', 'filesystem']), modules })
  const client = await inProcess(t, opened)
  const { tools } = await select(client, 'move_file: move the drafts', { confidence_level: 'high' })
  t.deepEqual(
    tools.slice(0, 2).map(({ name }) => name),
    ['mcp--filesystem--move_file', 'mcp--memory--read_graph'],
  )
})

const NOTHING = 'qqqq zzzz'
for (const [what, given, selected] of [
  ['a name', 'second', 'second'],
  ['nothing, when no tool fits either: none', undefined, null],
  ['null: the servers that suit', null, null],
]) {
  test(`a task that no mode matches is served by modes.default, ${what}`, async (t) => {
    const name = unique('late')
    const mode = (description) => ({ description, servers: [name] })
    const modes = { first: mode('apples'), second: mode('pears'), ...(given !== undefined && { default: given }) }
    const opened = await gateway(t, { mcpServers: { [name]: late() }, modes })
    t.deepEqual(opened.config.leftOut, [])
    t.is((await select(await inProcess(t, opened), NOTHING)).selected_mode, selected)
  })
}

test('a default that is no mode is left out and named, and a mode may be called default', (t) => {
  const config = (modes) => readConfig({ mcpServers: { s: { command: 'x' } }, modes })
  const { leftOut, defaultMode } = config({ a: { description: 'x' }, default: 'b' })
  t.like(leftOut[0], { kind: 'mode', name: 'default' })
  t.regex(leftOut[0].reason, /config\.modes\.default: expected the name of a mode, or null for none/)
  t.is(defaultMode, undefined)
  t.true(config({ default: { description: 'x' } }).modes.has('default'))
})

test('a mode that fixes a number which JavaScript would change is left out, and says why', (t) => {
  const fixed = { fixed: { row: { id: JSON.parse('725653563933458432') } } }
  const modes = { say: { description: 'x', tools: ['s/echo'], parameters: { 's/echo': fixed } } }
  const { leftOut } = readConfig({ mcpServers: { s: { command: 'x' } }, modes })
  t.regex(leftOut[0].reason, /fixed: expected whole numbers of at most 9007199254740991, got .*larger one in .*id/)
})

const parametersOf = (name) => ({ [`${name}/echo`]: { fixed: { message: 'fixed' }, hidden: ['extra'] } })

test('an older client sees a tool without what its mode fixes, and calls it with that', async (t) => {
  const name = unique('odd')
  const modes = { say: { description: 'say', tools: [`${name}/echo`], parameters: parametersOf(name) } }
  const opened = await gateway(t, { mcpServers: { [name]: odd() }, modes })
  const client = await inProcess(t, opened)
  await select(client, 'say')
  const tool = await listed(client, `mcp--${name}--echo`)
  t.false('message' in (tool.inputSchema.properties ?? {}))
  for (const use of [
    () => client.use(`mcp--${name}--echo`, { message: 'mine', extra: 1, value: 2 }),
    () => client.use('call_tool', { name: `mcp--${name}--echo`, arguments: { message: 'mine', extra: 1, value: 2 } }),
  ])
    t.deepEqual(JSON.parse((await use()).content[0].text), { value: 2, message: 'fixed' })
  const other = await inProcess(t, opened)
  const { content } = await other.use('call_tool', {
    name: `mcp--${name}--echo`,
    arguments: { message: 'mine', value: 2 },
  })
  t.deepEqual(JSON.parse(content[0].text), { message: 'mine', value: 2 }, 'not of this client')
})

test('a modern client says the mode in its call, since nothing is kept of it', async (t) => {
  const name = unique('odd')
  const modes = { say: { description: 'say', tools: [`${name}/echo`], parameters: parametersOf(name) } }
  const opened = await gateway(t, { mcpServers: { [name]: odd() }, modes })
  const client = await modernInProcess(t, opened)
  const answer = await client.ask('select_mode', { task_description: 'say' })
  t.regex(answer.next_step, /with mode: "say"/)
  const call = { name: `mcp--${name}--echo`, arguments: { message: 'mine', value: 2 } }
  const said = (more) => client.said('call_tool', { ...call, ...more })
  t.deepEqual(JSON.parse(await said({ mode: 'say' })), { message: 'fixed', value: 2 })
  t.deepEqual(JSON.parse(await said()), { message: 'mine', value: 2 })
  t.regex(await said({ mode: 'sing' }), /call_tool\.mode: expected a mode that select_mode answered/)
})

test('what a mode fixes and hides goes out of the schema, except what the server requires', (t) => {
  const inputSchema = {
    type: 'object',
    properties: { a: {}, b: {}, c: {}, ['__proto__']: {} },
    required: ['a', 'b'],
  }
  const parameters = { fixed: new Map([['a', 1]]), hidden: new Set(['b', 'c']) }
  const shaped = shapedTool({ name: 't', inputSchema }, { compact: false, parameters })
  t.deepEqual([Object.keys(shaped.inputSchema.properties), shaped.inputSchema.required], [['b', '__proto__'], ['b']])
  const args = withFixed(JSON.parse('{"a":5,"c":6,"d":7,"__proto__":8}'), parameters)
  t.is(JSON.stringify(args), '{"a":1,"d":7,"__proto__":8}')
  t.is(withFixed(undefined, undefined), undefined)
})

test('a compact definition has one sentence, and a schema that accepts what the whole one does', (t) => {
  const inputSchema = {
    title: 'aArguments',
    type: 'object',
    properties: { e: { title: 'E', enum: ['x', 'y'] } },
    required: [],
  }
  const tool = { name: 'a', description: 'The first sentence. Two.', annotations: {}, inputSchema }
  t.deepEqual(shapedTool(tool, { compact: true }), {
    name: 'a',
    description: 'The first sentence.',
    inputSchema: { type: 'object', properties: { e: { enum: ['x', 'y'] } } },
  })
})

/** A task for each mode of the example, in other words than its own. */
const TASKS = {
  debug: 'Why does the upload fail with an error after the update? Find the bug',
  codereview: 'Please review pull request 12 and comment on it',
  analyze: 'Help me understand the architecture of this repository',
  consensus: 'Compare both options for the queue and help us decide',
  planner: 'Make a plan for moving to the new build, in steps',
  testgen: 'Write tests for the date helpers, edge cases too',
  refactor: 'Clean up and simplify this module',
  secaudit: 'Check the login for security vulnerabilities',
  tracer: 'Trace which functions call saveUser',
  docgen: 'Write documentation for the settings',
  chat: 'Hello there!',
  thinkdeep: 'Think carefully about this hard problem, step by step',
  precommit: 'Check my changes before I commit them',
  research: 'Search the web for documentation of this library',
  browse: 'Fill in the form on the page and click the button',
  remember: 'Remember that the customer prefers mail',
}

test('the sixteen modes of the example can be read, and each is selected for a task of its kind', async (t) => {
  const { modes, leftOut } = readConfig(EXAMPLE, { env: {} })
  t.deepEqual([modes.size, leftOut], [16, []])
  t.deepEqual([...modes.keys()].toSorted(), Object.keys(TASKS).toSorted())
  const off = Object.fromEntries(Object.keys(EXAMPLE.mcpServers).map((name) => [name, { disabled: true }]))
  const opened = await gateway(t, { ...EXAMPLE, mcpServers: off })
  const client = await inProcess(t, opened)
  for (const [mode, task] of Object.entries(TASKS)) t.is((await select(client, task)).selected_mode, mode, task)
})

test.serial(
  'the tools that the example names exist, and after one select_mode the list stays under 2,000 tokens',
  async (t) => {
    t.timeout(240_000)
    const servers = realServers(folder(t), Object.keys(EXAMPLE.mcpServers))
    const opened = await gateway(t, { ...EXAMPLE, mcpServers: servers })
    for (const [name, { tools, parameters }] of opened.config.modes) {
      for (const tool of tools) t.truthy(opened.catalogue.tool(tool), `${name}: ${tool.serverName}/${tool.toolName}`)
      for (const [key, { fixed, hidden }] of parameters) {
        const [serverName, toolName] = key.split('/')
        const { properties } = opened.catalogue.entries.get(serverName).tools.get(toolName).inputSchema
        for (const parameter of [...fixed.keys(), ...hidden]) t.true(parameter in properties, `${key}: ${parameter}`)
      }
    }
    const sizes = []
    for (const task of Object.values(TASKS)) {
      const client = await inProcess(t, opened)
      t.true((await select(client, task)).tools.length > 0, task)
      sizes.push(countTokens(JSON.stringify((await client.listTools()).tools)))
    }
    t.true(sizes.toSorted((a, b) => a - b)[8] < 2_000, sizes.join())
  },
)

// --- modes that come with the package -----------------------------------------------------------------

const CODING = JSON.parse(
  readFileSync(new URL('../../../packages/gateway/config/modes/coding.json', import.meta.url), 'utf8'),
)

test('modes that come with the package name no server and no tool, and each says what it needs', (t) => {
  const { default: otherwise, ...modes } = CODING
  t.is(otherwise, null)
  t.is(Object.keys(modes).length, 16)
  for (const [name, mode] of Object.entries(modes)) {
    t.deepEqual(Object.keys(mode), ['description', 'examples', 'needs'], name)
    t.true(mode.needs.length > 0)
  }
})

test('a mode of the configuration replaces the one of its name, and another set is refused', (t) => {
  const config = { mcpServers: { s: { command: 'x' } }, modes: { debug: { description: 'mine', servers: ['s'] } } }
  const { modes, leftOut, defaultMode } = readConfig(config, { modes: 'coding' })
  t.deepEqual([modes.size, modes.get('debug').description, defaultMode], [16, 'mine', null])
  t.deepEqual(leftOut, [])
  t.throws(() => readConfig(config, { modes: 'cooking' }), { message: /modes: expected one of coding, got "cooking"/ })
})

test.serial('they are bound to the tools that the servers offer, whatever these are called', async (t) => {
  const real = realServers(folder(t), ['filesystem', 'github', 'playwright', 'memory'])
  const names = Object.fromEntries(Object.keys(real).map((name) => [name, unique('server')]))
  const mcpServers = Object.fromEntries(Object.entries(real).map(([name, entry]) => [names[name], entry]))
  const opened = await createGateway({ config: { mcpServers }, modes: 'coding' }, { listDir: undefined })
  t.teardown(() => opened.close())
  await opened.ready()
  const client = await inProcess(t, opened)
  const { selected_mode: mode, tools } = await select(client, 'Look over my pull request and say what should change')
  t.is(mode, 'codereview')
  const found = tools.map(({ name }) => name)
  for (const tool of ['get_pull_request_files', 'create_pull_request_review'])
    t.true(found.includes(`mcp--${names.github}--${tool}`), found.join())
})

test.serial('where no server offers what a mode needs it is not selected', async (t) => {
  const name = unique('memory')
  const { memory } = realServers(folder(t), ['memory'])
  const config = { mcpServers: { [name]: memory } }
  const opened = await createGateway({ config, modes: 'coding' }, { listDir: undefined })
  t.teardown(() => opened.close())
  await opened.ready()
  const client = await inProcess(t, opened)
  const { selected_mode: browse } = await select(client, 'Take a screenshot of the page')
  t.not(browse, 'browse')
  const { selected_mode: remember } = await select(client, 'Keep in mind that Ada likes tea')
  t.is(remember, 'remember')
})
