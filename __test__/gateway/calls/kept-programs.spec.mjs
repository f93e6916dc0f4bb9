// Programs that are kept by name: tools of the gateway's own server. One process has one server of the name, so the claims
// run one after the other.
import { writeFileSync } from 'node:fs'
import path from 'node:path'

import test from 'ava'

import { runApprove } from '../../../packages/gateway/cli/approve.mjs'
import { readConfig } from '../../../packages/gateway/config/read.mjs'
import { closePrograms } from '../../../packages/programs/index.mjs'
import { inProcess } from '../../helpers/eras.mjs'
import { folder, gateway, odd, unique, until } from '../../helpers/gateway.mjs'

test.after.always(closePrograms)

const KINDS = { echo: 'read', count_calls: 'read', tell_pid: 'read', print_noise: 'destructive' }
const PARAMETERS = { properties: { values: { type: 'array', items: { type: 'number' } } }, required: ['values'] }

const adding = (name) => `
  const all = await Promise.all(parameters.values.map((value) => tools.${name}.echo({ value })))
  return all.reduce((sum, each) => sum + each.arguments.value, 0)`

/** A gateway with one program over one server, and a client of it. */
async function open(t, { tools = ['echo'], code = adding, entry = {}, settings = {}, ...options } = {}) {
  const name = unique('odd')
  const place = folder(t)
  writeFileSync(path.join(place, 'sum.js'), code(name))
  const config = {
    mcpServers: { [name]: odd({ toolKinds: KINDS, ...entry }) },
    programs: {
      add_up: {
        description: 'Adds numbers up',
        file: path.join(place, 'sum.js'),
        parameters: PARAMETERS,
        tools: tools.map((tool) => `${name}/${tool}`),
      },
    },
    gateway: { approvalDir: path.join(place, 'approved'), ...settings },
  }
  const opened = await gateway(t, config)
  const client = await inProcess(t, opened, options)
  const entryOf = () => opened.catalogue.entries.get('programs')
  const offered = () => [...(entryOf()?.names.keys() ?? [])]
  const use = async (tool, args = {}, by = 'call_tool_read') => {
    const { content, isError = false } = await client.use(by, { name: tool, arguments: args })
    return { text: content[0].text, isError }
  }
  return { name, place, config, opened, client, entryOf, offered, use }
}

const serial = test.serial

serial('a program is a tool: it is found by need, has a signature, and is called with its parameters', async (t) => {
  const { client, offered, use } = await open(t)
  await until(t, () => offered().includes('add_up'), 'the program is there')
  const { loaded } = await client.ask('mcp_load', { query: 'add numbers up' })
  t.deepEqual(loaded[0], {
    name: 'mcp--programs--add_up',
    signature: '{values: number[]} // Adds numbers up',
    call_by: 'call_tool_read',
  })
  t.deepEqual(await use('mcp--programs--add_up', { values: [1, 2, 3] }), { text: '6', isError: false })
  const wrong = await use('programs/add_up', { values: 'x' })
  t.true(wrong.isError)
  t.regex(wrong.text, /values/)
})

serial(
  'a program calls what it declares and nothing else, and is there only while all of that is in scope',
  async (t) => {
    const first = await open(t, {
      code: () => 'return (await tools.search("count the calls")).tools.length > 0',
      tools: [],
    })
    await until(t, () => first.offered().includes('add_up'), 'the program is there')
    t.is((await first.use('programs/add_up', { values: [] })).text, 'true')
    await first.opened.close()
    const second = await open(t, { tools: ['echo'], entry: { disabledTools: ['echo'] } })
    await until(t, () => second.entryOf().downstream.state === 'ready', 'it was asked')
    t.deepEqual(second.offered(), [])
    await second.opened.close()
    const third = await open(t, { tools: ['count_calls'] })
    await until(t, () => third.offered().includes('add_up'), 'the program is there')
    const { text } = await third.use('programs/add_up', { values: [1] })
    t.regex(text, /echo is not among the tools that the program add_up declares/)
  },
)

serial('a program does what the worst of its tools does, and what destroys is asked for inside it too', async (t) => {
  const asked = []
  const answers = {
    'elicitation/create': ({ message }) => {
      asked.push(message)
      return { action: 'accept', content: { allow: true } }
    },
  }
  const { offered, use, name } = await open(t, {
    code: (server) => `await tools.${server}.print_noise({ bytes: 1 }); return 'done'`,
    tools: ['print_noise'],
    capabilities: { elicitation: { form: {} } },
    answers,
  })
  await until(t, () => offered().includes('add_up'), 'the program is there')
  t.regex(
    (await use('programs/add_up', { values: [] })).text,
    /may destroy; call it with call_tool_destructive|not offered/,
  )
  t.deepEqual(asked, [])
  const { text } = await use('programs/add_up', { values: [] }, 'call_tool_destructive')
  t.is(text, 'done')
  t.regex(asked[0], new RegExp(`A program calls ${name}/print_noise`))
})

serial('a program is withheld when a tool that it calls has changed, until somebody approves', async (t) => {
  const { name, client, offered, use, place, entryOf, config } = await open(t, {
    tools: ['echo', 'tell_pid'],
    settings: { changedTools: 'tell' },
  })
  await until(t, () => offered().includes('add_up'), 'the program is there')
  await client.use('call_tool_write', { name: `${name}/reword` })
  await until(t, () => entryOf().withheld.get('add_up') === 'changed', 'it is withheld')
  await until(t, () => offered().length === 0, 'it is offered to nobody')
  const { text, isError } = await use('programs/add_up', { values: [1] })
  t.true(isError)
  t.regex(text, /off until the user runs: npx @zoo-code\/tool-router-gateway approve programs\/add_up/)
  const file = path.join(place, 'mcp.json')
  writeFileSync(file, JSON.stringify(config))
  const lines = []
  t.is(await runApprove({ config: file, all: true }, 'programs/add_up', (line) => lines.push(line)), 0)
  t.is(lines.at(-1), 'approved programs/add_up')
  await until(t, () => offered().includes('add_up'), 'it is back')
  t.is((await use('programs/add_up', { values: [1, 2] })).text, '3')
})

serial('a mistake in a program leaves it out and names the field', (t) => {
  const read = (programs, servers = { a: { command: 'x' } }) => readConfig({ mcpServers: servers, programs })
  const cases = [
    [{ p: { description: 'd' } }, /config\.programs\["p"\]: expected one of file and code/],
    [{ p: { code: 'return 1' } }, /config\.programs\["p"\]\.description: expected text/],
    [
      { p: { description: 'd', code: '1', tools: ['b/x'] } },
      /config\.programs\["p"\]\.tools\[0\]: expected "server\/tool"/,
    ],
    [
      { p: { description: 'd', file: '/nowhere.js' } },
      /config\.programs\["p"\]\.file: expected a file that can be read/,
    ],
    [{ 'p q': { description: 'd', code: '1' } }, /expected a name of letters/],
    [{ p: { description: 'd', code: '1', wishes: 3 } }, /expected only the keys description, file/],
  ]
  for (const [programs, message] of cases) {
    const { leftOut, servers } = read(programs)
    t.regex(leftOut[0].reason, message)
    t.is(leftOut[0].kind, 'program')
    t.false(servers.has('programs'))
  }
  const { leftOut } = read({ p: { description: 'd', code: '1' } }, { programs: { command: 'x' } })
  t.regex(leftOut[0].reason, /no server called programs where there are programs/)
})
