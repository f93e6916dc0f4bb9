// The name of a gateway among others that serve the same, and what it begins.
import test from 'ava'

import { Replica } from '../../../packages/gateway/base/replica.mjs'
import { readConfig } from '../../../packages/gateway/config/read.mjs'

const settingsOf = (gateway) => readConfig({ mcpServers: {}, gateway }, { env: {} }).settings

test.serial('a replica is called as the setting or the variable says, by a label of a host name', (t) => {
  t.is(settingsOf({}).replica, undefined)
  process.env.ZOO_TOOL_ROUTER_REPLICA = 'of-the-variable'
  t.teardown(() => delete process.env.ZOO_TOOL_ROUTER_REPLICA)
  t.is(settingsOf({}).replica, 'of-the-variable')
  t.is(settingsOf({ replica: 'tool-router-0' }).replica, 'tool-router-0')
  for (const replica of ['', 'Upper', '0-first', 'ends-', 'with.dot', 'a b', `a${'b'.repeat(63)}`, 7]) {
    const { message } = t.throws(() => settingsOf({ replica }), { code: 'ERR_INVALID_ARGUMENT' })
    t.regex(message, /^config\.gateway\.replica: expected .*, got /)
  }
})

test('a number begins with the name, and without one it is only what nobody guesses', (t) => {
  const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/
  t.regex(new Replica().numbered(), uuid)
  const [before, after] = new Replica({ replica: 'one' }).numbered().split('.')
  t.is(before, 'one')
  t.regex(after, uuid)
})

test('what another replica over the same database holds is told to be there, and nothing else', (t) => {
  const store = 'postgres://router@db/router'
  const [one, two] = ['one', 'two'].map((replica) => new Replica({ replica, store }))
  const [stranger, alone] = [new Replica({ replica: 'two', store: 'postgres://other' }), new Replica()]
  const waits = (of) => ({ params: { name: 'call_tool', requestState: `${of.stateMark()}some-number` } })
  t.deepEqual(one.elsewhere(waits(two)), { replica: 'two', isCall: true })
  for (const other of [one, stranger, alone]) t.is(one.elsewhere(waits(other)), undefined)
  const read = (handle) => ({ params: { name: 'read_result', arguments: { handle } } })
  const held = two.numbered('res_abc')
  t.deepEqual(one.elsewhere(read(held)), { replica: 'two', isCall: false })
  t.deepEqual(one.elsewhere({ params: { uri: `held-result:${held}?need=x` } }), { replica: 'two', isCall: false })
  for (const body of [
    read('res_abc'),
    read(one.numbered('res_abc')),
    read(7),
    { params: { name: 'a', arguments: { handle: held } } },
  ])
    t.is(one.elsewhere(body), undefined)
  for (const body of [{}, { params: {} }, { params: { requestState: 7, uri: null } }])
    t.is(one.elsewhere(body), undefined)
  t.is(one.ownHandle(one.numbered('res_abc')), 'res_abc')
  t.is(alone.ownHandle('res_abc'), 'res_abc')
})
