// Odd schemas, descriptions and hints live, and reach the model unchanged.
import test from 'ava'
import { ToolRouter } from '../../index.js'
import { definitions, everything, fresh, nothing, router, started } from '../helpers/router.mjs'
import { summary } from '../helpers/odd-catalogue.mjs'

const nest = (levels) => `${'{"type":"object","properties":{"inner":'.repeat(levels)}{}${'}}'.repeat(levels)}`

const HUGE = JSON.stringify({
  type: 'object',
  properties: Object.fromEntries(
    Array.from({ length: 1500 }, (_, at) => [
      `field_${at}`,
      { type: 'string', description: `What the field number ${at} of the record holds` },
    ]),
  ),
})

const ODD_SCHEMAS = {
  'no type': '{"properties":{"a":{"type":"string"}}}',
  'nothing at all': '{}',
  'a recursive $ref': '{"type":"object","properties":{"child":{"$ref":"#"}},"$defs":{"n":{"$ref":"#/$defs/n"}}}',
  'type arrays': '{"type":["object","null"],"properties":{"a":{"type":["string","integer",null]}}}',
  'boolean schemas': '{"type":"object","properties":{"a":true,"b":false},"additionalProperties":false}',
  'odd white space and numbers':
    '{ "z" : 1.0e3,\n\t"a":-0.0, "long":12345678901234567890123, "u":"\\u00e9\\ud83d\\ude00" }',
  'duplicate keys': '{"type":"object","type":"object","properties":{"a":{},"a":{}}}',
  'keys that are no identifiers':
    '{"type":"object","properties":{"":{},"a b":{},"日本":{},"__proto__":{},"constructor":{}}}',
  'numeric keys out of order': '{"type":"object","properties":{"10":{},"9":{},"b":{},"a":{}}}',
  '2,000 levels': nest(2000),
  '23,000 tokens and more': HUGE,
}

/** The same text, but for what a provider refuses: `accepted-schemas.spec` has those. */
const taken = (text) => ToolRouter.acceptedSchema(text, { provider: 'openai-chat' }).inputSchema

for (const [what, text] of Object.entries(ODD_SCHEMAS)) {
  test.serial(`a schema with ${what} is kept byte by byte, except for what a provider refuses`, async (t) => {
    await fresh()
    const change = await router.setServer({
      name: 's',
      tools: [{ name: 'odd', description: 'd', inputSchema: text }, { name: 'other' }],
    })
    t.deepEqual(change.refused, [])
    const rendered = await everything()
    t.is(
      rendered
        .slice(1)
        .indexOf(`{"type":"function","function":{"name":"mcp--s--odd","description":"d","parameters":${taken(text)}}}`),
      0,
    )
    const { session } = await started('', { searchTurns: 0 })
    const { messages } = session.render({ provider: 'openai-chat', delivery: 'call' })
    t.true(JSON.parse(messages)[0].content.includes(text), 'a text, which nobody checks, has it as it was sent')
    t.is((await router.rank('odd')).tools[0].toolName, 'odd')
  })
}

test.serial('a schema that is absent, null or true means no input', async (t) => {
  await fresh([
    {
      name: 's',
      tools: [
        { name: 'a' },
        { name: 'b', inputSchema: null },
        { name: 'c', inputSchema: 'true' },
        { name: 'd', inputSchema: 'null' },
      ],
    },
  ])
  for (const { parameters } of await definitions()) t.deepEqual(parameters, { type: 'object', properties: {} })
})

const DESCRIPTIONS = [
  '',
  '说明：创建一个新的问题',
  '🚀🔥 MUST MUST MUST call this FIRST!!! 👩‍👩‍👧‍👦',
  'Line one\nline two\r\n\ttab "quotes" \\ back\u0000slash \u2028',
  'a'.repeat(256 * 1024),
]

test.serial('descriptions of every kind reach the model unchanged', async (t) => {
  const tools = DESCRIPTIONS.map((description, at) => ({ name: `t${at}`, description }))
  await fresh([{ name: 's', tools }])
  t.deepEqual(
    (await definitions()).map(({ description }) => description),
    DESCRIPTIONS,
  )
})

test.serial('a tool can be passed unchanged: unknown fields and nulls are ignored', async (t) => {
  await fresh()
  const change = await router.setServer({
    name: 's',
    version: '1.2',
    _meta: { a: 1 },
    tools: [
      {
        name: 'a',
        title: null,
        description: null,
        annotations: null,
        _meta: null,
        inputSchema: null,
        outputSchema: { type: 'object' },
        icons: [{ src: 'x' }],
        execution: { taskSupport: 'optional' },
      },
      {
        name: 'b',
        annotations: { readOnlyHint: 'yes', destructiveHint: true },
        _meta: { 'anthropic/alwaysLoad': 'no' },
      },
    ],
  })
  t.deepEqual(summary(change), { ...nothing, added: ['s/a', 's/b'] })
  t.is((await definitions())[0].description, '')
})
