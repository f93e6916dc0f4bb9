// It starts with one selector tool, and registers the tools of the mode that suits the task. The claims of the third design.
import test from 'ava'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'

import {
  folder,
  gateway,
  inProcess,
  META_COUNT,
  odd,
  overHttp,
  overStdio,
  realServers,
  unique,
  until,
} from '../../helpers/gateway.mjs'

const REAL = ['filesystem', 'memory', 'everything', 'sequential-thinking', 'github', 'slack', 'airtable', 'notion']
const tokens = (tools) => countTokens(JSON.stringify(tools))

/** Modes as the design has them, over real servers. */
const MODES = {
  notes: {
    description: 'Remember facts and look them up later',
    examples: ['keep in mind that Ada likes tea'],
    servers: ['memory'],
  },
  files: { description: 'Read, write, move and search files and folders', servers: ['filesystem'] },
  issues: {
    description: 'Bugs, issues and pull requests of a repository',
    examples: ['file a bug report'],
    tools: ['github/create_issue', 'github/list_issues'],
  },
  chat: { description: 'Post and read messages of a team', servers: ['slack'] },
}

let opened
let client
const teardown = []
const held = { teardown: (done) => teardown.push(done) }

test.before(async (t) => {
  t.timeout(240_000)
  opened = await gateway(held, { mcpServers: realServers(folder(held), REAL), modes: MODES })
  t.deepEqual(
    opened.servers.filter(({ state }) => state !== 'ready'),
    [],
  )
})
test.beforeEach(async () => {
  client = await inProcess(held, opened)
})
test.afterEach.always(() => client?.close())
test.after.always(async () => {
  for (const done of teardown.toReversed()) await done()
})

test.serial('initialize declares that the list of tools changes', (t) => {
  t.true(client.getServerCapabilities().tools.listChanged)
})

test.serial('it can start with the one selector tool, at about 200 tokens', async (t) => {
  const name = unique('odd')
  const lean = await gateway(t, { mcpServers: { [name]: odd() }, gateway: { metaTools: ['select_mode'] } })
  const { tools } = await (await inProcess(t, lean)).listTools()
  t.deepEqual(
    tools.map((tool) => tool.name),
    ['select_mode'],
  )
  t.true(tokens(tools) <= 200, `${tokens(tools)} tokens`)
  t.deepEqual(Object.keys(tools[0].inputSchema.properties), ['task_description', 'confidence_level', 'context_files'])
  t.deepEqual(tools[0].inputSchema.required, ['task_description'])
  t.deepEqual(tools[0].inputSchema.properties.confidence_level.enum, ['exploring', 'low', 'medium', 'high'])
})

test.serial(
  'the first list stays under 2,000 tokens whatever stands behind it, and 90 % under static loading',
  async (t) => {
    const { tools } = await client.listTools()
    const listed = [...opened.catalogue.entries.values()].flatMap((entry) => [...entry.tools.values()])
    t.true(listed.length > 100, `${listed.length} tools`)
    t.true(tokens(tools) < 2_000, `${tokens(tools)} tokens`)
    t.true(tokens(tools) <= 0.1 * tokens(listed), `${tokens(tools)} of ${tokens(listed)} tokens`)
  },
)

test.serial('after a mode is selected the list is still 90 % under static loading', async (t) => {
  await client.ask('select_mode', { task_description: 'file a bug report for the broken login page' })
  const { tools } = await client.listTools()
  const listed = [...opened.catalogue.entries.values()].flatMap((entry) => [...entry.tools.values()])
  t.true(tokens(tools) <= 0.1 * tokens(listed), `${tokens(tools)} of ${tokens(listed)} tokens`)
})

const TASKS = [
  ['Remember that the deployment is on Fridays', 'notes', 'mcp--memory--add_observations'],
  ['Move the drafts into another folder', 'files', 'mcp--filesystem--move_file'],
  ['Report the bug of the login page in the repository', 'issues', 'mcp--github--create_issue'],
  ['Tell the team in a message that we are done', 'chat', 'mcp--slack--slack_post_message'],
]
for (const [task, mode, tool] of TASKS) {
  test.serial(`a described task selects its mode and registers its tools: "${task}"`, async (t) => {
    const answer = await client.ask('select_mode', { task_description: task, confidence_level: 'medium' })
    t.is(answer.selected_mode, mode)
    t.true(answer.reasoning.includes(mode))
    t.true(answer.next_step.includes('mcp--'))
    const names = await client.names()
    t.true(names.includes(tool), names.join(', '))
    // What a call takes is named, as the design's answer does.
    t.true(Array.isArray(answer.tools[0].parameters))
    for (const each of answer.tools) t.true(names.includes(each.name))
  })
}

test.serial('the flow of the design: list, select, be told, list again, execute', async (t) => {
  const before = await client.names()
  t.is(client.changes, 0)
  await client.ask('select_mode', { task_description: 'Remember facts about people', confidence_level: 'high' })
  t.is(client.changes, 1)
  const after = await client.names()
  t.deepEqual(after.slice(0, before.length), before)
  const entity = { name: 'Ada', entityType: 'person', observations: ['likes tea'] }
  await client.use('mcp--memory--create_entities', { entities: [entity] })
  const { content } = await client.use('mcp--memory--read_graph')
  t.regex(content[0].text, /Ada/)
})

test.serial('what a mode has by name is there whatever the task says about it', async (t) => {
  await client.ask('select_mode', { task_description: 'pull requests and bugs', confidence_level: 'high' })
  const names = await client.names()
  t.deepEqual(names.slice(META_COUNT), ['mcp--github--create_issue', 'mcp--github--list_issues'])
})

test.serial('less confidence gives a wider set, and a set holds 10 to 30 tools', async (t) => {
  const counts = []
  const bare = unique('odd')
  const wide = await gateway(t, { mcpServers: { [bare]: odd() } })
  for (const confidence_level of ['exploring', 'low', 'medium', 'high']) {
    const fresh = await inProcess(t, wide)
    const { tools } = await fresh.ask('select_mode', { task_description: 'counts the calls so far', confidence_level })
    counts.push(tools.length)
  }
  t.deepEqual(counts, [22, 20, 15, 10])
})

test.serial('context files say something of the task, and are never opened', async (t) => {
  const file = '/does/not/exist/pull-request-bug.md'
  const { selected_mode: mode } = await client.ask('select_mode', {
    task_description: 'work on this',
    context_files: [file],
  })
  t.is(mode, 'issues')
})

test.serial('without modes the servers that suit are the mode, the best one first', async (t) => {
  const [one, two] = [unique('odd'), unique('late')]
  const { late } = await import('../../helpers/gateway.mjs')
  const bare = await gateway(t, { mcpServers: { [one]: odd(), [two]: late() } })
  const fresh = await inProcess(t, bare)
  const answer = await fresh.ask('select_mode', { task_description: 'take the weather forecast away' })
  t.is(answer.selected_mode.split(' + ')[0], two)
  t.true((await fresh.names()).includes(`mcp--${two}--shrink`))
})

test.serial('every tool of every server can be reached: nothing is lost against static loading', async (t) => {
  const unreachable = []
  for (const { names } of opened.catalogue.entries.values()) {
    for (const name of names.values()) {
      const { loaded, alreadyAttached, unavailable } = await client.ask('mcp_load', { query: name })
      const found = [...loaded.map((tool) => tool.name), ...alreadyAttached].includes(name)
      const full = unavailable.some((tool) => tool.reason === 'over-limit')
      if (!found && !full) unreachable.push(name)
      if (full) await client.ask('manage_modules', { action: 'unload', module: 'everything' })
    }
  }
  t.deepEqual(unreachable, [])
})

test.serial('a tool that only runs as a task can be called by a client that knows of none', async (t) => {
  const { content, isError } = await client.use('mcp--everything--simulate-research-query', { topic: 'tea' })
  t.falsy(isError)
  t.regex(content[0].text, /Research Report: tea/)
})

test.serial('registration succeeds in at least 99.9 % of 1,000 loads and unloads, and each is told', async (t) => {
  let [failures, changes] = [0, 0]
  for (let round = 0; round < 500; round++) {
    for (const action of ['load', 'unload']) {
      await client.ask('manage_modules', { action, module: 'memory' })
      const shown = (await client.names()).some((name) => name.startsWith('mcp--memory--'))
      if (shown !== (action === 'load')) failures += 1
      changes += 1
    }
  }
  t.true(failures <= 1, `${failures} of 1,000 failed`)
  t.is(client.changes, changes)
})

test.serial('sessions are apart: the mode of one client is not that of another', async (t) => {
  const other = await inProcess(t, opened)
  await client.ask('select_mode', { task_description: 'Remember facts' })
  t.is((await other.names()).length, META_COUNT)
  t.is(other.changes, 0)
  await other.ask('select_mode', { task_description: 'Move files' })
  const [ofOne, ofOther] = [await client.names(), await other.names()]
  t.true(ofOne.slice(META_COUNT).every((name) => name.startsWith('mcp--memory--')))
  t.true(ofOther.slice(META_COUNT).every((name) => name.startsWith('mcp--filesystem--')))
})

test.serial('it works with the official client over stdio and over HTTP, as in process', async (t) => {
  const config = { mcpServers: realServers(folder(t), ['memory', 'everything']) }
  const overPipes = await overStdio(t, config)
  const endpoint = await opened.listen()
  const overNetwork = await overHttp(t, endpoint)
  for (const each of [overPipes, overNetwork]) {
    await each.ask('select_mode', { task_description: 'Remember facts about people' })
    await until(t, () => each.changes === 1, 'it is told')
    t.true((await each.names()).includes('mcp--memory--add_observations'))
    t.falsy((await each.use('mcp--memory--read_graph')).isError)
  }
  await endpoint.close()
})
