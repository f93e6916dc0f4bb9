// `signatures`: tools as lines of TypeScript. The judge is the compiler: it reads back what the schemas say. Over invented
// schemas, and over the live servers where they are installed.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import fc from 'fast-check'

import { liveServers } from '../../research/measure/catalogue.mjs'
import { fresh, refused, router } from '../helpers/router.mjs'
import { differences, measure } from '../helpers/signatures.mjs'
import { parse } from '../helpers/signatures-parse.mjs'
import { where } from '../helpers/skips.mjs'

const here = (place) => fileURLToPath(new URL(place, import.meta.url))
const installed = existsSync(here('../../examples/servers/node_modules'))

const nasty = fc.oneof(
  fc.constantFrom(
    ...'a owner class __proto__ $ref x-y 7 Shared constructor a"b a\'b ` // } ${x} \\ 日本 🦊'.split(' '),
  ),
  fc.constantFrom('', '*/ } interface evil {', '// }', '\n}', '\u2028', '\u202e', '\u200b', '/*'),
  fc.string({ maxLength: 12, unit: 'binary' }),
)
const leaf = fc.oneof(
  fc.constantFrom('string', 'integer', 'boolean', 'null', 'array', 'object', 'strange').map((type) => ({ type })),
  fc
    .array(fc.oneof(nasty, fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constant(null)), {
      maxLength: 30,
    })
    .map((values) => ({ enum: values })),
  fc.constantFrom(true, false, {}, { type: ['string', 'null'] }, { $ref: '#/$defs/node' }, { $ref: '#/nowhere' }),
  nasty.map((value) => ({ const: value })),
)
const { schema } = fc.letrec((tie) => ({
  schema: fc.oneof({ maxDepth: 4 }, leaf, tie('object'), tie('list'), tie('any')),
  list: fc.record({ type: fc.constant('array'), items: tie('schema') }),
  any: fc.record({ anyOf: fc.array(tie('schema'), { maxLength: 8 }) }),
  object: fc.record(
    {
      type: fc.constant('object'),
      properties: fc.dictionary(nasty, tie('schema'), { maxKeys: 5, noNullPrototype: true }),
      required: fc.array(nasty, { maxLength: 3 }),
      additionalProperties: tie('schema'),
      allOf: fc.array(tie('schema'), { maxLength: 2 }),
      not: fc.constant({}),
    },
    { requiredKeys: ['type'] },
  ),
}))
const root = fc.record(
  {
    type: fc.constant('object'),
    properties: fc.dictionary(nasty, schema, { maxKeys: 24, noNullPrototype: true }),
    required: fc.array(nasty, { maxLength: 6 }),
    $defs: fc.constant({ node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } }),
  },
  { requiredKeys: ['type'] },
)

test.serial('whatever servers say, signatures are interfaces that compile and say what the schemas say', async (t) => {
  const tool = fc.record({ name: nasty.filter((name) => name.trim() !== ''), description: nasty, inputSchema: root })
  const servers = fc.uniqueArray(
    fc.record({
      name: nasty.filter((name) => name.trim() !== ''),
      tools: fc.uniqueArray(tool, { minLength: 1, maxLength: 5, selector: ({ name }) => name }),
    }),
    { minLength: 1, maxLength: 3, selector: ({ name }) => name },
  )
  await fc.assert(
    fc.asyncProperty(servers, async (own) => {
      await fresh(
        own.map((server) => ({
          ...server,
          tools: server.tools.map((one) => ({ ...one, inputSchema: JSON.stringify(one.inputSchema) })),
        })),
      )
      const { text, tools } = await router.signatures()
      const { errors, interfaces } = parse(text)
      if (errors.length > 0) throw new Error(`${errors.join('\n')}\n${text}`)
      const read = interfaces.flatMap(({ tools: members }) => members)
      const said = new Map(
        own.flatMap(({ name, tools: all }) => all.map((one) => [`${name}\n${one.name}`, one.inputSchema])),
      )
      if (interfaces.length !== new Set(tools.map(({ serverName }) => serverName)).size) throw new Error(text)
      tools.forEach(({ serverName, toolName }, at) => {
        if (read[at].name !== toolName) throw new Error(`${read[at].name}\n${text}`)
        const problems = differences(JSON.parse(JSON.stringify(said.get(`${serverName}\n${toolName}`))), read[at])
        if (problems.length > 0) throw new Error(`${problems.join('\n')}\n${text}`)
      })
    }),
    { numRuns: 150 },
  )
  t.pass()
})

test.serial('signatures are the same each time, counted exactly, and of the tools that are asked for', async (t) => {
  const inputSchema = {
    properties: { owner: { type: 'string' }, repo: { type: 'string' } },
    required: ['owner', 'repo'],
  }
  const tools = ['list', 'get', 'close', 'open'].map((name) => ({
    name,
    description: `Will ${name} it. More.`,
    inputSchema,
  }))
  await fresh([
    { name: 'one two', tools },
    { name: 'other', tools: [{ name: 'say', inputSchema: {} }], disabled: false },
  ])
  const all = await router.signatures()
  t.deepEqual(await router.signatures(), all)
  t.is(all.tokenCount, await router.countTokens(all.text))
  for (const { signature, tokenCount } of all.tools) t.is(tokenCount, await router.countTokens(signature))
  t.is(all.text.match(/owner: string, repo: string/g).length, 1)
  const some = await router.signatures({ names: ['mcp--other--say', 'one_two.get', 'one two/list'] })
  t.deepEqual(
    some.tools.map(({ toolName }) => toolName),
    ['say', 'get', 'list'],
  )
  t.is(some.tools[1].signature, 'get: {owner: string, repo: string} // Will get it')
  t.deepEqual(
    (await router.signatures({ servers: ['other'] })).tools.map(({ name }) => name),
    ['mcp--other--say'],
  )
  const inputs = { properties: { a: {}, b: { type: 'string' } }, required: ['b'] }
  await router.setServer({ name: 'brief', tools: [{ name: 'do', description: 'Does.', inputSchema: inputs }] })
  const whole = await router.signatures({ names: ['brief.do'] })
  const brief = await router.signatures({ names: ['brief.do'], optional: false })
  t.is(whole.tools[0].signature, 'do: {a?: unknown, b: string} // Does')
  t.is(brief.tools[0].signature, 'do: {b: string, /*…*/} // Does')
  t.is(brief.text, 'interface brief {\ndo: {b: string, /*…*/} // Does\n}')
  t.is(brief.tools[0].tokenCount, await router.countTokens(brief.tools[0].signature))
  t.regex(
    (await refused(t, 'ERR_TOOL_NOT_FOUND', () => router.signatures({ names: ['lst'] }))).message,
    /mcp--one_two--list/,
  )
  await refused(t, 'ERR_INVALID_ARGUMENT', () => router.signatures({ name: 'get' }))
  await refused(t, 'ERR_INVALID_ARGUMENT', () => router.signatures({ optional: 'no' }))
})

const holds = (t, { errors, problems }) => t.deepEqual([errors, problems], [[], []])

where(installed, 'the servers are not installed; npm run setup').serial(
  'signatures of the live servers say what their schemas say, in 45 tokens',
  async (t) => {
    const measured = await measure(await liveServers())
    holds(t, measured)
    t.true(measured.together / measured.tools <= 45, `${measured.together / measured.tools}`)
    t.true(measured.alone / measured.tools <= 45, `${measured.alone / measured.tools}`)
  },
)
