// How tools reach a model: the rules of each provider, and what the provider's cache keeps.
import test from 'ava'
import { refused } from '../helpers/router.mjs'
import { PAIRS, started, router } from '../helpers/delivered.mjs'

const parsed = ({ tools, messages, ...rest }) => ({ ...rest, tools: JSON.parse(tools), messages: JSON.parse(messages) })

test.serial('exactly the pairs of the table are rendered; others name what the provider takes', async (t) => {
  const { session } = await started()
  for (const provider of Object.keys(PAIRS)) {
    for (const delivery of PAIRS.anthropic) {
      if (PAIRS[provider].includes(delivery)) {
        t.true(parsed(session.render({ provider, delivery })).tools.length > 0)
        continue
      }
      const error = await refused(t, 'ERR_INVALID_ARGUMENT', () => session.render({ provider, delivery }))
      t.is(
        error.message,
        `render.delivery: expected a delivery of ${provider}: ${PAIRS[provider].map((own) => `'${own}'`).join(' or ')}, got "${delivery}"`,
      )
      await refused(t, 'ERR_INVALID_ARGUMENT', () => router.openSession({ settings: { provider, delivery } }))
    }
  }
  for (const [options, near] of [
    [{ provider: 'antropic' }, 'anthropic'],
    [{ provider: 'openai' }, 'openai-chat'],
    [{ provider: 'anthropic', delivery: 'defered' }, 'defer'],
  ]) {
    const error = await refused(t, 'ERR_INVALID_ARGUMENT', () => session.render(options))
    t.regex(error.message, new RegExp(`near: .*${near}`))
  }
  for (const options of [{ provider: 5 }, { delivery: null }, { provder: 'gemini' }, 'anthropic', null])
    await refused(t, 'ERR_INVALID_ARGUMENT', () => session.render(options))
})

test.serial(
  'by itself a session that chooses is rendered as the provider keeps its cache, and one with all tools as a list',
  async (t) => {
    const { session } = await started()
    for (const provider of Object.keys(PAIRS)) {
      const delivery = PAIRS[provider].includes('defer') ? 'defer' : 'call'
      t.is(session.render({ provider }).tools, session.render({ provider, delivery }).tools, provider)
    }
    for (const settings of [{ threshold: 1_000 }, { searchTurns: 0 }]) {
      const { session: whole } = await started(settings)
      t.is(whole.render().tools, whole.tools())
      t.is(
        whole.render({ provider: 'anthropic' }).tools,
        whole.render({ provider: 'anthropic', delivery: 'append' }).tools,
      )
    }
  },
)

test.serial('defer: a load is answered with references to deferred declarations, which stay declared', async (t) => {
  const pair = { provider: 'anthropic', delivery: 'defer' }
  const { session } = await started()
  const first = parsed(session.render(pair))
  const result = await session.load({ query: 'Chat Room' })
  const [answer] = JSON.parse(session.answerLoad(result, { ...pair, callId: 'toolu_1' }))
  const names = result.loaded.map(({ name }) => name)
  t.deepEqual(answer, {
    type: 'tool_result',
    tool_use_id: 'toolu_1',
    content: names.map((name) => ({ type: 'tool_reference', tool_name: name })),
  })
  const second = parsed(session.render(pair))
  t.deepEqual([second.tools.slice(0, first.cachedCount), second.rewritten], [first.tools, false])
  t.deepEqual(
    second.tools.slice(first.cachedCount).map(({ name }) => name),
    names,
  )
  // The server goes: the conversation still refers to its tools, so they stay declared, and a call says why not.
  await router.removeServer('Chat Room')
  await session.sync()
  const third = parsed(session.render(pair))
  t.deepEqual(
    third.tools.map(({ name }) => name),
    second.tools.map(({ name }) => name),
  )
  t.is((await session.checkCall({ name: names[0] })).problem.reason, 'server-gone')
  const again = await router.restoreSession(JSON.stringify(session))
  t.deepEqual(
    parsed(again.render(pair)).tools.map(({ name }) => name),
    second.tools.map(({ name }) => name),
  )
})
