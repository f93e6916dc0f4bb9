// What programs may call, and what of their values reaches the model.
import test from 'ava'
import { closePrograms } from '../../packages/programs/index.mjs'
import { fresh, router } from '../helpers/router.mjs'
import { SERVERS, task, text } from '../helpers/program-servers.mjs'

test.beforeEach(() => fresh(SERVERS))
test.after.always(closePrograms)

/** In order: calls run one after the other in one process. */
const serial = test.serial

serial('only what a program returns or prints reaches the model', async (t) => {
  const issues = Array.from({ length: 500 }, (_, at) => ({ id: at, title: `issue ${at}`, open: at % 2 === 0 }))
  const { run, made } = await task(() => text(issues))
  const result = await run(`
    const issues = await tools.github.list_issues({ repo: 'acme/web' })
    print('of', issues.length)
    return { open: issues.filter((issue) => issue.open).length }`)
  t.true(result.ok)
  t.is(result.text, 'of 500\n{"open":250}')
  t.deepEqual(result.value, { open: 250 })
  t.deepEqual(made, [['github/list_issues', { repo: 'acme/web' }]])
  t.deepEqual(result.calls, [{ serverName: 'github', toolName: 'list_issues', kind: 'read', state: 'done' }])
})

serial('a result is a value: structured content, its text as JSON, or its text', async (t) => {
  const results = {
    structured: { structuredContent: { a: 1 }, content: [{ type: 'text', text: 'ignored' }] },
    json: text('  [1, 2]'),
    number: text('5'),
    broken: text('[1, 2'),
    lines: {
      content: [
        { type: 'text', text: 'one' },
        { type: 'text', text: 'two' },
      ],
    },
    resource: { content: [{ type: 'resource', resource: { uri: 'x:y', text: 'inside' } }] },
    picture: { content: [{ type: 'image', mimeType: 'image/png', data: 'AAAA' }] },
    plain: 'of the host',
    nothing: undefined,
  }
  const { run } = await task((_, { of }) => results[of])
  const { value } = await run(
    `
    const found = {}
    for (const of of parameters.names) found[of] = await tools.github.list_issues({ of })
    return found`,
    { parameters: { names: Object.keys(results) } },
  )
  t.deepEqual(value, {
    structured: { a: 1 },
    json: [1, 2],
    number: '5',
    broken: '[1, 2',
    lines: 'one\ntwo',
    resource: 'inside',
    picture: [{ type: 'image', mimeType: 'image/png', characters: 4 }],
    plain: 'of the host',
    nothing: null,
  })
})

serial('servers are named as in signatures, tools by their own names in whatever spelling', async (t) => {
  const { run, made } = await task()
  const { ok, text: said } = await run(`
    await tools.my_shop['find-order.v2']()
    await tools['my shop']['find-order.v2']()
    await tools.my_shop_2.pay()
    await tools.search.web()
    await tools.github['list-issues']()`)
  t.true(ok, said)
  t.deepEqual(
    made.map(([name]) => name),
    ['my shop/find-order.v2', 'my shop/find-order.v2', 'my.shop/pay', 'search/web', 'github/list_issues'],
  )
  const { text: written } = await router.signatures({ servers: ['my shop', 'my.shop'] })
  t.regex(written, /interface my_shop \{[\s\S]*interface my_shop_2 \{/)
})

serial('a search answers what can be called, as signatures, and attaches nothing', async (t) => {
  const { run, session } = await task()
  const before = session.selection.attached.length
  const { value } = await run(`return await tools.search('create an issue')`)
  t.deepEqual(value.tools[0], {
    call: 'tools.github.create_issue',
    signature: '{title: string, labels?: unknown[]} // Create an issue',
  })
  const { value: odd } = await run(`return (await tools.search('find an order')).tools[0].call`)
  t.is(odd, 'tools.my_shop["find-order.v2"]')
  t.is(session.selection.attached.length, before)
})

const ORDERS = Array.from({ length: 2_000 }, (_, id) => ({ id, city: id === 1_207 ? 'Oslo' : 'Rome' }))

serial('what fits a need in a long value is found with its place, and lists keep their own find', async (t) => {
  const { run } = await task(() => ({ structuredContent: { orders: ORDERS } }))
  const { value } = await run(`
    const value = await tools.github.list_issues()
    const passages = await tools.find(value, 'orders to Oslo')
    const unawaited = await tools.find(tools.github.list_issues(), 'orders to Oslo')
    return { passages, unawaited, own: value.orders.find(({ city }) => city === 'Oslo') }`)
  t.regex(value.passages[0].place, /^line \d+$/)
  t.regex(value.passages[0].text, /"id":1207,"city":"Oslo"/)
  t.deepEqual(value.unawaited, value.passages)
  t.deepEqual(value.own, { id: 1_207, city: 'Oslo' })
  const { value: short } = await run(`return tools.find('a few words', 'anything')`)
  t.deepEqual(short, [{ place: 'all', text: 'a few words' }])
})

serial('what cannot be found is an error with a code that a program catches', async (t) => {
  const { run } = await task(() => ({ structuredContent: { orders: ORDERS } }))
  const failing = async (code, limits) => (await run(`return ${code}.catch((error) => error.code)`, { limits })).value
  t.is(await failing(`tools.find(tools.github.list_issues(), 'zebra')`), 'not-found')
  t.is(await failing(`tools.find('a', ' ')`), 'invalid-arguments')
  t.is(await failing(`tools.find('a', 7)`), 'invalid-arguments')
  t.is(await failing(`tools.find('a', 'x'.repeat(2401))`), 'invalid-arguments')
  t.is(await failing(`tools.find('a'.repeat(99), 'a')`, { resultCharacters: 100 }), 'too-long')
})

serial(
  'an outcome that is too long for the model is held for the session of the program, and for no other',
  async (t) => {
    const { run, session } = await task(() => ({ structuredContent: { orders: ORDERS } }))
    const long = await run('print("before"); return tools.github.list_issues()')
    t.true(long.ok)
    t.is(long.value.orders.length, 2_000)
    t.true(long.text.includes(long.handle) && long.text.length < 4_000)
    const { text: read } = await session.readResult(long.handle, { need: 'orders to Oslo' })
    t.regex(read, /1207/)
    await t.throwsAsync(router.openSession().readResult(long.handle, { need: 'Oslo' }), {
      code: 'ERR_RESULT_NOT_FOUND',
    })
    const failed = await run('for (let at = 0; at < 9999; at++) print("line", at); throw new Error("late")')
    t.false(failed.ok)
    t.regex(failed.text, /The program ended early: late/)
    t.regex((await session.readResult(failed.handle, { range: '5000-5000' })).text, /line 499\d/)
    const small = { outputCharacters: 1_000 }
    for (const code of ['return " ".repeat(1e5) + "x"', 'print("\u00e9".repeat(1e5))', 'return "x".repeat(1e5)']) {
      const { text: said, handle } = await run(code, { limits: small })
      t.true(said.length <= 1_000 && said.includes(handle), code)
    }
    t.is((await run('return 1')).handle, undefined)
  },
)

serial('a description has the schema, by any name that a program has for a tool', async (t) => {
  const { run } = await task()
  const { value } = await run(`
    return Promise.all(['tools.github.create_issue', 'github.create_issue', 'github/create_issue'].map(tools.describe))`)
  for (const each of value) {
    t.is(each.call, 'tools.github.create_issue')
    t.deepEqual(each.inputSchema.required, ['title'])
  }
})

serial('a tool out of scope is not called, found or described', async (t) => {
  const { run, made } = await task()
  const { value } = await run(`
    const codes = []
    for (const attempt of [() => tools.vault.read_secret(), () => tools.describe('vault.read_secret')])
      await attempt().catch((error) => codes.push(error.code))
    const { tools: found } = await tools.search('read a secret of the vault')
    return { codes, found: found.filter(({ call }) => call.includes('vault')) }`)
  t.deepEqual(value, { codes: ['out-of-scope', 'out-of-scope'], found: [] })
  t.deepEqual(made, [])
})

serial('the scope is that of the moment of each call', async (t) => {
  router.configure({ hostModes: { ask: { allowedMcpServers: ['search'] } } })
  const { run, session, made } = await task(async () => {
    await session.sync({ hostMode: 'ask' })
    return text('x')
  })
  const { problem, text: said } = await run('await tools.github.list_issues(); await tools.github.list_issues()')
  t.is(problem.reason, 'threw')
  t.is(made.length, 1)
  t.regex(said, /github/)
})

serial('arguments that do not fit the schema are refused before the call, with what would fit', async (t) => {
  const { run, made } = await task()
  const { value } = await run(`
    return tools.github.create_issue({ name: 'x' }).catch(({ code, message, tool }) => ({ code, message, tool }))`)
  t.is(value.code, 'invalid-arguments')
  t.is(value.tool, 'github/create_issue')
  t.regex(value.message, /title/)
  t.deepEqual(made, [])
})
