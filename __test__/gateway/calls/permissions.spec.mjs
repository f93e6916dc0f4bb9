// Which meta tool calls which tool, what is withheld, and what brings it back.
import test from 'ava'

import { CALLS_BY_KIND } from '../../../packages/gateway/names/meta-tools.mjs'
import { kindOf } from '../../../packages/gateway/names/tool-kind.mjs'
import { run } from '../../helpers/child.mjs'
import * as eras from '../../helpers/eras.mjs'
import { CLI, configFile, folder, gateway, inProcess, odd, realServers, unique, until } from '../../helpers/gateway.mjs'

const READS = { annotations: { readOnlyHint: true } }
for (const [kind, names, ...tools] of [
  [
    'read',
    'get_issue listPullRequests brave_web_search get_workflow_run',
    { name: 'wait_for', ...READS },
    { name: 'summary', ...READS },
  ],
  [
    'write',
    'create_issue status_update get_or_create_label find_and_replace mark_as_read sing archive_list comment_get',
    { name: 'create_summary', ...READS },
    { name: 'send_email', ...READS },
    { name: 'get_page', description: 'Updates the page.', ...READS },
    { name: 'get_report', annotations: { readOnlyHint: false } },
    { name: 'take_screenshot', annotations: { destructiveHint: false } },
  ],
  [
    'destructive',
    'delete_file issue-remove executeSql nuke_database trash_item borrar_registro',
    { name: 'delete_file', ...READS },
    { name: 'remove_label', annotations: { destructiveHint: false } },
    { name: 'update_record', annotations: { destructiveHint: true } },
  ],
])
  for (const tool of [...names.split(' ').map((name) => ({ name })), ...tools])
    test(`${tool.name} ${JSON.stringify(tool.annotations ?? {})} is of the kind ${kind}`, (t) => {
      t.is(kindOf(tool), kind)
    })

for (const [era, connect] of [
  ['older', inProcess],
  ['modern', eras.inProcess],
]) {
  test(`each meta tool calls its own kind and refuses the others, for the ${era} client`, async (t) => {
    const [files, memory] = [unique('filesystem'), unique('memory')]
    const real = realServers(folder(t), ['filesystem', 'memory'])
    const opened = await gateway(t, { mcpServers: { [files]: real.filesystem, [memory]: real.memory } })
    const client = await connect(t, opened)
    const call = (by, name) => client.use(by, { name, arguments: {} })
    const said = async (by, name) => (await call(by, name)).content[0].text
    const [read, destroys] = [`mcp--${memory}--read_graph`, `mcp--${memory}--delete_entities`]
    t.is((await call('call_tool_read', read)).isError, undefined)
    t.regex(
      await said('call_tool_read', destroys),
      /may destroy; call it with call_tool_destructive\. Nothing was called/,
    )
    t.regex(await said('call_tool_write', read), /only reads; call it with call_tool_read/)
    t.regex(
      await said('call_tool_destructive', `mcp--${memory}--create_entities`),
      /writes; call it with call_tool_write/,
    )
    const deleted = await client.use('call_tool_destructive', { name: destroys, arguments: { entityNames: ['x'] } })
    t.is(deleted.isError, undefined)
    const { tools } = await client.listTools()
    const hints = CALLS_BY_KIND.map((name) => tools.find((tool) => tool.name === name).annotations)
    t.deepEqual(hints, [{ readOnlyHint: true }, { destructiveHint: false }, { destructiveHint: true }])
    const { loaded } = await client.ask('mcp_load', { query: `${read}, ${destroys}` })
    t.deepEqual(
      loaded.map(({ call_by: by }) => by),
      ['call_tool_read', 'call_tool_destructive'],
    )
  })
}

test('call_tool is answered though no list shows it, and not where a kind is left out', async (t) => {
  const name = unique('odd')
  const opened = await gateway(t, { mcpServers: { [name]: odd() } })
  const client = await inProcess(t, opened)
  t.false((await client.names()).includes('call_tool'))
  t.is((await client.use('call_tool', { name: `mcp--${name}--tell_pid` })).isError, undefined)
  const other = unique('odd')
  const metaTools = ['mcp_load', 'call_tool_read']
  const reads = await inProcess(t, await gateway(t, { mcpServers: { [other]: odd() }, gateway: { metaTools } }))
  const { content } = await reads.use('call_tool', { name: `mcp--${other}--tell_pid` })
  t.is(content[0].text, 'call_tool is not offered here; there are mcp_load, call_tool_read')
  const wrong = await reads.use('call_tool_read', { name: `mcp--${other}--tell_pid` })
  t.regex(wrong.content[0].text, /writes; call_tool_write is not offered here/)
})

test('with readOnly nothing else can be found, listed or called, and nothing else is offered', async (t) => {
  const name = unique('memory')
  const { memory } = realServers(folder(t), ['memory'])
  const opened = await gateway(t, {
    mcpServers: { [name]: { ...memory, alwaysLoad: true } },
    gateway: { readOnly: true },
  })
  for (const connect of [inProcess, eras.inProcess]) {
    const client = await connect(t, opened)
    const names = await client.names()
    t.true(names.includes('call_tool_read') && names.includes(`mcp--${name}--read_graph`))
    t.false(names.some((each) => /call_tool_(write|destructive)|create_entities|delete_/.test(each)))
    const writes = `mcp--${name}--create_entities`
    const { loaded, unavailable } = await client.ask('mcp_load', { query: writes })
    t.deepEqual(loaded, [])
    t.is(unavailable[0].reason, 'not-read-only')
    for (const by of [writes, 'call_tool_read', 'call_tool'])
      t.true(
        (await client.use(by, by === writes ? { entities: [] } : { name: writes, arguments: { entities: [] } }))
          .isError,
      )
  }
})

test('onlyAllow with no tool that only reads leaves none under readOnly', async (t) => {
  const name = unique('memory')
  const { memory } = realServers(folder(t), ['memory'])
  const opened = await gateway(t, {
    mcpServers: { [name]: { ...memory, onlyAllow: ['create_entities'] } },
    gateway: { readOnly: true },
  })
  t.is(opened.servers[0].scopedCount, 0)
})

for (const [how, connect] of [
  ['in process', (t, opened) => eras.inProcess(t, opened, { mode: 'auto' })],
  ['over HTTP', async (t, opened) => eras.overHttp(t, await opened.listen(), { mode: 'auto' })],
])
  test(`with era legacy a client that speaks both is served as an older one, ${how}`, async (t) => {
    const name = unique('odd')
    const opened = await gateway(t, { mcpServers: { [name]: odd() }, gateway: { era: 'legacy' } })
    const client = await connect(t, opened)
    t.is(client.getProtocolEra(), 'legacy')
    await client.ask('mcp_load', { query: 'tell_pid' })
    t.true((await client.names()).includes(`mcp--${name}--tell_pid`))
  })

// --- tools that change ------------------------------------------------------------------------------

async function withholding(t, more = {}) {
  const name = unique('odd')
  const dir = folder(t)
  const config = { mcpServers: { [name]: odd(more) }, gateway: { changedTools: 'withhold', dir } }
  const file = configFile(t, config)
  const opened = await gateway(t, config)
  const approve = (...args) => run([CLI, 'approve', ...args, '--config', file])
  return { name, opened, config, approve, client: await inProcess(t, opened), tool: `mcp--${name}--tell_pid` }
}

test('a tool that changes is off until it is approved, and the model is told why', async (t) => {
  const { name, opened, approve, client, tool } = await withholding(t)
  await client.ask('mcp_load', { query: 'tell_pid' })
  t.is((await approve()).stdout.trim(), 'No tool waits for an approval.')
  await client.use(`mcp--${name}--reword`)
  await until(t, async () => !(await client.names()).includes(tool), 'it leaves the list')
  t.regex(
    (await client.use(tool)).content[0].text,
    /cannot be called: its definition has changed .* approve odd\d+\/tell_pid/,
  )
  t.is((await client.ask('mcp_load', { query: tool })).unavailable[0].reason, 'changed')
  const shown = await approve(`${name}/tell_pid`)
  t.regex(shown.stdout, new RegExp(`^${name}/tell_pid\\n  description\\n    was: .+\\n    is: .*\\(1\\)`))
  t.is((await approve(`${name}/echo`)).code, 1)
  t.is(opened.catalogue.entries.get(name).withheld.size, 1, 'to look accepts nothing')
  const [, text] = /^ {2}to accept this text: .* approve '?([^' ]+)'?/m.exec(shown.stdout)
  t.regex((await approve(text)).stdout, /^approved /m)
  await until(t, async () => (await client.names()).includes(tool), 'it is back')
  t.is(opened.catalogue.entries.get(name).withheld.size, 0)
})

test('a change is found after a restart too, and what is as it was comes back by itself', async (t) => {
  const { name, opened, config, tool } = await withholding(t)
  await opened.close()
  const again = await gateway(t, config)
  t.is(again.catalogue.entries.get(name).withheld.size, 0)
  const client = await inProcess(t, again)
  await client.use(`mcp--${name}--reword`)
  await until(t, () => again.catalogue.entries.get(name).withheld.size === 1, 'it is withheld')
  await again.close()
  // A new process of the server says again what it said first.
  const last = await gateway(t, config)
  t.is(last.catalogue.entries.get(name).withheld.size, 0)
  const other = await inProcess(t, last)
  t.is((await other.use(tool)).isError, undefined)
})
