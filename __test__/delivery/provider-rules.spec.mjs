// The rules that a provider answers with a 400, and what its cache keeps, over random tasks: turns, loads, unloads, modes,
// servers that go, come and change, settings, compactions, restarts. The conversation is kept as a host keeps it, and each
// request is checked by a reader of ours that knows the provider's rules alone.
import assert from 'node:assert/strict'
import test from 'ava'
import fc from 'fast-check'

import { router } from '../helpers/router.mjs'
import { servers } from '../helpers/catalogue.mjs'

const ALL = servers()
const TEXTS = [
  'list the open issues of the repository',
  'post a message to the team channel',
  'read the file and write it again',
  'ok',
  'take a screenshot of the page and click the button',
  'use mcp--codehub--create_issue',
]
const QUERIES = [
  'send a message',
  'codehub',
  'list_issues, read_file',
  'no_such_tool',
  'mcp--Chat_Room--postMessage',
  'deploy',
]
const NAME = /^[A-Za-z0-9_-]{1,64}$/

/** What the host says about its context, if anything. */
const context = fc.constantFrom({}, { contextTokens: 0 }, { contextTokens: 20_000 }, { contextTokens: 5_000_000 })
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('turn'), at: fc.nat(TEXTS.length - 1), context }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('load'), at: fc.nat(QUERIES.length - 1) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('mode'), at: fc.nat(2) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('gone'), at: fc.nat(ALL.length - 1) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('back'), at: fc.nat(ALL.length - 1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('changed'), at: fc.nat(ALL.length - 1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('unload'), at: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('compact') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart') }) },
)
const task = fc.record({
  servers: fc.subarray(
    ALL.map((_, at) => at),
    { minLength: 0 },
  ),
  threshold: fc.constantFrom(0, 5, 20, 1000),
  initialK: fc.constantFrom(0, 1, 4, 'auto'),
  maxTools: fc.constantFrom(undefined, 4, 10),
  first: fc.nat(TEXTS.length - 1),
  steps: fc.array(step, { minLength: 1, maxLength: 12 }),
})

/** Plays a task; `see` is given each request. */
async function play({ servers: set, threshold, initialK, maxTools, first, steps }, see) {
  const modes = { a: { blockedMcpServers: ['codehub'] }, b: { allowedMcpServers: ['Chat Room', 'filesystem'] } }
  router.configure({})
  await router.setServers(
    set.map((at) => ALL[at]),
    { replace: true },
  )
  const settings = { threshold, initialK, searchK: 4, hostModes: modes, ...(maxTools && { maxTools }) }
  let session = router.openSession({ settings })
  let versions = 0
  let selection = await session.start(TEXTS[first])
  await see({ session, selection, kind: 'start' })
  for (const { kind, at, context: known } of steps) {
    let load
    if (kind === 'turn') selection = await session.turn(TEXTS[at], known)
    else if (kind === 'load') load = await session.load({ query: QUERIES[at] })
    else if (kind === 'mode') selection = await session.sync({ hostMode: [null, 'a', 'b'][at] })
    else if (kind === 'unload') await session.unload(session.selection.attached.slice(at, at + 1))
    else if (kind === 'compact') selection = await session.compact('summary')
    else if (kind === 'restart') session = await router.restoreSession(JSON.stringify(session))
    else {
      if (kind === 'gone') await router.removeServer(ALL[at].name)
      else if (kind === 'back') await router.setServer(ALL[at])
      else {
        versions += 1
        const tools = ALL[at].tools.map((tool) => ({
          ...tool,
          description: `${tool.description} Version ${versions}.`,
        }))
        await router.setServer({ ...ALL[at], tools })
      }
      selection = await session.sync()
    }
    if (kind === 'load' || kind === 'unload') selection = session.selection
    await see({ session, selection, kind, load })
  }
  session.close()
}

/** A host's conversation with one provider: what was sent before must come again, unless a rewrite is named. */
class Conversation {
  messages = []
  calls = 0
  /** Names that the model can call, by the messages alone. */
  offered = new Set()
  /** Names of signatures that searches told. */
  signed = new Set()

  constructor(pair) {
    this.pair = pair
  }

  next({ session, selection, kind, load }) {
    if (kind === 'compact') [this.messages, this.previous] = [[], undefined]
    if (load) {
      this.calls += 1
      for (const { name } of load.next ?? []) this.signed.add(name)
      const answer = session.answerLoad(load, { ...this.pair, callId: `call_${this.calls}` })
      this.messages.push(...JSON.parse(answer))
    }
    const rendered = session.render(this.pair)
    const messages = JSON.parse(rendered.messages)
    this.messages.push(...messages)
    const request = { ...rendered, tools: JSON.parse(rendered.tools), added: messages, text: rendered.tools }
    const previous = this.previous
    this.previous = request
    return { request, previous, selection, kind, session }
  }
}

function referencesOf(messages) {
  return messages
    .filter(({ type }) => type === 'tool_result')
    .flatMap(({ content }) => (Array.isArray(content) ? content : []))
    .filter(({ type }) => type === 'tool_reference')
    .map(({ tool_name: name }) => name)
}

/** Assertions that throw, so that a failing task is made smaller. */
const throwing = {
  is: assert.equal,
  true: (value, message) => assert.equal(value, true, message),
  false: (value, message) => assert.equal(value, false, message),
  deepEqual: assert.deepEqual,
}

/** The rules of Messages. */
function checkAnthropic(t, conversation, { request, session }) {
  const declared = request.tools.map(({ name }) => name)
  t.is(new Set(declared).size, declared.length, 'a name is declared once')
  t.true(declared.every((name) => NAME.test(name)))
  const own = request.tools.filter(({ type }) => type !== RUNNERS.anthropic)
  t.true(own.every(({ input_schema: schema }) => schema.type === 'object'))
  const deferred = request.tools.filter((tool) => tool.defer_loading)
  t.true(request.tools.length === 0 || deferred.length < request.tools.length, 'one tool at least is not deferred')
  t.true(request.tools.every((tool) => !('cache_control' in tool)))
  t.is(request.cachedCount, request.tools.length - deferred.length)
  t.true(
    request.tools.slice(0, request.cachedCount).every((tool) => !tool.defer_loading),
    'the prefix stands first',
  )
  for (const name of referencesOf(conversation.messages)) t.true(declared.includes(name), `a reference to ${name}`)
  // Changes in their order: each resolves, none offers what is offered or withdraws what is not.
  const available = new Set(request.tools.filter((tool) => !tool.defer_loading).map(({ name }) => name))
  for (const { content } of conversation.messages.filter(({ role }) => role === 'system')) {
    const names = content.map(({ tool }) => tool.name)
    t.is(new Set(names).size, names.length, 'one message changes a tool once')
    for (const { type, tool } of content) {
      t.true(declared.includes(tool.name), `${type} of ${tool.name} resolves`)
      if (type === 'tool_addition') {
        t.false(available.has(tool.name), `${tool.name} is offered twice`)
        available.add(tool.name)
      } else {
        t.true(available.delete(tool.name), `${tool.name} is withdrawn without having been offered`)
      }
    }
  }
  if (conversation.pair.delivery === 'changes') {
    // What the model can call by prefix and messages is what the task may use now.
    const usable = JSON.parse(session.tools()).map(({ function: { name } }) => name)
    t.deepEqual([...available].toSorted(), usable.toSorted())
  }
}

/** What stands before the newest message changes only where the selection names a rewrite. */
function checkBytes(t, { delivery }, { request, previous, selection, kind }) {
  if (!previous || kind === 'compact') return
  const stable = request.tools.slice(0, request.cachedCount)
  const before = previous.tools.slice(0, previous.cachedCount)
  if (delivery === 'call') {
    t.is(request.text, previous.text)
    return t.false(request.rewritten)
  }
  if (delivery === 'append') {
    if (!selection.rewrite && kind !== 'restart')
      t.true(request.text.startsWith(previous.text.replace(/(\]\}\]|\])$/, '')))
    return undefined
  }
  // The first tool of a task that began without any stands in the prefix: one must.
  const isFirst = before.length === 0
  if (selection.rewrite || isFirst || kind === 'restart') return undefined
  t.deepEqual(stable, before, kind)
  t.false(request.rewritten, kind)
}

/** Steps by their kinds and numbers. */
const steps = (text) =>
  text.split(', ').map((each) => {
    const [kind, at] = each.split(' ')
    return { kind, at: Number(at), context: {} }
  })
/** Tasks that have broken a rule: tools that left the prefix and came back; those that a restored session may not use. */
const FOUND = [
  { servers: [6], initialK: 1, first: 0, steps: steps('back 0, mode 1, mode 0, turn 0') },
  { servers: [1, 4], initialK: 1, first: 2, steps: steps('mode 2, restart, load 2') },
  { servers: [3], initialK: 4, maxTools: 4, first: 0, steps: steps('load 0, unload 0, turn 1, load 0') },
  { servers: [0], initialK: 0, first: 0, steps: steps('load 1, unload 0, changed 0, load 1') },
  { servers: [0], initialK: 0, first: 0, steps: steps('load 1, unload 0, restart, changed 0, load 1') },
  { servers: [5], threshold: 1000, initialK: 0, first: 0, steps: steps('gone 5, mode 2, restart, back 5') },
]
const RUNS = { numRuns: 40, examples: FOUND.map((found) => [{ threshold: 0, maxTools: undefined, ...found }]) }
const PAIRS = [
  ['anthropic', 'defer'],
  ['anthropic', 'changes'],
  ['anthropic', 'append'],
  ['openai-responses', 'defer'],
  ['anthropic', 'program'],
  ['openai-responses', 'program'],
  ['openai-chat', 'append'],
  ['gemini', 'call'],
]

for (const [provider, delivery] of PAIRS) {
  test.serial(`${provider}, ${delivery}: no request breaks a rule, and its cache is kept`, async (t) => {
    const property = fc.asyncProperty(task, async (given) => {
      const conversation = new Conversation({ provider, delivery })
      await play(given, async (event) => {
        const step = conversation.next(event)
        if (provider === 'anthropic') checkAnthropic(throwing, conversation, step)
        if (provider === 'openai-responses') checkResponses(throwing, conversation, step)
        if (delivery === 'program') checkPrograms(throwing, conversation, step)
        checkBytes(throwing, { delivery }, step)
        await checkCalls(throwing, conversation, step)
      })
    })
    await t.notThrowsAsync(() => fc.assert(property, RUNS))
  })
}

/** The tool that runs programs, and who is such a program in what may call a tool. */
const RUNNERS = { anthropic: 'code_execution_20260120', 'openai-responses': 'programmatic_tool_calling' }
const PROGRAMS = { anthropic: 'code_execution_20260120', 'openai-responses': 'programmatic' }

/**
 * What programs may call: every tool of a server that destroys nothing, and no tool of the session's own. Of one whose
 * server is gone, a restored session has the name alone, and does not know what it does.
 */
function checkPrograms(t, { pair, messages }, { request, session }) {
  const usable = JSON.parse(session.tools()).map(({ function: { name } }) => name)
  t.is(request.tools.filter(({ type }) => type === RUNNERS[pair.provider]).length, 1, 'one tool runs programs')
  t.is(request.tools[0].type, RUNNERS[pair.provider], 'and it stands first, where nothing moves it')
  t.is(request.tools[0].allowed_callers, undefined)
  const loaded = messages
    .filter(({ type }) => type === 'tool_search_output')
    .flatMap(({ tools }) => tools.flatMap((each) => each.tools))
  for (const { name, allowed_callers: callers } of [...request.tools.filter(({ name }) => name), ...loaded]) {
    if (name === 'code_execution') continue
    const isForPrograms = name.startsWith('mcp--') && !/delete|remove|drop/i.test(name)
    if (isForPrograms && callers.length === 1 && !usable.includes(name)) continue
    if (isForPrograms) t.deepEqual(callers, ['direct', PROGRAMS[pair.provider]], name)
    else t.deepEqual(callers, ['direct'], name)
  }
}

function checkResponses(t, conversation, { request }) {
  const listed = request.tools.filter(({ type }) => type === 'function').map(({ name }) => name)
  t.is(request.tools.filter(({ type }) => type === 'tool_search').length, 1)
  const outputs = conversation.messages.filter(({ type }) => type === 'tool_search_output')
  const namespaces = outputs.flatMap(({ tools }) => tools)
  t.is(new Set(namespaces.map(({ name }) => name)).size, namespaces.length, 'a namespace is given once')
  const loaded = namespaces.flatMap(({ tools }) => tools)
  t.true(namespaces.every(({ tools, description }) => tools.length >= 1 && tools.length <= 9 && description !== ''))
  t.true(loaded.every((tool) => tool.defer_loading === true && NAME.test(tool.name)))
  const names = loaded.map(({ name }) => name)
  t.is(new Set(names).size, names.length, 'a function is loaded once')
  t.true(
    names.every((name) => !listed.includes(name)),
    'what is loaded is not listed',
  )
}

/** Whatever is still declared or told: a call of what the task may not use is refused with a reason. */
async function checkCalls(t, conversation, { request, session }) {
  const attached = JSON.parse(session.tools()).map(({ function: { name } }) => name)
  // A signature is enough to call by.
  const listed = conversation.pair.delivery === 'call' ? [...session.selection.directory, ...conversation.signed] : []
  const usable = new Set([...attached, ...listed])
  const told = [...JSON.stringify([request.tools, conversation.messages]).matchAll(/mcp--[A-Za-z0-9_-]+/g)].map(
    ([name]) => name,
  )
  for (const name of new Set(told)) {
    if (!usable.has(name) && session.resolveTool(name)) {
      const { problem } = await session.checkCall({ name, arguments: {} })
      t.true(
        ['out-of-scope', 'server-gone', 'disabled', 'not-attached'].includes(problem?.reason),
        `${name} ${problem?.reason}`,
      )
    }
  }
}

test('the checker itself refuses what a provider refuses', (t) => {
  const broken = { tools: [{ name: 'a', input_schema: { type: 'object' }, defer_loading: true }], cachedCount: 0 }
  const failures = []
  const spy = {
    is: (a, b) => Object.is(a, b) || failures.push(1),
    true: (value) => value || failures.push(1),
    false: (value) => !value || failures.push(1),
    deepEqual: () => {},
  }
  const conversation = { pair: { delivery: 'defer' }, messages: [] }
  checkAnthropic(spy, conversation, { request: broken })
  t.is(failures.length, 1)
  conversation.messages = [
    { role: 'system', content: [{ type: 'tool_addition', tool: { type: 'tool_reference', name: 'b' } }] },
    { type: 'tool_result', content: [{ type: 'tool_reference', tool_name: 'c' }] },
  ]
  checkAnthropic(spy, conversation, { request: broken })
  t.is(failures.length, 4)
})
