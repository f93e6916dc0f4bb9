// `schemaStyle: 'host'` against an oracle that was written apart from it, in JavaScript, on schemas made up at random.

import fc from 'fast-check'
import test from 'ava'

import { router } from '../helpers/router.mjs'

const FORMATS = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']
const FIRST = 'description default enum const anyOf oneOf allOf $ref minimum maximum minLength'.split(' ')
const LATER = ['maxLength', 'pattern']
const OF_ARRAYS = ['items', 'minItems', 'maxItems', 'uniqueItems']
const LEFT_OUT = ['type', 'properties', 'required', 'additionalProperties', 'format', ...OF_ARRAYS]

function oracle(schema) {
  if (typeof schema !== 'object' || schema === null) return schema
  const known = [...FIRST, ...LATER].filter((key) => key in schema)
  const others = Object.keys(schema).filter((key) => !known.includes(key) && !LEFT_OUT.includes(key))
  const out = {}
  for (const key of [...known, ...others])
    out[key] = /^(any|one|all)Of$/.test(key) ? schema[key].map(oracle) : schema[key]
  const types = [schema.type ?? []].flat()
  const ofArray = OF_ARRAYS.filter((key) => key in schema).map((key) => [key, oracle(schema[key])])
  const typed = (type) => ({ type, ...(type === 'array' && Object.fromEntries(ofArray)) })
  if (Array.isArray(schema.type)) out.anyOf = types.map(typed)
  else if ('type' in schema) Object.assign(out, typed(schema.type))
  if (FORMATS.includes(schema.format)) out.format = schema.format
  const isObject = types.includes('object') || 'properties' in schema
  if (isObject)
    out.properties = Object.fromEntries(Object.entries(schema.properties ?? {}).map(([k, v]) => [k, oracle(v)]))
  const required = (schema.required ?? []).filter((name) => Object.hasOwn(schema.properties ?? {}, name))
  if (required.length > 0) out.required = required
  if (isObject) out.additionalProperties = false
  return out
}

const { schema: ANY } = fc.letrec((tie) => ({
  // Without a bound one schema in some hundreds has thousands of parts.
  schema: fc.oneof({ maxDepth: 3 }, fc.constant({ type: 'string' }), { arbitrary: tie('whole'), weight: 4 }),
  whole: fc.record(
    {
      title: fc.string(),
      type: fc.oneof(
        fc.constantFrom('string', 'object', 'array', 'number'),
        fc.subarray(['string', 'null', 'object', 'array'], { minLength: 1 }),
      ),
      description: fc.string(),
      format: fc.constantFrom(...FORMATS, 'uri', 'int32'),
      enum: fc.array(fc.oneof(fc.string(), fc.integer())),
      default: fc.oneof(fc.boolean(), fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 })),
      minItems: fc.nat(),
      maxItems: fc.nat(),
      uniqueItems: fc.boolean(),
      maximum: fc.integer(),
      minLength: fc.nat(),
      additionalProperties: fc.boolean(),
      required: fc.array(fc.constantFrom('a', 'b')),
      items: tie('schema'),
      anyOf: fc.array(tie('schema'), { maxLength: 2 }),
      properties: fc.dictionary(fc.constantFrom('a', 'b', 'ü'), tie('schema'), { maxKeys: 2 }),
    },
    { requiredKeys: [] },
  ),
}))

/** The definitions, and the names of those that go out changed because a provider would refuse them. */
async function shownOf(tools) {
  router.configure({ schemaStyle: 'host', searchTurns: 0 })
  await router.setServers([{ name: 's', tools }], { replace: true })
  const session = router.openSession()
  const text = session.tools()
  const adapted = session.render({ delivery: 'append' }).adapted.map(({ name }) => name)
  session.close()
  return { text, adapted }
}

test.serial('schemas are shown as the oracle shows them, byte for byte', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(ANY, { minLength: 1, maxLength: 8 }), async (schemas) => {
      // What stands at the top is an object there, and alternatives at the top have a rule of their own.
      const tops = schemas.map(({ anyOf: _, ...schema }) => ({ ...schema, type: 'object' }))
      const tools = tops.map((inputSchema, at) => ({ name: `t${at}`, description: 'd', inputSchema }))
      const expected = tops.map((schema, at) => ({
        type: 'function',
        function: { name: `mcp--s--t${at}`, description: 'd', parameters: oracle(schema) },
      }))
      const { text, adapted } = await shownOf(tools)
      const asTheyAre = (definitions) => definitions.filter((one) => !adapted.includes(one.function.name))
      t.deepEqual(
        asTheyAre(JSON.parse(text)).map((one) => JSON.stringify(one)),
        asTheyAre(expected).map((one) => JSON.stringify(one)),
      )
    }),
    { numRuns: 100 },
  )
})

test.serial(
  'a tool without description or schema has none there, and another style is a change of the tool',
  async (t) => {
    const tools = [{ name: 'bare' }]
    const bare = {
      type: 'function',
      function: { name: 'mcp--s--bare', parameters: { type: 'object', additionalProperties: false, properties: {} } },
    }
    t.is((await shownOf(tools)).text, JSON.stringify([bare]))
    router.configure({ schemaStyle: 'sent' })
    const { changed } = await router.setServer({ name: 's', tools })
    t.deepEqual(changed, [{ serverName: 's', toolName: 'bare' }])
  },
)

test.serial('alternatives at the top become one object that takes what each of them takes', async (t) => {
  const [a, b] = [{ type: 'string' }, { type: 'number' }]
  const inputSchema = {
    oneOf: [
      { type: 'object', properties: { a, b }, required: ['a', 'b'] },
      { type: 'object', properties: { a }, required: ['a'] },
    ],
  }
  const [definition] = JSON.parse((await shownOf([{ name: 'either', inputSchema }])).text)
  t.deepEqual(definition.function.parameters, {
    type: 'object',
    properties: { a, b },
    required: ['a'],
    additionalProperties: false,
  })
})

test.serial('servers stand in the order of the host, and names do not depend on it', async (t) => {
  const tools = [{ name: 'read' }]
  router.configure({ searchTurns: 0 })
  const order = ['b', 'c', 'a']
  await router.setServers(
    order.map((name, position) => ({ name, tools, position })),
    { replace: true },
  )
  const session = router.openSession()
  const names = JSON.parse(session.tools()).map((tool) => tool.function.name)
  t.deepEqual(
    names,
    order.map((name) => `mcp--${name}--read`),
  )
  for (const name of order)
    t.deepEqual(router.resolveTool(`mcp--${name}--read`), { serverName: name, toolName: 'read' })
  session.close()
})
