// Calls go through: arguments, results, errors and names. Progress is tried at the doors.
import test from 'ava'
import { Call } from '../../../packages/gateway/downstream/calls.mjs'
import { meaningOf, toldOf } from '../../../packages/gateway/downstream/meaning.mjs'
import { odd, until } from '../../helpers/gateway.mjs'
import { oddClient } from '../../helpers/odd-gateway.mjs'

test('arguments reach the server untouched, keys that are traps included', async (t) => {
  const { client, tool } = await oddClient(t)
  const args = JSON.parse(
    '{"value":{"__proto__":{"polluted":true},"constructor":1,"b":null,"a":[1.5,"\\u0000é🦀"]},"__proto__":{"polluted":true},"10":1}',
  )
  for (const [name, sent] of [
    [tool('echo'), args],
    ['call_tool', { name: tool('echo'), arguments: args }],
  ]) {
    const { content } = await client.use(name, sent)
    t.is(content[0].text, JSON.stringify(args))
  }
  t.is({}.polluted, undefined)
})

test('call_tool takes a tool as server/tool and, where one server alone has it, as its own name', async (t) => {
  const { client, opened, name } = await oddClient(t)
  const said = async (spelt) => {
    const { content } = await client.use('call_tool', { name: spelt, arguments: {} })
    return content[0].text
  }
  t.is(await said(`${name}/fail_politely`), 'no such city')
  t.is(await said('fail_politely'), 'no such city')
  opened.addServer(`${name}/deep`, odd())
  await opened.ready()
  t.is(await said(`${name}/deep/fail_politely`), 'no such city')
  t.regex(
    await said('fail_politely'),
    new RegExp(
      '^2 servers have a tool fail_politely; call one of them by its whole name: ' +
        `mcp--${name}--fail_politely, mcp--${name}deep--fail_politely_[0-9a-f]{8}$`,
    ),
  )
})

test('a name that means no tool is answered with near ones, out of scope ones left out', async (t) => {
  const { client, tool } = await oddClient(t, { server: { disabledTools: ['die_quietly'] } })
  const { error } = await client.ask('call_tool', { name: tool('draw_pictures') })
  t.regex(error, new RegExp(`^unknown tool .*Do you mean .*${tool('draw_picture')}`))
  for (const name of ['die_quietly', tool('die_quietly'), tool('die_quietl')])
    t.notRegex((await client.ask('call_tool', { name })).error.replace(name, ''), /die_quietly/, name)
})

test('images, audio, links, hints and fields of a later protocol come through as they are', async (t) => {
  const { client, tool } = await oddClient(t)
  const { content, _meta } = await client.use(tool('draw_picture'))
  t.deepEqual(
    content.map(({ type }) => type),
    ['image', 'audio', 'resource_link', 'resource', 'text'],
  )
  t.deepEqual(content[0].annotations, { audience: ['user'] })
  t.is(_meta['example.org/trace'], 'abc')
})

test('a server at work is waited for, though its client did not ask for progress', async (t) => {
  const { say } = await oddClient(t, { server: { timeout: 3 } })
  t.is(await say('slow_report', { ms: 5_000, steps: 50 }), 'done')
})

test('a call whose server is at work for ever ends, and says after how long', async (t) => {
  const call = new Call({}, 300)
  const { signal, onprogress } = call.options
  const atWork = setInterval(() => onprogress({ progress: 1 }), 20)
  await new Promise((resolve) => signal.addEventListener('abort', resolve))
  clearInterval(atWork)
  const definition = { name: 'a', timeoutMs: 300 }
  const { message } = toldOf(meaningOf(signal.reason, { definition }), definition, String)
  t.regex(message, /still at work after 3 s; the call was cancelled/)
})

test('a cancelled call is cancelled at the server', async (t) => {
  const { client, tool } = await oddClient(t)
  const controller = new AbortController()
  const call = client.use(tool('slow_report'), { ms: 60_000, steps: 60 }, { signal: controller.signal })
  await until(t, async () => (await client.use(tool('count_calls'))).content[0].text > '1', 'the call arrives')
  controller.abort('changed my mind')
  await t.throwsAsync(call)
  await until(
    t,
    async () => (await client.use(tool('count_cancelled'))).content[0].text === '1',
    'the server hears of it',
  )
})

test('an error of the protocol keeps its code, message and data', async (t) => {
  const { client, tool } = await oddClient(t)
  const error = await t.throwsAsync(client.use(tool('fail_by_protocol')))
  t.is(error.code, -32050)
  t.is(error.message, 'MCP error -32050: out of paper')
  t.deepEqual(error.data, { tray: 2 })
})

test('a failure that is a result stays a result', async (t) => {
  const { client, tool } = await oddClient(t)
  t.like(await client.use(tool('fail_politely')), { isError: true, content: [{ type: 'text', text: 'no such city' }] })
})

test('calls of one client do not wait for each other, and notifications not for a long call', async (t) => {
  const { client, tool } = await oddClient(t)
  const long = client
    .use('call_tool', { name: tool('slow_report'), arguments: { ms: 60_000 } }, { timeout: 120_000 })
    .catch((error) => error)
  await client.ask('mcp_load', { query: 'tell_pid' })
  await client.use(tool('reword'))
  await until(t, () => client.changes === 2, 'both changes are told while the long call runs')
  await client.close()
  t.true((await long) instanceof Error)
})
