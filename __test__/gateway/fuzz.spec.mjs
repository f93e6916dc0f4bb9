// Whatever a client or a model sends is answered, and nothing of it stays behind.
import test from 'ava'
import fc from 'fast-check'

import { ResultSchema } from '@modelcontextprotocol/sdk/types.js'

import { gateway, inProcess, odd, unique } from '../helpers/gateway.mjs'

const NAMES = ['mcp_load', 'search_mcps', 'manage_modules', 'select_mode', 'call_tool', 'report_missing_capability']
const KEYS = (
  'query schemas top_k action module task_description confidence_level context_files name arguments ' +
  'original_query missing_capability attempted_mcps checkpoint __proto__ constructor toString'
).split(' ')
const WORDS = [
  'list',
  'load',
  'unload',
  'medium',
  'toString',
  '__proto__',
  'constructor',
  '',
  ' ',
  '\u0000',
  '\ud800',
  '💥',
  'x'.repeat(5_000),
  '../../etc/passwd',
  '${env:HOME}',
]

/** Arguments that look like what is expected, or like nothing. */
function someArguments(tools) {
  const word = fc.oneof(fc.constantFrom(...WORDS, ...tools), fc.string())
  const value = fc.oneof(
    word,
    fc.integer(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(word, { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...KEYS), word, { maxKeys: 3 }),
  )
  const entries = fc.array(fc.tuple(fc.constantFrom(...KEYS), value), { maxLength: 5 })
  // fromEntries defines `__proto__` as a key of its own.
  return fc.oneof(
    entries.map((pairs) => Object.fromEntries(pairs)),
    fc.constantFrom(undefined, null, [], 'text', 7),
    fc.jsonValue(),
  )
}

let opened
let client
let pages
const held = { teardown: (done) => (pages = [...(pages ?? []), done]) }

test.before(async () => {
  const name = unique('odd')
  // What ends a server is tried elsewhere.
  const disabledTools = ['die', 'die_quietly', 'never', 'slow_report', 'flood', 'write_much', 'start_child']
  opened = await gateway(held, {
    mcpServers: { [name]: odd({ disabledTools }, '--odd') },
    gateway: { metaTools: NAMES },
  })
  client = await inProcess(held, opened)
})
test.after.always(async () => {
  for (const done of (pages ?? []).toReversed()) await done()
})

test.serial('any arguments of any meta tool are answered, by a result or an error of the protocol', async (t) => {
  t.timeout(240_000)
  const tools = [...opened.catalogue.entries.values()].flatMap(({ names, definition }) => [
    definition.name,
    ...names.values(),
  ])
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...NAMES), someArguments(tools), async (name, args) => {
      const answer = await client.request({ method: 'tools/call', params: { name, arguments: args } }, ResultSchema)
      t.true(Array.isArray(answer.content), `${name} ${JSON.stringify(args)}`)
    }),
    { numRuns: 600, seed: 1 },
  )
  t.is({}.query, undefined)
  t.deepEqual((await client.names()).slice(0, NAMES.length), NAMES)
  t.true((await client.names()).length <= 128)
})

test.serial('any request of any method is answered', async (t) => {
  const methods = (
    'tools/call tools/list resources/read resources/subscribe resources/unsubscribe prompts/get prompts/list ' +
    'completion/complete logging/setLevel sampling/createMessage x __proto__'
  ).split(' ')
  const params = fc.oneof(
    fc.constant(undefined),
    fc.dictionary(fc.constantFrom(...KEYS, 'uri', 'ref', 'argument', 'cursor'), fc.jsonValue(), { maxKeys: 4 }),
  )
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...methods), params, async (method, given) => {
      const settled = await client.request({ method, params: given }, ResultSchema, { timeout: 20_000 }).then(
        () => 'answered',
        (error) => (Number.isInteger(error.code) && error.code !== -32001 ? 'refused' : error.message),
      )
      t.true(['answered', 'refused'].includes(settled), `${method} ${JSON.stringify(given)}: ${settled}`)
    }),
    { numRuns: 400, seed: 2 },
  )
  t.is((await client.listPrompts()).prompts.length, 1)
})
