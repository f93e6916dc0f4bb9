// Servers that die, hang or never start, and what is left of them afterwards.
import { setTimeout as pause } from 'node:timers/promises'
import test from 'ava'
import { noteHung } from '../../../packages/gateway/catalogue/starts.mjs'
import {
  folder,
  gateway,
  inProcess,
  lives,
  LONG_MS,
  META_COUNT,
  odd,
  ODD,
  unique,
  until,
} from '../../helpers/gateway.mjs'
import { oddClient } from '../../helpers/odd-gateway.mjs'

test('a call during which the server dies ends with an answer, and the server is started again', async (t) => {
  const { client, tool, say, status } = await oddClient(t)
  const before = await say('tell_pid')
  const answer = await client.use(tool('die'))
  t.true(answer.isError)
  t.regex(answer.content[0].text, /ended during the call.*unknown.*started again/)
  await until(t, () => status().state === 'ready', 'it is there again')
  t.not(await say('tell_pid'), before)
})

test('all calls under way when a server dies are answered', async (t) => {
  const { client, tool } = await oddClient(t)
  const calls = Array.from({ length: 20 }, () => client.use(tool('never')))
  const answers = await Promise.all([...calls, client.use(tool('die'))])
  t.is(answers.length, 21)
  t.true(answers.every(({ isError }) => isError))
})

test('while a server is away its tools keep their place, and a call says when to try again', async (t) => {
  const { client, tool, name, status } = await oddClient(t)
  await client.ask('mcp_load', { query: 'tell_pid' })
  const listed = await client.names()
  // Each death doubles the pause; after some the test has time to look.
  for (let round = 0; round < 3; round++) {
    await client.use(tool('die'))
    await until(t, () => status().state === 'ready', 'it is back')
  }
  await client.use(tool('die_quietly'))
  await until(t, () => status().state === 'waiting', 'it has died')
  const answer = await client.use(tool('tell_pid'))
  t.true(answer.isError)
  t.regex(
    answer.content[0].text,
    new RegExp(`server ${name} is unavailable: it has ended with code 1\\. It is started again in \\d+ s`),
  )
  t.deepEqual(await client.names(), listed)
  await until(t, async () => !(await client.use(tool('tell_pid'))).isError, 'it answers again')
  t.is(client.changes, 1, 'the list has never changed')
})

test('a server that is away is marked in the answers of the meta tools', async (t) => {
  // A lazy one stays away until somebody calls it.
  const { client, name, status } = await oddClient(t, { server: { lazy: true } })
  process.kill(status().pid, 'SIGKILL')
  await until(t, () => status().state === 'waiting', 'it has died')
  const [{ modules }, { servers }, { loaded }] = await Promise.all([
    client.ask('manage_modules', { action: 'list' }),
    client.ask('search_mcps', { query: 'tells the id of the process' }),
    client.ask('mcp_load', { query: 'tell_pid' }),
  ])
  t.deepEqual(
    [modules[0].module, modules[0].state, servers[0].state, loaded[0].state],
    [name, 'unavailable', 'unavailable', 'unavailable'],
  )
})

test('pauses between restarts grow, and a server that cannot start does not keep the others waiting', async (t) => {
  const [broken, good] = [unique('broken'), unique('odd')]
  const lines = []
  const opened = await gateway(
    t,
    { mcpServers: { [broken]: odd({}, '--broken'), none: { command: '/does/not/exist' }, [good]: odd() } },
    { log: (line) => lines.push(line) },
  )
  const client = await inProcess(t, opened)
  t.is((await client.use(`mcp--${good}--tell_pid`)).isError, undefined)
  await until(t, () => lines.filter((line) => line.startsWith(`server ${broken}:`)).length >= 4, 'it is tried again')
  t.true(opened.servers.find(({ name }) => name === 'none').reason.includes('ENOENT'))
})

test('a request for a server that is away fails with one sentence, said once', async (t) => {
  const name = unique('none')
  const client = await inProcess(t, await gateway(t, { mcpServers: { [name]: { command: '/does/not/exist' } } }))
  const error = await t.throwsAsync(client.getPrompt({ name: `${name}--greet` }))
  t.is(error.code, -32603)
  t.regex(error.message, new RegExp(`^MCP error -32603: server ${name} `))
})

test('a server that starts late is waited for, and one that takes longer is named', async (t) => {
  const { client, name } = await oddClient(t, { args: ['--late', '1500'], ready: false })
  t.is((await client.names()).length, META_COUNT, 'the first list does not wait')
  await until(t, async () => (await client.ask('mcp_load', { query: 'tell_pid' })).loaded.length === 1, 'it is found')
  const slow = unique('slow')
  const second = await gateway(t, { mcpServers: { [slow]: odd({}, '--late', '60000') } }, { ready: false })
  const other = await inProcess(t, second)
  for (let at = 0; at < 20; at++) {
    // Waited for once; twenty times would take longer than a test may.
    const answer = await other.ask('mcp_load', { query: 'tell_pid' })
    t.deepEqual(answer.still_starting, [slow])
  }
  t.not(name, slow)
})

test('calls, prompts and resources in the first seconds wait for servers that start', async (t) => {
  const asks = {
    'a call': async ({ client, tool }) => (await client.use(tool('fail_politely'))).content[0].text,
    'a call by call_tool': async ({ client, tool }) =>
      (await client.use('call_tool', { name: tool('fail_politely') })).content[0].text,
    prompts: async ({ client }) => (await client.listPrompts()).prompts.length,
    'a prompt': async ({ client, name }) =>
      (await client.getPrompt({ name: `${name}--greet`, arguments: { who: 'Ada' } })).messages[0].content.text,
    resources: async ({ client }) => (await client.listResources()).resources.length,
    templates: async ({ client }) => (await client.listResourceTemplates()).resourceTemplates.length,
    'a resource': async ({ client }) => (await client.readResource({ uri: 'odd://notes/1' })).contents[0].text,
  }
  const answers = {}
  for (const [what, ask] of Object.entries(asks)) {
    const opened = await oddClient(t, { args: ['--late', '1000'], ready: false })
    opened.opened.catalogue.patienceMs = LONG_MS
    answers[what] = await ask(opened).catch((error) => error.message)
  }
  t.deepEqual(answers, {
    'a call': 'no such city',
    'a call by call_tool': 'no such city',
    prompts: 1,
    'a prompt': 'greet Ada',
    resources: 1,
    templates: 1,
    'a resource': 'content of odd://notes/1',
  })
})

test('a call does not wait for another server that hangs while it starts', async (t) => {
  const [late, hung] = [unique('late'), unique('hung')]
  const mcpServers = { [hung]: odd({}, '--late', '600000'), [late]: odd({}, '--late', '500') }
  const opened = await gateway(t, { mcpServers }, { ready: false })
  opened.catalogue.patienceMs = LONG_MS
  const client = await inProcess(t, opened)
  t.is((await client.use(`mcp--${late}--fail_politely`)).content[0].text, 'no such city')
  t.is(opened.servers.find(({ name }) => name === hung).state, 'connecting')
})

test('a server that hung at the last start holds nobody, and is there when it comes', async (t) => {
  const place = folder(t)
  const [quick, hung] = [unique('quick'), unique('hung')]
  const slow = odd({}, '--late', '12000')
  const config = { mcpServers: { [quick]: odd(), [hung]: slow }, gateway: { dir: place } }
  const first = await gateway(t, config, { ready: false, keepsLists: true })
  // As long as it takes, and then some more.
  for (const entry of first.catalogue.entries.values()) noteHung(entry, 500, first.store)
  await until(t, () => first.servers.some(({ name, state }) => name === quick && state === 'ready'), 'one is ready')
  await pause(1_000)
  await first.close()
  const second = await gateway(t, config, { ready: false, keepsLists: true })
  second.catalogue.patienceMs = LONG_MS
  const client = await inProcess(t, second)
  await until(t, () => second.servers.some(({ name, state }) => name === quick && state === 'ready'), 'one is ready')
  await client.ask('mcp_load', { query: 'tell me the id of the process' })
  t.is(second.servers.find(({ name }) => name === hung).state, 'connecting', 'nobody waited')
  await until(t, () => second.catalogue.entries.get(hung).names.size > 0, 'it is there')
  await second.close()
  const third = await gateway(t, config, { ready: false, keepsLists: true })
  await until(t, () => third.catalogue.entries.get(hung).names.size > 0, 'its list is known')
})

test('nothing that a server started is left after close, not even what ignores SIGTERM', async (t) => {
  const { opened, say, status } = await oddClient(t)
  const [server, child] = [status().pid, Number(await say('start_child'))]
  t.true(lives(server) && lives(child))
  await opened.close()
  t.false(lives(server))
  await until(t, () => !lives(child), 'the grandchild has ended')
})

test('what a server that died had started is ended too, and the server comes back', async (t) => {
  const { say, status } = await oddClient(t)
  const child = Number(await say('start_child'))
  process.kill(status().pid, 'SIGKILL')
  await until(t, () => !lives(child), 'the grandchild has ended')
  await until(t, () => status().state === 'ready', 'the server is back')
  t.false(lives(child))
})

test('closing while servers are starting leaves nothing', async (t) => {
  const name = unique('late')
  const opened = await gateway(t, { mcpServers: { [name]: odd({}, '--late', '60000') } }, { ready: false })
  await until(t, () => opened.servers[0].pid !== null, 'it is started')
  const { pid } = opened.servers[0]
  await opened.close()
  t.false(lives(pid))
})

test('after close no timer and no child holds the process', async (t) => {
  const { run } = await import('../../helpers/child.mjs')
  const source = `
    import { createGateway } from ${JSON.stringify(new URL('../../../packages/gateway/gateway/index.mjs', import.meta.url).href)}
    const entry = { command: process.execPath, args: [${JSON.stringify(ODD)}] }
    const gateway = await createGateway({ config: { mcpServers: { a: entry, broken: { ...entry, args: ['-e', 'process.exit(1)'] }, lazy: { ...entry, lazy: true } } } }, { listDir: undefined })
    await gateway.ready()
    await gateway.listen()
    await gateway.close()
    console.log('closed')`
  const { code, hung, stdout, stderr } = await run(['--input-type=module', '-e', source])
  t.deepEqual({ code, hung, stdout, stderr }, { code: 0, hung: false, stdout: 'closed\n', stderr: '' })
})

test('a host that ends without close leaves no child', async (t) => {
  const { run } = await import('../../helpers/child.mjs')
  const source = `
    import { createGateway } from ${JSON.stringify(new URL('../../../packages/gateway/gateway/index.mjs', import.meta.url).href)}
    const gateway = await createGateway({ config: { mcpServers: { a: { command: process.execPath, args: [${JSON.stringify(ODD)}, '--stay'] } } } }, { listDir: undefined })
    await gateway.ready()
    console.log(gateway.servers[0].pid)
    process.exit(0)`
  const { stdout } = await run(['--input-type=module', '-e', source])
  t.true(Number(stdout) > 0)
  await until(t, () => !lives(Number(stdout)), 'the server has ended')
})
