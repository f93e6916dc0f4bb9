// How tools reach a model: the rules of each provider, and what the provider's cache keeps.
import test from 'ava'
import { refused } from '../helpers/router.mjs'
import { PAIRS, started, router } from '../helpers/delivered.mjs'

const parsed = ({ tools, messages, ...rest }) => ({ ...rest, tools: JSON.parse(tools), messages: JSON.parse(messages) })

const blocks = (messages) => messages.flatMap(({ content }) => content).filter(({ tool }) => tool !== undefined)

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

test.serial('changes: a turn offers by a message, a mode withdraws by one, and the list stays', async (t) => {
  const pair = { provider: 'anthropic', delivery: 'changes' }
  const { session, selection } = await started()
  const first = parsed(session.render(pair))
  t.true(first.messages.every(({ role }) => role === 'user'))
  t.deepEqual([first.rewritten, first.cachedCount], [false, 4])
  t.deepEqual(first.betas, ['mid-conversation-tool-changes-2026-07-01'])
  const turn = await session.turn('post a message to the team channel')
  t.true(turn.added.length > 0)
  const second = parsed(session.render(pair))
  t.deepEqual(second.messages[0], {
    role: 'system',
    content: turn.added.map((name) => ({ type: 'tool_addition', tool: { type: 'tool_reference', name } })),
  })
  t.deepEqual(second.tools.slice(0, 4), first.tools)
  t.true(second.tools.slice(4).every((tool) => tool.defer_loading))
  // Said once: a request that is made again has its messages already.
  t.deepEqual(parsed(session.render(pair)).messages, [])
  await session.sync({ hostMode: 'ask' })
  await session.sync()
  const third = parsed(session.render(pair))
  const withdrawn = selection.attached.filter((name) => name.startsWith('mcp--codehub--'))
  const ofCodehub = ({ tool }) => tool.name.startsWith('mcp--codehub--')
  // Of other servers the mode may choose others.
  t.deepEqual(
    blocks(third.messages)
      .filter(ofCodehub)
      .map(({ type, tool }) => [type, tool.name]),
    withdrawn.map((name) => ['tool_removal', name]),
  )
  t.deepEqual([third.tools.slice(0, second.tools.length), third.rewritten], [second.tools, false])
  await session.sync({ hostMode: null })
  await session.sync()
  const back = blocks(parsed(session.render(pair)).messages)
  t.deepEqual(
    back
      .filter((block) => block.type === 'tool_addition' && ofCodehub(block))
      .map(({ tool }) => tool.name)
      .toSorted(),
    withdrawn.toSorted(),
  )
})

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

test.serial('defer for Responses: a search is answered with namespaces of at most nine functions', async (t) => {
  const pair = { provider: 'openai-responses', delivery: 'defer' }
  const { session } = await started({ searchK: 40 })
  await router.setServer({
    name: 'many things',
    tools: Array.from({ length: 20 }, (_, at) => ({
      name: `thing_${at}`,
      description: 'Handle a gadget of the warehouse',
    })),
  })
  const first = parsed(session.render(pair))
  t.deepEqual(
    [first.tools[0].type, first.tools[0].execution, first.tools[0].parameters.required],
    ['tool_search', 'client', ['query']],
  )
  const result = await session.load({ query: 'many things' })
  const [output, ...rest] = JSON.parse(session.answerLoad(result, { ...pair, callId: 'call_1' }))
  t.deepEqual(rest, [])
  t.deepEqual(
    { ...output, tools: output.tools.map(({ type, name, tools }) => [type, name, tools.length]) },
    {
      type: 'tool_search_output',
      call_id: 'call_1',
      execution: 'client',
      status: 'completed',
      tools: [
        ['namespace', 'many_things', 9],
        ['namespace', 'many_things_2', 9],
        ['namespace', 'many_things_3', 2],
      ],
    },
  )
  t.true(output.tools.flatMap(({ tools }) => tools).every((tool) => tool.defer_loading && tool.type === 'function'))
  t.deepEqual(parsed(session.render(pair)).tools, first.tools)
  // What was told is not told again.
  const [second, note] = JSON.parse(
    session.answerLoad(await session.load({ query: 'thing_3' }), { ...pair, callId: 'c' }),
  )
  t.deepEqual(second.tools, [])
  t.regex(note.content, /already: mcp--many_things--thing_3/)
})
