// A tool is tried from the page: by a form of its schema, as a call that is noted, and within what the guest may use.
import test from 'ava'
import fc from 'fast-check'

import { argumentsOf, fieldsOf } from '../../../packages/gateway/page/app/fields.mjs'
import { odd, unique, until } from '../../helpers/gateway.mjs'
import { visiting } from '../../helpers/visits.mjs'

/** A page before a server, when its tools are there. */
async function opened(t, server = {}, more = {}) {
  const name = unique('odd')
  const made = await visiting(t, { mcpServers: { [name]: odd(server) }, ...more })
  await until(t, async () => (await made.browser.read('servers')).servers[0]?.toolCount > 0, 'its tools are there')
  const call = (tool, args, browser = made.browser) => browser.post('/ui/data/call', { server: name, tool, args })
  return { ...made, name, call }
}

test('a call from the page is answered as the server answers it, and has its row', async (t) => {
  const { name, call, browser, opened: gateway } = await opened(t)
  const { status, text } = await call('echo', { value: 'word-7', list: [1, { a: null }] })
  t.is(status, 200, text)
  const { isError, text: answer } = JSON.parse(text)
  t.false(isError)
  t.deepEqual(JSON.parse(answer), { value: 'word-7', list: [1, { a: null }] })
  const { calls } = await browser.read('calls')
  t.like(calls[0], { server: name, tool: 'echo', outcome: 'ok', client: 'page' })
  t.false(JSON.stringify(calls).includes('word-7'))
  t.is(gateway.sessionCount, 0)
})

test('what is off, wrong or unknown is refused in words, and nothing is called', async (t) => {
  const { call, browser } = await opened(t, { disabledTools: ['tell_pid'] })
  t.is((await call('tell_pid', {})).status, 404)
  t.is((await call('no_such', {})).status, 404)
  for (const args of [undefined, null, [], 'text', 7]) t.is((await call('echo', args)).status, 400)
  t.deepEqual((await browser.read('calls')).calls, [])
})

test('no secret of a server is in what a tool answers', async (t) => {
  const { call } = await opened(t, { env: { API_KEY: 'secret-of-the-entry' } })
  const { text } = await call('echo', { value: 'it is secret-of-the-entry' })
  t.false(text.includes('secret-of-the-entry'), text)
})

test('what is written into the fields of a schema are its arguments', (t) => {
  const schema = {
    type: 'object',
    properties: {
      text: { type: 'string', description: 'Any' },
      size: { type: 'integer' },
      order: { enum: ['up', 'down'] },
      isOpen: { type: 'boolean' },
      tags: { type: 'array' },
    },
    required: ['text', 'size'],
  }
  const fields = fieldsOf(JSON.stringify(schema))
  t.deepEqual(
    fields.map(({ name, kind, required }) => [name, kind, required]),
    [
      ['text', 'text', true],
      ['size', 'number', true],
      ['order', 'choice', false],
      ['isOpen', 'choice', false],
      ['tags', 'json', false],
    ],
  )
  const given = { text: '', size: '3', order: '', isOpen: 'false', tags: '[1]' }
  t.deepEqual(
    argumentsOf(fields, (name) => given[name]),
    { text: '', size: 3, isOpen: false, tags: [1] },
  )
  t.throws(() => argumentsOf(fields, (name) => ({ ...given, tags: '[1' })[name]), { message: /^tags: expected JSON/ })
  const [own] = fieldsOf('{"properties": {"__proto__": {"type": "string"}}}')
  t.deepEqual(Object.entries(argumentsOf([own], () => 'x')), [['__proto__', 'x']])
  // A schema that is cut, or none.
  for (const odd of ['{"properties": {"a"', 'null', '7']) t.is(fieldsOf(odd)[0]?.name ?? '', '')
  t.deepEqual(
    argumentsOf(fieldsOf('{'), () => '{"a": 1}'),
    { a: 1 },
  )
  fc.assert(
    fc.property(fc.json(), (text) => {
      const found = fieldsOf(text)
      return found.every(
        ({ name, kind }) => typeof name === 'string' && ['text', 'number', 'choice', 'json'].includes(kind),
      )
    }),
  )
})
