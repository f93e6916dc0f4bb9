// What a hostile program gets: nothing. Attempts are in fixtures/escapes.mjs.
import test from 'ava'

import { closePrograms, runProgram } from '../../packages/programs/index.mjs'
import { ESCAPES } from '../fixtures/escapes.mjs'
import { fresh, router } from '../helpers/router.mjs'

test.after.always(closePrograms)

const tool = (name) => ({ name, description: name })
const SERVERS = [
  { name: 'shop', disabledTools: ['off'], tools: ['list', 'fails', 'hostile', 'off', 'delete_all'].map(tool) },
  { name: 'secret', tools: [{ name: 'read', description: 'Read the secret vault' }] },
]

function deep() {
  let value = {}
  for (let level = 0; level < 5_000; level++) value = { value }
  return value
}

function circle() {
  const value = {}
  value.value = value
  return value
}

/** Results that a server of MCP could not send, or would not. */
const RESULTS = {
  proto: () => JSON.parse('{ "structuredContent": { "__proto__": { "polluted": "x" }, "a": 1 } }'),
  text: () => ({ content: [{ type: 'text', text: '</script>\u202e`${process}` }) (' }] }),
  getter: () => ({
    structuredContent: {
      get a() {
        throw new Error('x')
      },
    },
  }),
  circle: () => ({ structuredContent: circle() }),
  bigint: () => ({ structuredContent: { a: 1n } }),
  function: () => ({ structuredContent: { run() {} } }),
  // biome-ignore lint/suspicious/noThenProperty: that is what is tried
  thenable: () => ({ structuredContent: { then: (resolve) => resolve(1) } }),
  proxy: () => ({
    structuredContent: new Proxy(
      {},
      {
        ownKeys() {
          throw new Error('x')
        },
      },
    ),
  }),
  toJSON: () => ({ structuredContent: { toJSON: () => ({ x: 1 }) } }),
  nothing: () => undefined,
  deep: () => ({ structuredContent: deep() }),
  huge: () => ({ content: [{ type: 'text', text: 'x'.repeat(2e7) }] }),
  throw: () => {
    throw Object.assign(new Error('no'), { code: 'EFOO' })
  },
  'throw text': () => {
    throw 'text'
  },
}

test('no attempt to get out of a sandbox gets anything, and each ends', async (t) => {
  await fresh(SERVERS)
  const session = router.openSession({ servers: ['shop'] })
  await session.start('list')
  const called = new Set()
  const call = async ({ toolName }, { of }) => {
    called.add(toolName)
    if (toolName === 'fails') return { isError: true, content: [{ type: 'text', text: 'no' }] }
    return toolName === 'hostile' ? RESULTS[of]() : { content: [{ type: 'text', text: '[1, 2]' }] }
  }
  const globals = Object.getOwnPropertyNames(globalThis).length
  t.true(ESCAPES.length >= 200)
  for (const { name, code, ends } of ESCAPES) {
    const limits = { computeMs: ends ? 300 : 30_000, memoryBytes: 16 << 20 }
    const { ok, value, text, problem } = await runProgram(session, code, { call, limits })
    t.false(/\bOUT\b(?!-)/.test(`${JSON.stringify(value)} ${text}`), `${name}: ${text.slice(0, 200)}`)
    // On a busy machine any of them may have computed for too long first.
    if (ends)
      t.true([...ends, 'compute'].includes(problem?.reason), `${name}: ${problem?.reason ?? 'it came to its end'}`)
    else t.true(ok || ['threw', 'syntax'].includes(problem.reason), `${name}: ${problem?.reason}`)
    t.is({}.polluted, undefined, name)
  }
  t.is(Object.getOwnPropertyNames(globalThis).length, globals)
  t.deepEqual([...called].sort(), ['fails', 'hostile', 'list'])
  const { value } = await runProgram(session, 'return (await tools.shop.list()).length', { call })
  t.is(value, 2)
})
