// All texts that models read, in one file: a change of any of them is read there. UPDATE_TEXTS=1 writes it.
import { readFileSync, writeFileSync } from 'node:fs'

import test from 'ava'

import { router } from '../helpers/router.mjs'
import { readArguments } from '../../packages/gateway/names/meta-arguments.mjs'
import { META_TOOL_NAMES, metaTools } from '../../packages/gateway/names/meta-tools.mjs'

const FILE = new URL('../fixtures/texts-for-models.md', import.meta.url)
const PROVIDERS = ['anthropic', 'openai-responses', 'openai-chat', 'gemini', 'bedrock', 'vscode']

const server = (name, ...tools) => ({
  name,
  tools: tools.map(([tool, description, ...parameters]) => ({
    name: tool,
    description,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(parameters.map((key) => [key, { type: 'string' }])),
      required: parameters.slice(0, 1),
    },
  })),
})
const MAIL = server('mail', ['send_mail', 'Sends a mail.', 'to', 'text'], ['list_mails', 'Lists mails.'])
const WEATHER = server('weather', ['get_forecast', 'Gets the weather forecast.', 'city'])
const FILES = server(
  'files',
  ['read_file', 'Reads a file.', 'path'],
  ['write_file', '**Purpose:** Writes a file.', 'path', 'text'],
  ['delete_file', 'Example:\nDeletes a file.', 'path'],
)

/** What happens in a task: each step gives what the model then reads. */
const STEPS = {
  'the first request': (s) => s.start('read the file'),
  'a later message': (s) => s.turn('send a mail to Ada'),
  'a server that comes': async (s) => {
    await router.setServer(WEATHER)
    await s.turn('get the weather forecast of Oslo')
  },
  'a server that goes': async (s) => {
    router.removeServer('mail')
    await s.sync()
  },
  'a call of its tool': (s) => s.checkCall({ name: 'mcp--mail--send_mail' }),
  'it comes back': async (s) => {
    await router.setServer(MAIL)
    await s.sync()
  },
  'another mode': (s) => s.sync({ hostMode: 'ask' }),
  'a call out of scope': (s) => s.checkCall({ name: 'mcp--mail--send_mail' }),
  'the mode is back': (s) => s.sync({ hostMode: 'code' }),
  ...Object.fromEntries(
    ['write a file', 'mcp--files--delete_file', 'book a flight to Rome', 'mcp--files--reed_file', ''].map((query) => [
      `mcp_load: ${query || 'nothing'}`,
      async (s) => s.answerLoad(await s.load(query), { callId: 'call' }),
    ]),
  ),
  ...Object.fromEntries(
    [
      {},
      { name: 'mcp--files--nothing' },
      { name: 'mcp--files--read_file', arguments: { path: 5 } },
      { name: 'mcp--files--read_file', arguments: { file: 'x' } },
      { name: 'mcp--files--read_file', arguments: '{"path": "x' },
    ].map((call) => [`call: ${JSON.stringify(call)}`, (s) => s.checkCall(call)]),
  ),
  'a long result': async (s) => {
    const { text, handle } = await s.holdResult(JSON.stringify({ rows: Array(3_000).fill('one row') }))
    return text.replaceAll(handle, 'HANDLE').split('\n').slice(0, 2).join('\n')
  },
  'a signal': async (s) => JSON.stringify(await s.reroute({ originalQuery: 'x', missingCapability: 'book a flight' })),
  'tools that are unloaded': async (s) => s.answerLoad(await s.load('unload: files'), { callId: 'call' }),
  'a condensed conversation': (s) => s.compact('the file was read'),
}

/** Texts of more than a word, wherever they stand. */
function* textsIn(value) {
  if (typeof value === 'string' && /\s/.test(value)) yield value
  else if (value && typeof value === 'object') for (const each of Object.values(value)) yield* textsIn(each)
}
const parsed = (text) => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** What the model reads at each step. */
async function readBy(provider, settings = {}) {
  router.configure({ ranker: 'lexical', hostModes: { ask: { blockedMcpServers: ['mail'] }, code: {} } })
  await router.setServers([FILES, MAIL], { replace: true })
  const session = router.openSession({
    hostMode: 'code',
    settings: { provider, threshold: 2, initialK: 1, ...settings },
  })
  const known = new Set()
  const found = []
  for (const [step, happen] of Object.entries(STEPS)) {
    const answer = await happen(session)
    const { tools, messages } = session.render()
    const given = typeof answer === 'string' ? parsed(answer) : answer?.problem?.message
    const texts = [...textsIn(JSON.parse(tools)), ...textsIn(given), ...textsIn(JSON.parse(messages))]
    found.push([step, texts.filter((text) => !known.has(text))])
    for (const text of texts) known.add(text)
  }
  session.close()
  return new Map(found)
}

const refusedBy = (tool, args) => {
  try {
    readArguments(tool, args)
  } catch (error) {
    return error.message
  }
}

test.serial('every text that a model reads stands in the file', async (t) => {
  const read = new Map()
  for (const provider of PROVIDERS) read.set(provider, await readBy(provider))
  const parts = ['# What models read', '', `UPDATE_TEXTS=1 npx ava __test__/delivery/texts.spec.mjs writes this file.`]
  for (const step of Object.keys(STEPS)) {
    const by = new Map()
    for (const provider of PROVIDERS)
      for (const text of read.get(provider).get(step)) by.set(text, [...(by.get(text) ?? []), provider])
    for (const [text, providers] of by)
      parts.push('', `## ${step}: ${providers.length === PROVIDERS.length ? 'all' : providers.join(', ')}`, '', text)
  }
  for (const isModern of [false, true])
    for (const { name, description, inputSchema } of metaTools(META_TOOL_NAMES, ['files', 'mail'], { isModern }))
      parts.push(
        '',
        `## gateway, ${isModern ? 'current' : 'older'} era: ${name}`,
        '',
        description,
        ...textsIn(inputSchema),
      )
  for (const name of META_TOOL_NAMES.filter((each) => !each.startsWith('call_tool')))
    parts.push('', `## gateway: ${name} without arguments`, '', refusedBy(name, {}))
  const text = `${parts.join('\n')}\n`
  if (process.env.UPDATE_TEXTS) writeFileSync(FILE, text)
  t.is(text, readFileSync(FILE, 'utf8'))
})

test.serial('with plain names texts name these, every list has them, and all else is the same', async (t) => {
  for (const provider of PROVIDERS) {
    const [own, plain] = [await readBy(provider), await readBy(provider, { ownNames: 'plain' })]
    const renamed = (text) => text.replaceAll('mcp_load', 'load_tools').replaceAll('mcp_call', 'call_tool')
    for (const [step, texts] of own) t.deepEqual(plain.get(step), texts.map(renamed), `${provider}: ${step}`)
  }
  for (const [provider, delivery] of ['append', 'defer', 'changes', 'call', 'program'].map((each) => [
    'anthropic',
    each,
  ])) {
    const session = router.openSession({ settings: { provider, delivery, threshold: 2, ownNames: 'plain' } })
    await session.start('read the file')
    const names = JSON.parse(session.render().tools).map(({ name }) => name)
    t.true(names.includes('load_tools'), `${names}`)
    t.deepEqual(
      names.filter((name) => /^mcp_(?!-|_)/.test(name)),
      [],
      delivery,
    )
    const restored = await router.restoreSession(JSON.stringify(session))
    t.deepEqual(
      JSON.parse(restored.render().tools).map(({ name }) => name),
      names,
    )
    restored.close()
  }
})
