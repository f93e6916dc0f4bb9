// run_program of the gateway: what a program of a client's model may call, what its user is asked, what the client is told.
import test from 'ava'

import { DEFAULT_META_TOOLS, metaTools } from '../../../packages/gateway/names/meta-tools.mjs'
import { closePrograms } from '../../../packages/programs/index.mjs'
import { answering, CLIENTS, legacyInProcess, legacyOverHttp, overHttp } from '../../helpers/eras.mjs'
import { gateway, odd, unique, until } from '../../helpers/gateway.mjs'
import { router } from '../../helpers/router.mjs'

test.after.always(closePrograms)

/** A gateway that offers programs before one server, some of whose tools destroy. */
async function open(t, { client = 'a modern client in process', settings = {}, fixed, entry = {}, ...options } = {}) {
  const name = unique('odd')
  const toolKinds = {
    write_much: 'destructive',
    print_noise: 'destructive',
    echo: 'read',
    count_calls: 'read',
    ...entry.toolKinds,
  }
  const config = {
    mcpServers: { [name]: odd({ ...entry, toolKinds }) },
    gateway: { metaTools: ['mcp_load', 'run_program'], ...settings },
  }
  const opened = await gateway(t, config, { fixed })
  const { open: connect, isHttp } = CLIENTS[client]
  const connected = await connect(t, isHttp ? await opened.listen() : opened, options)
  const run = async (code, more) => {
    const { content, isError = false } = await connected.use('run_program', { code }, more)
    return { text: content[0].text, isError }
  }
  return { name, opened, client: connected, run }
}

for (const client of Object.keys(CLIENTS)) {
  test(`a program of ${client} calls tools, and only its outcome is answered`, async (t) => {
    const { run, name, client: connected } = await open(t, { client })
    const { text, isError } = await run(`
      const all = await Promise.all([1, 2, 3].map((value) => tools.${name}.echo({ value })))
      print('calls', Number(await tools.${name}.count_calls()))
      return all.map((each) => each.arguments.value)`)
    t.false(isError, text)
    t.is(text, 'calls 4\n[1,2,3]')
    const { tools } = await connected.listTools()
    t.deepEqual(tools.find((tool) => tool.name === 'run_program').annotations, { destructiveHint: true })
  })

  test(`the user of ${client} is asked about a call that destroys, and what was refused is not called`, async (t) => {
    const asked = []
    const answers = answering({ asked })
    answers['elicitation/create'] = ({ message }) => {
      asked.push(message)
      return asked.length === 1 ? { action: 'accept', content: { allow: true } } : { action: 'decline' }
    }
    const { run, name } = await open(t, { client, capabilities: { elicitation: { form: {} } }, answers })
    const code = `
      await tools.${name}.print_noise({ bytes: 1 })
      try { await tools.${name}.write_much({ characters: 1 }) } catch {}
      return tools.${name}.count_calls()`
    const { text, isError } = await run(code)
    t.true(isError)
    t.regex(text, /write_much may destroy something, and it was not approved/)
    t.regex(text, new RegExp(`Took effect: ${name}/print_noise\\.`))
    t.is(asked.length, 2)
    t.regex(asked[0], new RegExp(`${name}/print_noise, which may destroy something, with \\{"bytes":1\\}`))
  })
}

test('who allows all calls of a tool is asked once for it in a program, and again by the next one', async (t) => {
  const asked = []
  const answers = {
    'elicitation/create': ({ message, requestedSchema }) => {
      asked.push(message)
      t.like(requestedSchema.properties.all, { type: 'boolean', default: false })
      return { action: 'accept', content: { allow: true, all: true } }
    },
  }
  const { run, name } = await open(t, { capabilities: { elicitation: { form: {} } }, answers })
  const ten = `for (let at = 0; at < 10; at++) await tools.${name}.print_noise({ bytes: at });`
  const { text } = await run(`${ten} await tools.${name}.write_much({ characters: 1 }); return 'done'`)
  t.is(text, 'done')
  t.deepEqual(
    asked.map((message) => /calls (\S+),/.exec(message)[1]),
    [`${name}/print_noise`, `${name}/write_much`],
  )
  await run(ten)
  t.is(asked.length, 3)
})

test('what destroys is refused where the client cannot ask or the configuration says so, and made where that allows it', async (t) => {
  const code = (name) => `await tools.${name}.print_noise({ bytes: 1 }); return 'done'`
  const without = await open(t)
  t.regex((await without.run(code(without.name))).text, /print_noise may destroy something, and nobody can be asked/)
  const capabilities = { elicitation: { form: {} } }
  const refusing = await open(t, { capabilities, settings: { programDestroys: 'refuse' } })
  t.regex((await refusing.run(code(refusing.name))).text, /nobody can be asked/)
  const { tools } = await refusing.client.listTools()
  t.deepEqual(tools.find(({ name }) => name === 'run_program').annotations, { destructiveHint: false })
  const allowing = await open(t, { settings: { programDestroys: 'allow' } })
  t.is((await allowing.run(code(allowing.name))).text, 'done')
})

test('a program finds tools by need, and calls them by every name that an answer has for them', async (t) => {
  const { run, name } = await open(t)
  const { text } = await run(`
    const { tools: found } = await tools.search('repeat the arguments')
    const [{ call: same }] = (await tools.search({ queries: ['repeat the arguments'] })).tools
    const { inputSchema, description } = await tools.describe(same)
    const listed = 'mcp--${name}--echo'
    const values = [await tools.${name}.echo({ value: 1 }), await tools[listed]({ value: 2 })]
    return { call: found[0].call, signature: found[0].signature, inputSchema, description,
      values: values.map((each) => each.arguments.value) }`)
  t.deepEqual(JSON.parse(text), {
    call: `tools.${name}.echo`,
    signature: '{value?: unknown} // Repeats the arguments as they came',
    inputSchema: { type: 'object', properties: { value: {} } },
    description: 'Repeats the arguments as they came.',
    values: [1, 2],
  })
})

test('deny rules and readOnly hold inside a program', async (t) => {
  const { run, name } = await open(t, { entry: { disabledTools: ['echo'] } })
  const { text } = await run(`
    const failed = []
    await tools.${name}.echo({}).catch((error) => failed.push(error.code))
    await tools.describe('${name}/echo').catch((error) => failed.push(error.code))
    const { tools: found } = await tools.search('repeat the arguments')
    return [failed, found.some(({ call }) => call.endsWith('.echo'))]`)
  t.deepEqual(JSON.parse(text), [['unknown-tool', 'unknown-tool'], false])
  const reading = await open(t, { settings: { readOnly: true } })
  const { text: said } = await reading.run(`
    const { arguments: read } = await tools.${reading.name}.echo({ value: 1 })
    return [read.value, await tools.${reading.name}.fail_politely().catch(({ code, message }) => [code, message])]`)
  const [value, [code, message]] = JSON.parse(said)
  t.deepEqual([value, code], [1, 'unknown-tool'])
  t.regex(message, /it may write/)
  const { tools } = await reading.client.listTools()
  t.deepEqual(tools.find((tool) => tool.name === 'run_program').annotations, { readOnlyHint: true })
})

test('a program that is cancelled stops the call that is under way', async (t) => {
  const { client, name, run } = await open(t)
  const controller = new AbortController()
  const code = `await tools.${name}.slow_report({ ms: 600000, steps: 1000 })`
  const running = client.use('run_program', { code }, { signal: controller.signal }).catch((error) => error)
  const cancelled = async () => Number((await run(`return tools.${name}.count_cancelled()`)).text)
  t.is(await cancelled(), 0)
  await until(
    t,
    async () => Number((await run(`return tools.${name}.count_calls()`)).text) > 2,
    'the call is under way',
  )
  controller.abort()
  await running
  await until(t, async () => (await cancelled()) === 1, 'the server is told')
  t.pass()
})

test('progress of a program names its calls', async (t) => {
  const { name, client } = await open(t)
  const told = []
  const code = `await tools.${name}.echo({}); await tools.${name}.count_calls()`
  await client.use('run_program', { code }, { onprogress: (each) => told.push(each) })
  t.deepEqual(told, [
    { progress: 1, message: `${name}/echo` },
    { progress: 2, message: `${name}/count_calls` },
  ])
})

test('a program is bounded in time and in what it answers, and its errors are the answer', async (t) => {
  const { run, name } = await open(t, { fixed: { programTimeMs: 5_000 } })
  // The first call of a server takes longer.
  await run(`await tools.${name}.echo({})`)
  const late = await run(`await tools.${name}.never()`)
  t.true(late.isError)
  t.regex(late.text, new RegExp(`it took more than 5000 ms[\\s\\S]*unknown: ${name}/never`))
  const much = await run('return "x".repeat(20000)')
  t.regex(much.text, /it returned 20002 characters, 16000 are the most/)
  t.true(much.text.length < 2_000)
  t.regex((await run('return (')).text, /it is not JavaScript/)
  t.regex((await run(`await tools.${name}.fail_politely()`)).text, /no such city/)
  t.regex((await run(`await tools.${name}.nothing()`)).text, /no tool in scope is called/)
  t.regex((await run(' ')).text, /run_program\.code: expected text of 1 to 131072 characters/)
})

test('an outcome that is too long is held as a result is, for the client that ran the program', async (t) => {
  const settings = { metaTools: ['mcp_load', 'run_program', 'read_result'] }
  const { run, client, opened } = await open(t, { client: 'an older client in process', settings })
  const { text, isError } = await run(`
    const lines = Array.from({ length: 9000 }, (_, at) => 'line ' + at + (at === 7777 ? ' needle' : ' hay'))
    return [(await tools.find(lines, 'needle'))[0].text.includes('7777'), lines]`)
  t.false(isError, text)
  const [handle] = /res_\w+/.exec(text)
  t.true(text.length < 4_000)
  const { content } = await client.use('read_result', { handle, need: 'needle' })
  t.regex(content[0].text, /line 7777 needle/)
  const other = await legacyInProcess(t, opened)
  t.true((await other.use('read_result', { handle, need: 'needle' })).isError)
})

test('run_program is offered where the configuration names it, and nowhere else', async (t) => {
  const { client } = await open(t, { settings: { metaTools: ['mcp_load'] } })
  t.false((await client.names()).includes('run_program'))
  const { content, isError } = await client.use('run_program', { code: 'return 1' })
  t.true(isError)
  t.regex(content[0].text, /run_program is not offered here/)
})

test('the meta tools with programs and held results have fewer than 900 tokens together', async (t) => {
  const names = [...DEFAULT_META_TOOLS, 'run_program']
  t.true(names.includes('read_result'))
  for (const isModern of [false, true]) {
    const listed = metaTools(names, ['github', 'slack', 'notion', 'filesystem', 'git'], { isModern })
    const tokens = await router.countTokens(JSON.stringify(listed))
    t.true(tokens < 900, `${tokens}`)
  }
})

test('a person has so long to answer, and then the call is not made', async (t) => {
  const answers = { 'elicitation/create': () => new Promise(() => {}) }
  const { run, name } = await open(t, {
    client: 'an older client over HTTP',
    fixed: { programAskMs: 1_000 },
    capabilities: { elicitation: { form: {} } },
    answers,
  })
  const { text, isError } = await run(`await tools.${name}.print_noise({ bytes: 1 })`)
  t.true(isError)
  t.regex(text, /print_noise may destroy something, and nobody answered within 1000 ms/)
})

test('a person who does not answer blocks no program of another client, and of its own client four', async (t) => {
  const asked = []
  const answers = { 'elicitation/create': (params) => new Promise(() => asked.push(params)) }
  const client = 'an older client over HTTP'
  const {
    opened,
    client: silent,
    name,
  } = await open(t, { client, capabilities: { elicitation: { form: {} } }, answers })
  const controller = new AbortController()
  const code = `await tools.${name}.print_noise({ bytes: 1 })`
  const running = Array.from({ length: 9 }, () =>
    silent.use('run_program', { code }, { signal: controller.signal }).catch(() => {}),
  )
  await until(t, () => asked.length === 4, 'the person is asked as often as the client has places')
  for (const connect of [legacyOverHttp, overHttp]) {
    const other = await connect(t, await opened.listen())
    const answered = Promise.all([1, 2, 3].map((value) => other.said('run_program', { code: `return ${value}` })))
    t.deepEqual(await answered, ['1', '2', '3'])
  }
  t.is(asked.length, 4)
  controller.abort()
  await Promise.all(running)
  t.is(await silent.said('run_program', { code: 'return 1' }), '1')
})

test('who is asked sees all arguments, the shortest first whatever their order; what is too long is not asked for', async (t) => {
  const asked = []
  const answers = {
    'elicitation/create': ({ message }) => {
      asked.push(message)
      return { action: 'accept', content: { allow: true } }
    },
  }
  const { run, name } = await open(t, { capabilities: { elicitation: { form: {} } }, answers })
  const calls = (args) => `await tools.${name}.print_noise(${args}); return 'done'`
  const shown = await run(
    calls(`{ comment: 'x'.repeat(700), bytes: 1, in: { why: 'y'.repeat(50), paths: ['/home', '/etc'] } }`),
  )
  t.is(shown.text, 'done')
  t.regex(asked[0], /with \{"bytes":1,"in":\{"paths":\["\/home","\/etc"\],"why":"y{50}"\},"comment":"x{700}"\}$/)
  await run(calls(`{ bytes: 1, note: 'a\\u202eb\\u200bc' }`))
  t.regex(asked[1], /"note":"a\\u\{202e\}b\\u\{200b\}c"/)
  for (const args of [`{ bytes: 1, comment: 'x'.repeat(3000) }`, `{ bytes: 1, comment: '\\u200b'.repeat(400) }`]) {
    const { text, isError } = await run(calls(args))
    t.true(isError)
    t.regex(text, /print_noise may destroy something, and its arguments have \d+ characters .* 2000 are the most/)
  }
  t.is(asked.length, 2)
  t.is((await run(`return tools.${name}.count_calls()`)).text, '3')
})
