// Resources, templates, prompts, subscriptions and completions go through to their server.
import test from 'ava'
import { inProcess, until } from '../../helpers/gateway.mjs'
import { oddClient } from '../../helpers/odd-gateway.mjs'

test('resources, templates, subscriptions and completions go through to their server', async (t) => {
  const { client, tool } = await oddClient(t)
  const { resources } = await client.listResources()
  t.deepEqual(
    resources.map(({ uri }) => uri),
    ['odd://notes/1'],
  )
  t.is((await client.listResourceTemplates()).resourceTemplates[0].uriTemplate, 'odd://item/{id}')
  t.is((await client.readResource({ uri: 'odd://notes/1' })).contents[0].text, 'content of odd://notes/1')
  t.is((await client.readResource({ uri: 'odd://item/7' })).contents[0].text, 'content of odd://item/7')
  const error = await t.throwsAsync(client.readResource({ uri: 'nowhere://x' }))
  // The code of the current era, which the SDK answers in both.
  t.is(error.code, -32602)
  const { completion } = await client.complete({
    ref: { type: 'ref/resource', uri: 'odd://item/{id}' },
    argument: { name: 'id', value: '4' },
  })
  t.deepEqual(completion.values, ['odd://item/{id}:4'])

  const updated = []
  client.fallbackNotificationHandler = async ({ method, params }) => void updated.push([method, params.uri])
  await client.subscribeResource({ uri: 'odd://notes/1' })
  await client.use(tool('touch_note'))
  await until(t, () => updated.length === 1, 'the update arrives')
  t.deepEqual(updated, [['notifications/resources/updated', 'odd://notes/1']])
  await client.unsubscribeResource({ uri: 'odd://notes/1' })
  t.is((await client.use(tool('list_subscribed'))).content[0].text, '[]')
})

test('prompts carry the name of their server, and go through', async (t) => {
  const { client, name } = await oddClient(t)
  const { prompts } = await client.listPrompts()
  t.deepEqual(prompts, [{ name: `${name}--greet`, description: 'Greets.', arguments: [{ name: 'who' }] }])
  const { messages } = await client.getPrompt({ name: `${name}--greet`, arguments: { who: 'Ada' } })
  t.is(messages[0].content.text, 'greet Ada')
  const { completion } = await client.complete({
    ref: { type: 'ref/prompt', name: `${name}--greet` },
    argument: { name: 'who', value: 'A' },
  })
  t.deepEqual(completion.values, ['greet:A'])
  await t.throwsAsync(client.getPrompt({ name: 'greet' }), { message: /unknown prompt/ })
})

test('a subscription ends at the server with the last client that holds it', async (t) => {
  const { client, opened, tool } = await oddClient(t)
  const other = await inProcess(t, opened)
  await client.subscribeResource({ uri: 'odd://notes/1' })
  await other.subscribeResource({ uri: 'odd://notes/1' })
  await client.close()
  const subscribed = async () => JSON.parse((await last.use(tool('list_subscribed'))).content[0].text).length
  const last = await inProcess(t, opened)
  t.true((await subscribed()) > 0)
  await other.close()
  await until(t, async () => (await subscribed()) === 0, 'the server forgets')
})

test('subscriptions live on when their server is started again', async (t) => {
  const { client, opened, tool } = await oddClient(t)
  const updated = []
  client.fallbackNotificationHandler = async ({ method, params }) =>
    void (method.endsWith('updated') && updated.push(params.uri))
  await client.subscribeResource({ uri: 'odd://notes/1' })
  await client.use(tool('die'))
  await until(
    t,
    async () => (await client.use(tool('list_subscribed'))).content[0].text === '["odd://notes/1"]',
    'it is subscribed again',
  )
  await client.use(tool('touch_note'))
  await until(t, () => updated.length === 1, 'the update arrives')
  t.is(opened.servers[0].state, 'ready')
})
