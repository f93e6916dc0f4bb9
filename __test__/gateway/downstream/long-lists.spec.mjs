import test from 'ava'

import { readPages } from '../../../packages/gateway/downstream/lists.mjs'
import { gateway, inProcess, unique } from '../../helpers/gateway.mjs'
import { before } from '../../helpers/odd-gateway.mjs'
import { rawServer } from '../../helpers/raw-server.mjs'

const toolAt = (at, count) => ({
  name: `tool_${at}`,
  description: at === count - 1 ? 'Weigh an elephant' : `Number ${at}`,
  inputSchema: { type: 'object' },
})

/** A gateway before a server with so many tools, so many on a page; `next` gives the cursor behind a page. */
async function listing(t, count, page, next = (at) => (at < count ? String(at) : undefined)) {
  const raw = await rawServer(t, (message, { json }) => {
    if (message?.method !== 'tools/list') return false
    const from = Number(message.params?.cursor ?? 0)
    const tools = Array.from({ length: Math.max(0, Math.min(page, count - from)) }, (_, at) => toolAt(from + at, count))
    return json({ jsonrpc: '2.0', id: message.id, result: { tools, nextCursor: next(from + page) } })
  })
  return before(t, { url: raw.url })
}

for (const [count, page] of [
  [1_200, 10],
  [2_001, 20],
  [700, 5],
  [150, 1],
  [101, 1],
])
  test(`${count} tools, ${page} on a page, are all there`, async (t) => {
    const made = await listing(t, count, page)
    t.is(made.opened.servers[0].toolCount, count)
    const { loaded } = await made.client.ask('mcp_load', { query: 'weigh an elephant' })
    t.is(loaded[0].name, `mcp--${made.name}--tool_${count - 1}`)
    t.false(made.lines.some((line) => /is cut/.test(line)))
  })

test('a list that is longer than the bound is cut, and log, manage_modules and answers say so', async (t) => {
  const made = await listing(t, 5_400, 900)
  t.is(made.opened.servers[0].toolCount, 5_000)
  t.true(
    made.lines.includes(`server ${made.name}: its list of tools is cut at 5000 entries; what is behind is not known`),
  )
  const { modules } = await made.client.ask('manage_modules', { action: 'list' })
  t.regex(modules.find(({ module }) => module === made.name).list_cut, /at 5000 entries/)
  const { nothingFits } = await made.client.ask('mcp_load', { query: 'transpose a symphony for oboe' })
  if (nothingFits) t.regex(nothingFits.message, new RegExp(`too long to read whole.*${made.name}`))
})

for (const [what, next] of [
  ['stands still', () => 'same'],
  ['goes in a circle', (at) => ['a', 'b', 'c'][at % 3]],
])
  test(`a cursor that ${what} ends the list`, async (t) => {
    const seen = []
    const client = {
      request: async ({ params }) => {
        seen.push(params.cursor)
        return { tools: [{ name: `t${seen.length}` }], nextCursor: next(seen.length) }
      },
    }
    const { entries, cut } = await readPages(client, 'tools/list', 'tools')
    t.true(entries.length <= 4)
    t.is(cut, undefined)
  })

test('pages with nothing on them are not followed without end, nor lists without end of large entries', async (t) => {
  let count = 0
  const next = () => {
    count += 1
    return String(count)
  }
  const empty = { request: async () => ({ tools: [], nextCursor: next() }) }
  t.regex((await readPages(empty, 'tools/list', 'tools')).cut, /nothing on them/)
  t.true(count < 200)
  const large = {
    request: async () => ({ tools: [{ name: 't', description: 'x'.repeat(8e6) }], nextCursor: next() }),
  }
  const { entries, cut } = await readPages(large, 'tools/list', 'tools')
  t.is(entries.length, 8)
  t.regex(cut, /characters/)
})

test('resources of two servers with one address can both be read, by the first list and without', async (t) => {
  const answer =
    (who) =>
    (message, { json }) =>
      message?.method === 'resources/read' &&
      json({ jsonrpc: '2.0', id: message.id, result: { contents: [{ uri: message.params.uri, text: who }] } })
  const [one, two] = [await rawServer(t, answer('one')), await rawServer(t, answer('two'))]
  const names = [unique('first'), unique('sec ond')]
  const opened = await gateway(t, { mcpServers: { [names[0]]: { url: one.url }, [names[1]]: { url: two.url } } })
  const client = await inProcess(t, opened)
  const other = `mcp-server://${encodeURIComponent(names[1])}/raw://one`
  t.deepEqual((await client.readResource({ uri: other })).contents, [{ uri: other, text: 'two' }])
  const { resources } = await client.listResources()
  t.deepEqual(
    resources.map(({ uri }) => uri),
    ['raw://one', other],
  )
  t.is((await client.readResource({ uri: 'raw://one' })).contents[0].text, 'one')
})
