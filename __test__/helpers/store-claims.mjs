// What every store of a gateway keeps to, whatever it keeps things in.
import test from 'ava'

import { Approvals } from '../../packages/gateway/store/approvals.mjs'
import { readConfig } from '../../packages/gateway/config/read.mjs'
import { Withholding } from '../../packages/gateway/catalogue/withheld.mjs'
import { until } from './gateway.mjs'

/** Servers as a configuration defines them. */
export function definitions(mcpServers) {
  return [...readConfig({ mcpServers }, { env: {} }).servers.values()]
}

const [FILES] = definitions({ files: { command: 'files', args: ['--all'], env: { KEY: 'one' } } })
const TOOLS = [
  {
    name: 'read',
    description: 'Reads a file',
    inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
  },
  { name: 'write', title: 'Write', annotations: { readOnlyHint: false }, inputSchema: { type: 'object' } },
]
const HARD = [
  JSON.parse('{"name":"odd","__proto__":{"a":1},"z":0,"a":{"b":[null,1e300,"\\u0000"]},"inputSchema":{}}'),
  { name: 'nul\0and\ud800', description: `lone \udfff, quote ", back \\, new\nline` },
  { name: 'twice' },
  { name: 'twice', description: 'another one' },
  { description: 'without a name' },
  ...Array.from({ length: 1_200 }, (_, at) => ({ name: `many_${at}`, description: 'x'.repeat(at) })),
]

/**
 * Declares the claims for one kind of store.
 *
 * @param {string} kind its name in the titles
 * @param {(t: import('ava').ExecutionContext) => Promise<() => Promise<import('../../packages/gateway/store/store.mjs').Store>>} make
 * makes a place for a store; what it gives opens a store over that place, as one gateway does
 */
export function claimsOf(kind, make) {
  const claim = (title, claims) =>
    test(`${kind}: ${title}`, async (t) => {
      const open = await make(t)
      await claims(t, async () => {
        const store = await open()
        t.teardown(() => store.close())
        return store
      })
    })
  claimsOfLists(claim)
  claimsOfApprovals(claim)
  claim('a store closes twice', async (t, open) => {
    const store = await open()
    await store.close()
    await t.notThrowsAsync(store.close())
  })
}

function claimsOfLists(claim) {
  claim('a list that was kept is read by the next gateway as it was, in its order', async (t, open) => {
    const store = await open()
    t.is(await store.readList(FILES), undefined)
    await store.writeList(FILES, { tools: TOOLS, instructions: 'read\0before\nyou write' })
    const read = await (await open()).readList(FILES)
    t.is(JSON.stringify(read), JSON.stringify({ tools: TOOLS, instructions: 'read\0before\nyou write' }))
  })

  claim(
    'extensions that a server declares are kept with its list, and others alone make another list',
    async (t, open) => {
      const store = await open()
      const declared = [
        { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
        JSON.parse('{"nul\\u0000and\\ud800":{"z":0,"a":[null,1e300,"\\udfff"]},"io.modelcontextprotocol/ui":{}}'),
        undefined,
      ]
      for (const extensions of declared) {
        await store.writeList(FILES, { tools: TOOLS, extensions })
        const read = await (await open()).readList(FILES)
        t.is(JSON.stringify(read.extensions), JSON.stringify(extensions))
        t.is(read.tools.length, TOOLS.length)
      }
    },
  )

  claim('what no database and no program likes in a list is kept as it is', async (t, open) => {
    const store = await open()
    await store.writeList(FILES, { tools: HARD })
    const { tools, instructions } = await (await open()).readList(FILES)
    t.is(JSON.stringify(tools), JSON.stringify(HARD))
    t.is(instructions, undefined)
  })

  claim('the last list counts, also an empty one', async (t, open) => {
    const store = await open()
    for (const tools of [HARD, TOOLS, TOOLS.toReversed(), []]) {
      await store.writeList(FILES, { tools })
      t.is(JSON.stringify((await store.readList(FILES)).tools), JSON.stringify(tools))
    }
  })

  claim('another server has another list; another value of a variable is the same server', async (t, open) => {
    const store = await open()
    await store.writeList(FILES, { tools: TOOLS })
    const others = [
      { files: { command: 'files', args: ['--some'], env: { KEY: 'one' } } },
      { other: { command: 'files', args: ['--all'], env: { KEY: 'one' } } },
      { files: { command: 'files', args: ['--all'], env: { ANOTHER: 'one' } } },
      { files: { url: 'https://files.example/mcp' } },
    ].flatMap(definitions)
    for (const other of others) t.is(await store.readList(other), undefined)
    const [same] = definitions({ files: { command: 'files', args: ['--all'], env: { KEY: 'two' } } })
    t.is((await store.readList(same)).tools.length, TOOLS.length)
  })
}

function claimsOfApprovals(claim) {
  claim('the first definition is accepted, another one waits until it is approved', async (t, open) => {
    const approvals = new Approvals(await open())
    t.deepEqual([...(await approvals.changed(FILES, TOOLS))], [])
    const changed = TOOLS.map((tool) => ({ ...tool, description: `${tool.description ?? ''} and tells` }))
    t.deepEqual([...(await approvals.changed(FILES, changed))], ['read', 'write'])
    const next = new Approvals(await open())
    const waiting = (await next.waiting(FILES)).map(({ tool, parts, isWhole }) => ({ tool, parts, isWhole }))
    const part = (was, is) => [{ at: 'description', was, is }]
    t.deepEqual(waiting, [
      { tool: 'read', parts: part('Reads a file', 'Reads a file and tells'), isWhole: true },
      { tool: 'write', parts: part(undefined, ' and tells'), isWhole: true },
    ])
    t.deepEqual(await next.approve(FILES, 'write'), ['write'])
    t.deepEqual([...(await approvals.changed(FILES, changed))], ['read'])
    t.deepEqual(await next.approve(FILES), ['read'])
    t.deepEqual(await next.waiting(FILES), [])
    t.deepEqual([...(await approvals.changed(FILES, TOOLS))], ['read', 'write'])
  })

  claim(
    'a server that lists ever new names and texts loses none of what it lists, and fills no store',
    async (t, open) => {
      const approvals = new Approvals(await open())
      const list = (round) =>
        Array.from({ length: 4_000 }, (_, at) => ({
          name: `${round} ${at}`,
          description: `${'x'.repeat(2_000)}${round}`,
        }))
      await approvals.changed(FILES, TOOLS)
      for (let round = 0; round < 3; round++) await approvals.changed(FILES, [...TOOLS, ...list(round)])
      const { accepted } = await (await open()).readApprovals(FILES)
      t.true(accepted.size <= 10_000 && TOOLS.every(({ name }) => accepted.has(name)))
      const again = [...TOOLS, ...list(2).map((tool) => ({ ...tool, description: 'other' }))]
      t.is((await approvals.changed(FILES, again)).size, 4_000)
    },
  )

  claim('a tool that is as it was waits no longer', async (t, open) => {
    const approvals = new Approvals(await open())
    await approvals.changed(FILES, TOOLS)
    await approvals.changed(FILES, [{ ...TOOLS[0], title: 'Other' }, TOOLS[1]])
    t.is((await approvals.waiting(FILES)).length, 1)
    await approvals.changed(FILES, TOOLS)
    t.deepEqual(await approvals.waiting(FILES), [])
  })

  claim(
    'for a kept list, which may be older than what is accepted, nothing waits, and what waits goes on',
    async (t, open) => {
      const approvals = new Approvals(await open())
      const [second, third] = ['second', 'third'].map((title) => [{ ...TOOLS[0], title }, TOOLS[1]])
      const kept = (tools) => approvals.changed(FILES, tools, undefined, true)
      // The first of all is accepted from a kept list as well.
      t.deepEqual([...(await kept(TOOLS))], [])
      await approvals.changed(FILES, second)
      await approvals.approve(FILES)
      // A gateway was killed between an approval and the writing of its list, and the next one starts from the older list.
      t.deepEqual([...(await kept(TOOLS))], ['read'])
      t.deepEqual(await approvals.approve(FILES), [])
      t.deepEqual([...(await approvals.changed(FILES, second))], [])
      await approvals.changed(FILES, third)
      t.deepEqual([...(await kept(second))], [])
      t.deepEqual([...(await kept(third))], ['read'])
      t.deepEqual(await approvals.approve(FILES), ['read'])
      t.deepEqual([...(await kept(third))], [])
    },
  )

  claim('an approval that is made before anybody listens for it is still told', async (t, open) => {
    const approvals = new Approvals(await open())
    const withholding = new Withholding(
      { changedTools: 'withhold', withholdTools: 'never', readOnly: false },
      approvals,
    )
    await approvals.changed(FILES, TOOLS)
    const withheld = await withholding.of(FILES, [{ ...TOOLS[0], title: 'Other' }])
    const entry = { definition: FILES, withheld }
    let told = 0
    await withholding.watch(entry, () => (told += 1))
    t.is(told, 0)
    withholding.forget(entry)
    await approvals.approve(FILES)
    await withholding.watch(entry, () => (told += 1))
    t.is(told, 1)
    withholding.forget(entry)
  })

  claim('tools of any name have approvals of their own', async (t, open) => {
    const approvals = new Approvals(await open())
    await approvals.changed(FILES, HARD.slice(0, 2))
    const changed = [{ name: 'nul\0and\ud800', description: 'changed\0\ud800' }]
    t.deepEqual([...(await approvals.changed(FILES, changed))], ['nul\0and\ud800'])
    const [{ tool, parts }] = await new Approvals(await open()).waiting(FILES)
    const [{ was, is }] = parts
    t.deepEqual([tool, was, is], ['nul\0and\ud800', HARD[1].description, changed[0].description])
  })

  claim('what was approved of one server says nothing about another', async (t, open) => {
    const approvals = new Approvals(await open())
    const [other] = definitions({ others: { command: 'files' } })
    await approvals.changed(FILES, TOOLS)
    const changed = [{ ...TOOLS[0], title: 'Other' }]
    t.deepEqual([...(await approvals.changed(other, changed))], [])
    t.deepEqual([...(await approvals.changed(FILES, changed))], ['read'])
  })

  claim('a change that fails changes nothing', async (t, open) => {
    const store = await open()
    const approvals = new Approvals(store)
    await approvals.changed(FILES, TOOLS)
    const fails = (before) => {
      before.accepted.clear()
      throw new Error('not today')
    }
    await t.throwsAsync(async () => store.changeApprovals(FILES, fails), { message: 'not today' })
    t.is((await store.readApprovals(FILES)).accepted.size, TOOLS.length)
  })

  claim('who watches a server is told when another gateway approves, and not after the end', async (t, open) => {
    const approvals = new Approvals(await open())
    await approvals.changed(FILES, TOOLS)
    await approvals.changed(FILES, [{ ...TOOLS[0], title: 'Other' }])
    let [told, afterEnd] = [0, 0]
    const end = await approvals.watch(FILES, () => (told += 1))
    const endNow = await approvals.watch(FILES, () => (afterEnd += 1))
    t.teardown(end)
    endNow()
    await new Approvals(await open()).approve(FILES)
    await until(t, () => told > 0, 'the approval is told')
    t.is(afterEnd, 0)
  })
}
