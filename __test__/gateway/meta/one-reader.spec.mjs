// What models write is read by one reader, and names by one resolver: the gateway's answers are the library's.
import test from 'ava'
import fc from 'fast-check'

import { ToolRouter } from '../../../internal.js'
import { spelledTools } from '../../../packages/gateway/config/tool-spelling.mjs'
import { ServersInScope } from '../../../packages/gateway/catalogue/servers-in-scope.mjs'
import { providerNames } from '../../../packages/gateway/catalogue/naming.mjs'
import { toolSpelt } from '../../../packages/gateway/listing/tool-names.mjs'
import { inProcess } from '../../helpers/eras.mjs'
import { gateway, unique } from '../../helpers/gateway.mjs'
import { rawServer } from '../../helpers/raw-server.mjs'

const router = ToolRouter.shared()
router.configure({ ranker: 'lexical' })

const LOOKED_FOR = ['query', 'q', 'name', 'tool_name', 'toolName', 'need', 'search', 'text', 'task', 'Query']
const LISTED = ['queries', 'query', 'names', 'tool_names', 'tools', 'needs']
const HELD = ['arguments', 'input', 'args', 'parameters', 'params']
const WRITTEN = [
  ...LOOKED_FOR.map((key) => ({ [key]: 'create_issue' })),
  ...LISTED.map((key) => ({ [key]: ['create_issue', 'read_file'] })),
  ...HELD.map((key) => ({ [key]: { query: 'create_issue' } })),
  { query: 'create an issue', top_k: 3 },
  { q: 'create an issue', limit: 3 },
  { query: 'create_issue, read_file' },
  { query: 'create an issue\nread a file' },
  { query: '{"query": "create_issue' },
  { query: '{"query": "create_issue"}' },
  { query: '["create_issue", "read_file"]' },
  { query: '[bug] create an issue' },
  { queries: [{ query: 'create_issue' }, { name: 'read_file' }] },
  { type: 'tool_use', id: 'x', name: 'mcp_load', input: { query: 'create_issue' } },
  { function: { name: 'mcp_load', arguments: '{"query":"create_issue"}' } },
  ['create_issue', 'read_file'],
  'create_issue',
  'create an issue',
  '{"query": "create_issue"}',
  '{"queries": ["create_issue", "read_fi',
  '```json\n{"query": "create_issue"}\n```',
  ...[{}, { query: '' }, { query: ' ' }, { query: 5 }, { query: [] }, { x: 'create_issue' }, [], '{"query":', ''],
]

test('what is written into mcp_load is read by the gateway as by a session', async (t) => {
  const name = unique('desk')
  const { url } = await rawServer(t, () => false, { tools: ['create_issue', 'read_file', 'send_mail', 'list_users'] })
  const opened = await gateway(t, { mcpServers: { [name]: { url } } })
  let found = 0
  for (const written of WRITTEN) {
    const session = router.openSession({ servers: [name], settings: { threshold: 0, initialK: 0 } })
    await session.start('hello')
    const own = (await session.load(written)).loaded.map((tool) => tool.name)
    session.close()
    const client = await inProcess(t, opened)
    const { loaded = [] } = await client.ask('mcp_load', written)
    t.deepEqual(
      loaded.map((tool) => tool.name),
      own,
      JSON.stringify(written),
    )
    found += own.length > 0 ? 1 : 0
  }
  t.is(found, WRITTEN.length - 9)
})

const SERVERS = ['good', 'google', 'google_drive', 'google-drive', 'a.b', 'Files', 'mcp', 'functions', 'x__y']
const TOOLS = 'pay_invoice search drive_search read Read_File readFile a.b google_drive_search c*d'.split(' ')
const BORDERS = ['.', '/', ':', '::', '__', '--', '-', '_', ' ']
const FRONTS = [
  '',
  'mcp--',
  'mcp__',
  'functions.',
  'tool:',
  'mcp__gateway__',
  'mcp--gateway--',
  'functions.mcp__gateway__mcp--',
]

/** Servers with tools of which some are called as another server with its tool, and a spelling. */
const cases = fc.record({
  servers: fc.uniqueArray(fc.constantFrom(...SERVERS), { minLength: 2, maxLength: 4 }),
  tools: fc.array(fc.uniqueArray(fc.constantFrom(...TOOLS), { minLength: 1, maxLength: 4 }), {
    minLength: 4,
    maxLength: 4,
  }),
  posing: fc.array(fc.tuple(fc.nat(), fc.nat(), fc.constantFrom(...BORDERS), fc.nat()), { maxLength: 3 }),
  front: fc.constantFrom(...FRONTS),
  border: fc.constantFrom(...BORDERS),
  said: fc.nat(),
  meant: fc.nat(),
  spell: fc.constantFrom(
    (text) => text,
    (text) => text.toUpperCase(),
    (text) => text.replaceAll('-', '_'),
    (text) => text.replaceAll('_', '-'),
  ),
  isBare: fc.boolean(),
})
const at = (list, place) => list[place % list.length]

// Two, since lists of people are read before a server is set, name by name, and by who has no router: a client's own file.
test.serial(
  'a name means the same tool to a session and to the gateway, and a list that names it switches it off',
  async (t) => {
    t.timeout(240_000)
    let meantByBoth = 0
    const isSame = async ({ servers, tools, posing, front, border, said, meant, spell, isBare }) => {
      const catalogue = new ServersInScope(router, 'server')
      const own = new Map(servers.map((server, place) => [server, [...tools[place]]]))
      for (const [poser, of, between, tool] of posing)
        own.get(at(servers, poser)).push(`${at(servers, of)}${between}${at(own.get(at(servers, of)), tool)}`)
      const entries = [...own].map(([name, names]) => ({
        name,
        tools: [...new Set(names)].map((each) => ({ name: each })),
      }))
      await router.setServers(entries, { replace: true })
      for (const { name } of entries) {
        const names = await providerNames(router, name)
        catalogue.entries.set(name, {
          definition: { name },
          providerNames: names,
          names,
          withheld: new Map(),
          refused: [],
          listText: '',
        })
      }
      const server = at(servers, said)
      const tool = at([...own.get(server), ...own.get(server), ...[...own.values()].flat()], meant)
      const written = spell(isBare ? tool : server + border + tool)
      const name = front + written
      const session = router.openSession({ servers, settings: { threshold: 1_000 } })
      await session.start('hello')
      const { tool: called } = await session.checkCall({ name })
      session.close()
      const found = toolSpelt(catalogue, name)
      const id = found && { serverName: found.serverName, toolName: found.toolName }
      t.deepEqual(id, called, `${name} among ${JSON.stringify(entries)}`)
      meantByBoth += called === undefined ? 0 : 1
      for (const { serverName, toolName } of router.toolsMeant(written, servers)) {
        const listed = [...catalogue.entries.get(serverName).names.keys()]
        t.true(spelledTools(serverName, written, listed).includes(toolName), `${written} of ${serverName}/${toolName}`)
      }
    }
    await fc.assert(fc.asyncProperty(cases, isSame), { numRuns: 400, seed: 7 })
    t.true(meantByBoth > 150, `${meantByBoth}`)
  },
)
