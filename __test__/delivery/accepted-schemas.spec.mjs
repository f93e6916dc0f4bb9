import Ajv2020 from 'ajv/dist/2020.js'
import test from 'ava'

import { nextDefinitions } from '../../adapters/session-calls.mjs'
import { router, ToolRouter } from '../helpers/router.mjs'

const silent = { strict: false, logger: false, allErrors: false }
const latest = () => new Ajv2020(silent)
const meta = latest()

const WAYS = [
  ['openai-chat', 'append'],
  ['openai-responses', 'append'],
  ['openai-responses', 'defer'],
  ['anthropic', 'append'],
  ['anthropic', 'defer'],
  ['anthropic', 'changes'],
  ['anthropic', 'program'],
  ['gemini', 'append'],
  ['bedrock', 'append'],
  ['vscode', 'append'],
]
const SCHEMA_OF = {
  'openai-chat': (tool) => tool.function?.parameters,
  'openai-responses': (tool) => tool.parameters,
  anthropic: (tool) => tool.input_schema,
  gemini: (tool) => tool.parametersJsonSchema,
  bedrock: (tool) => tool.toolSpec?.inputSchema?.json,
  vscode: (tool) => tool.inputSchema,
}

/** What a provider says against a schema, by what it has answered in public. */
function refusals(provider, schema) {
  const found = []
  const { $schema: _, ...plain } = schema
  if (!meta.validateSchema(plain)) found.push(meta.errorsText(meta.errors))
  if (schema.type !== 'object') found.push('no object')
  for (const key of ['anyOf', 'oneOf', 'allOf', '$ref']) if (key in schema) found.push(`${key} at the root`)
  try {
    latest().compile(plain)
  } catch (error) {
    found.push(error.message)
  }
  if (provider.startsWith('openai') || provider === 'vscode') {
    for (const key of ['not', 'enum']) if (key in schema) found.push(`${key} at the root`)
    if (!schema.properties) found.push('no properties')
    if (listsWithout(schema)) found.push('a list without items')
  }
  return found
}

function listsWithout(node) {
  if (node === null || typeof node !== 'object') return false
  if ([node.type].flat().includes('array') && !('items' in node)) return true
  return Object.values(node).some(listsWithout)
}

async function opened(schemas) {
  router.configure({ ranker: 'lexical' })
  const tools = schemas.map((inputSchema, at) => ({ name: `run_${at}`, description: 'Runs.', inputSchema }))
  const change = await router.setServers([{ name: 'odd', tools }], { replace: true })
  const session = router.openSession()
  await session.start('run all of them')
  return { session, change }
}

function listed(provider, text) {
  const entries = JSON.parse(text).flatMap((entry) => entry.functionDeclarations ?? [entry])
  return entries.map(SCHEMA_OF[provider]).filter(Boolean)
}

const object = (properties, more) => ({ type: 'object', properties, ...more })
const REFUSED = {
  'a list of lists without items': object({ rows: { type: 'array', items: { type: 'array' } } }),
  'a list without items in a definition': object({ a: { $ref: '#/$defs/l' } }, { $defs: { l: { type: 'array' } } }),
  'an empty schema': {},
  'a root that refers twice': {
    $ref: '#/definitions/a',
    definitions: { a: { $ref: '#/definitions/b' }, b: object({ q: {} }) },
  },
  'a root that refers to alternatives': {
    $ref: '#/$defs/a',
    $defs: { a: { oneOf: [object({ x: {} }), object({ y: {} })] } },
  },
  'not at the root': object({ a: {} }, { not: { required: ['a'] } }),
  'a number for a schema': object({ a: 5, b: { type: 'string' } }),
  'required: false in a property': object({ a: { type: 'string', required: false } }),
  'a type of another language': object({ a: { type: 'float' }, b: { type: ['str', 'None'] }, c: { type: 'Date' } }),
  'limits of draft 4': object({ a: { type: 'number', maximum: 3, exclusiveMaximum: true } }),
  'a tuple of draft 7': object({ a: { type: 'array', items: [{ type: 'number' }], additionalItems: false } }),
  'an enum that is an object': object({ a: { enum: { on: 1 } } }),
  'nothing required': object({ a: {} }, { required: null }),
  'empty alternatives': object({ a: { anyOf: [] } }),
  'a reference to another document': object({ a: { $ref: 'https://schemas.example/pet.json' } }),
  'references that go round': object(
    { a: { $ref: '#/$defs/b' } },
    { $defs: { b: { $ref: '#/$defs/c' }, c: { $ref: '#/$defs/b' } } },
  ),
  'a pattern of another language': object({ a: { type: 'string', pattern: '^\\p{Lu}+$' } }),
}

for (const [label, schema] of Object.entries(REFUSED)) {
  test.serial(`no provider refuses ${label}, whichever way it goes`, async (t) => {
    const { session, change } = await opened([schema])
    const told = change.warnings.filter(({ code }) => code === 'adapted-schema')
    t.deepEqual([told.length, told[0]?.toolName], [1, 'run_0'])
    for (const [provider, delivery] of WAYS) {
      const { tools, adapted } = session.render({ provider, delivery })
      const sent = listed(provider, tools)
      for (const one of sent) t.deepEqual(refusals(provider, one), [], provider)
      const isAsSent = sent.some((one) => JSON.stringify(one) === JSON.stringify(schema))
      t.is(adapted.length, isAsSent ? 0 : 1, `${provider} says what it changed`)
    }
    for (const { parameters } of nextDefinitions(session)) t.deepEqual(refusals('openai-chat', parameters), [])
    session.close()
  })
}

test.serial('a whole number that no 64 bits hold is in no request to an API that refuses it', async (t) => {
  const text = '{"type":"object","properties":{"a":{"type":"integer","minimum":0,"maximum":18446744073709551615}}}'
  for (const schema of [text, JSON.parse(text)]) {
    const { session } = await opened([schema])
    for (const provider of ['anthropic', 'bedrock', 'vscode', 'openai-chat']) {
      const { tools, adapted } = session.render({ provider, delivery: 'append' })
      const [{ properties }] = listed(provider, tools)
      const isKept = provider === 'openai-chat'
      t.deepEqual(Object.keys(properties.a).includes('maximum'), isKept, provider)
      t.is(properties.a.minimum, 0)
      t.deepEqual(
        adapted.flatMap(({ changes }) => changes),
        isKept ? [] : ['numbers-removed'],
        provider,
      )
    }
    session.close()
  }
})

test('half of a surrogate pair reaches nobody', (t) => {
  const schema = object(
    { 'a\ud800': {}, b: { description: 'c\udc00', enum: ['\ud83d', 'x'] } },
    { required: ['a\ud800', 'b'] },
  )
  for (const provider of Object.keys(SCHEMA_OF)) {
    const { inputSchema, changes } = ToolRouter.acceptedSchema(schema, { provider })
    t.true(changes.includes('surrogates-removed'))
    t.false(/\\ud[89a-f]/i.test(inputSchema))
    t.deepEqual(JSON.parse(inputSchema), object({ b: { description: 'c\ufffd' } }, { required: ['b'] }))
  }
})

test('what is given is checked, and the provider decides', (t) => {
  const list = object({ a: { type: 'array' } })
  t.deepEqual(ToolRouter.acceptedSchema(list, { provider: 'anthropic' }), {
    inputSchema: JSON.stringify(list),
    changes: [],
  })
  t.deepEqual(ToolRouter.acceptedSchema(list, { provider: 'vscode' }).changes, ['items-added'])
  const odd = ToolRouter.acceptedSchema(object({ 'a b': {} }), { description: 'Does it.' })
  t.deepEqual(odd.changes, ['parameters-described'])
  t.true(odd.description.startsWith('Does it.') && odd.description.includes('"a b"'))
  t.throws(() => ToolRouter.acceptedSchema('{'), { code: 'ERR_INVALID_ARGUMENT' })
  t.throws(() => ToolRouter.acceptedSchema({}, { provider: 'openai' }), { code: 'ERR_INVALID_ARGUMENT' })
})
