// `schemaDetail`: fewer tokens, valid schemas that accept what the original accepts. Over invented catalogues with what
// real ones have. The judge is another implementation of JSON Schema.
import test from 'ava'
import fc from 'fast-check'

import { refused, router, ToolRouter } from '../helpers/router.mjs'
import { compare } from '../helpers/schema-compare.mjs'

const COUNTRIES = Array.from({ length: 40 }, (_, at) => `country-${at}`)
const keyword = fc.constantFrom('title', 'description', '$comment', 'x-order', 'deprecated')
const annotated = (schema) =>
  fc
    .tuple(
      schema,
      fc.dictionary(keyword, fc.constantFrom('Name', 'A longer text. With two sentences.', 'a'), { maxKeys: 2 }),
    )
    .map(([own, more]) => ({ ...more, ...own }))
const leaf = fc.oneof(
  fc.constant({ type: 'string' }),
  fc.record({ type: fc.constant('string'), minLength: fc.nat(2) }),
  fc.record({ type: fc.constant('integer'), minimum: fc.integer({ min: -3, max: 3 }) }),
  fc.constant({ type: 'string', enum: ['a', 'b'], examples: ['a'] }),
  fc.constant({ type: 'string', enum: COUNTRIES }),
  fc.constant({ enum: COUNTRIES }),
  fc.constant({ $ref: '#/$defs/shared' }),
  fc.constant({ anyOf: [{ type: 'string' }, { type: 'null' }], default: null }),
  fc.constant({ anyOf: [{ type: 'array', items: { type: 'integer' }, minItems: 1 }, { type: 'null' }] }),
  fc.constant({ oneOf: [{ enum: COUNTRIES }, { const: 'country-40' }] }),
  fc.constant({ not: { enum: COUNTRIES } }),
  fc.constant(true),
)
const { schema } = fc.letrec((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    annotated(leaf.filter((own) => own !== true)),
    tie('object'),
    tie('list'),
  ),
  list: annotated(fc.record({ type: fc.constant('array'), items: tie('schema') })),
  object: annotated(
    fc.record(
      {
        type: fc.constant('object'),
        properties: fc.dictionary(fc.constantFrom('name', 'title', 'items', 'a'), tie('schema'), { maxKeys: 3 }),
        required: fc.constantFrom([], ['name'], ['a']),
        additionalProperties: fc.constantFrom(true, false, { type: 'string' }),
      },
      { requiredKeys: ['type', 'properties'] },
    ),
  ),
}))
const root = fc.record(
  {
    type: fc.constant('object'),
    $schema: fc.constantFrom('http://json-schema.org/draft-07/schema#', 'https://json-schema.org/draft/2020-12/schema'),
    title: fc.constantFrom('thingArguments', 'Other'),
    properties: fc.dictionary(fc.constantFrom('name', 'title', 'first', 'second', 'third'), schema, { maxKeys: 5 }),
    required: fc.constantFrom([], ['name']),
    $defs: fc.constant({
      shared: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
      unused: {},
    }),
  },
  { requiredKeys: ['type', 'properties', '$defs'] },
)

/** The schemas that a model is shown, by detail. */
async function shown(tools, description = '') {
  router.configure({})
  const server = {
    name: 's',
    tools: tools.map((inputSchema, at) => ({ name: at === 0 ? 'thing' : `thing_${at}`, description, inputSchema })),
  }
  await router.setServers([server], { replace: true })
  const of = (schemaDetail) =>
    JSON.parse(router.openSession({ settings: { schemaDetail } }).tools()).map(({ function: own }) => own)
  return { full: of('full'), compact: of('compact') }
}

test.serial('a compact schema is valid and accepts just what the original accepts', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(root, { minLength: 1, maxLength: 8 }), fc.integer(), async (schemas, seed) => {
      const { full, compact } = await shown(schemas.map((own) => JSON.stringify(own)))
      full.forEach(({ parameters }, at) => {
        const found = compare(parameters, { compact: compact[at].parameters }, { seed, instances: 25 })
        if (found.problems.length > 0)
          throw new Error(JSON.stringify([found.problems, parameters, compact[at].parameters]))
      })
    }),
    { numRuns: 25 },
  )
  t.pass()
})

test.serial('the comparison itself sees a schema that accepts less, or more', (t) => {
  const original = { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false }
  const less = { ...original, properties: { a: { type: 'integer' } } }
  const more = { type: 'object' }
  const problems = (other) =>
    compare(original, { compact: other }, { seed: 1, instances: 40 }).problems.map(({ kind }) => kind)
  t.true(problems(less).includes('accepts less'))
  t.true(problems(more).includes('accepts more'))
  t.true(problems({ type: 'nothing' }).includes('invalid'))
  t.deepEqual(problems(original), [])
})

test.serial('full keeps every byte, compact is smaller, and a schema alone becomes the same', async (t) => {
  const text =
    '{"$schema":"http://json-schema.org/draft-07/schema#",  "title":"thingArguments","type":"object","properties":{"page_size":{"title":"Page Size","type":"integer"}}}'
  const description = `${'One sentence of some length that says a thing. '.repeat(20)}`
  router.configure({})
  await router.setServer({ name: 's', tools: [{ name: 'thing', description, inputSchema: text }] })
  const tools = (schemaDetail) => router.openSession({ settings: { schemaDetail } }).tools()
  t.true(tools('full').includes(text))
  t.true(tools('compact').includes('"parameters":{"type":"object","properties":{"page_size":{"type":"integer"}}}'))
  t.true(tools('compact').length < tools('full').length)
  const shown = JSON.parse(tools('compact'))[0].function.parameters
  for (const schema of [text, JSON.parse(text)])
    t.deepEqual(JSON.parse(ToolRouter.compactSchema(schema, { name: 'thing', description })), shown)
  t.is(ToolRouter.compactSchema(text), JSON.stringify({ title: 'thingArguments', ...shown }))
  await refused(t, 'ERR_INVALID_ARGUMENT', () => ToolRouter.compactSchema('{'))
})

const address = { type: 'object', properties: { email: { type: 'string' } }, required: ['email'] }
const nullable = { anyOf: [address, { type: 'null' }] }
/** Schemas in the shapes that zod, pydantic and typebox give them, and what is near them. */
const WRITTEN = {
  'a repeated object, referred to where it stands first': {
    properties: {
      from: nullable,
      to: { $ref: '#/properties/from/anyOf/0' },
      cc: { type: 'array', items: { $ref: '#/properties/from/anyOf/0' } },
    },
    required: ['from', 'to'],
  },
  'a reference into a record': {
    properties: { extra: { additionalProperties: {} }, any: { $ref: '#/properties/extra/additionalProperties' } },
  },
  'optional fields of a model, with null among the values': {
    title: 'Arguments',
    properties: {
      mode: { anyOf: [{ type: 'string', enum: ['a', 'b', null] }, { type: 'null' }], default: null, title: 'Mode' },
      where: { anyOf: [{ $ref: '#/$defs/Address' }, { type: 'null' }] },
    },
    $defs: { Address: { ...address, title: 'Address' } },
  },
  'what may not be, by a reference to a long list': {
    properties: { a: { enum: COUNTRIES }, b: { not: { $ref: '#/properties/a' } } },
  },
  'a condition on a long list': {
    properties: { a: { type: 'string', enum: COUNTRIES }, b: { type: 'string' } },
    if: { properties: { a: { $ref: '#/properties/a' } }, required: ['a'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword
    then: { required: ['b'] },
  },
}

for (const [what, schema] of Object.entries(WRITTEN)) {
  test.serial(`${what}: shown schemas are valid and equal`, async (t) => {
    const original = { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object', ...schema }
    const { compact } = await shown([JSON.stringify(original)])
    t.deepEqual(compare(original, { compact: compact[0].parameters }, { seed: 3, instances: 200 }).problems, [])
  })
}

test('a long chain of definitions is shown at every detail', async (t) => {
  const count = 20_000
  const $defs = Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      `d${at}`,
      at + 1 < count ? { type: 'object', properties: { next: { $ref: `#/$defs/d${at + 1}` } } } : { type: 'string' },
    ]),
  )
  const chain = { type: 'object', properties: { first: { $ref: '#/$defs/d0' }, title: { title: 'Title' } }, $defs }
  await router.setServers([{ name: 'chain', tools: [{ name: 'walk', inputSchema: chain }] }], { replace: true })
  for (const schemaDetail of ['full', 'compact']) {
    router.configure({ ranker: 'lexical', schemaDetail })
    const session = router.openSession()
    await session.start('walk')
    const [{ function: shown }] = JSON.parse(session.tools())
    t.is(Object.keys(shown.parameters.$defs).length, count, schemaDetail)
    session.close()
  }
})
