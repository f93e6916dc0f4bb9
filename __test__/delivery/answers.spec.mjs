// How calls by name are checked, and a load is answered.
import test from 'ava'
import { servers } from '../helpers/catalogue.mjs'
import { refused } from '../helpers/router.mjs'
import { PAIRS, started, router } from '../helpers/delivered.mjs'

const EVERY = Object.entries(PAIRS).flatMap(([provider, all]) => all.map((delivery) => ({ provider, delivery })))

test.serial('a call by name is checked, and what is wrong is said so that a model can act on it', async (t) => {
  const { session, selection } = await started({ directoryTokens: 0 })
  const name = 'mcp--codehub--list_issues'
  t.true(selection.attached.includes(name))
  const ok = await session.checkCall({ name, arguments: { repo: 'a/b', state: 'open' } })
  t.deepEqual(ok, {
    tool: { serverName: 'codehub', toolName: 'list_issues' },
    arguments: '{"repo":"a/b","state":"open"}',
    validated: true,
  })
  for (const call of [
    { name, arguments: '{"repo":"a/b"}' },
    JSON.stringify({ name, arguments: JSON.stringify({ repo: 'a/b' }) }),
    { name: name.replaceAll('-', '_'), arguments: { repo: 'a/b' } },
    { name: 'list_issues', arguments: { repo: 'a/b' } },
  ])
    t.is((await session.checkCall(call)).arguments, '{"repo":"a/b"}', JSON.stringify(call))
  for (const [call, reason, said] of [
    [
      { name, arguments: {} },
      'invalid-arguments',
      /"repo" is a required property.*parameters: repo \(string\), required/,
    ],
    [{ name, arguments: { repo: 'a', state: 'opn' } }, 'invalid-arguments', /arguments\/state: "opn" is not one of/],
    [{ name, arguments: [1] }, 'invalid-arguments', /expected an object, got \[1\]/],
    [{ name, arguments: '{"repo":' }, 'invalid-arguments', /text that is not JSON/],
    [{ name, arguments: '5' }, 'invalid-arguments', /expected an object, got 5/],
    [{ name: 'mcp--codehub--lst_issues' }, 'unknown', /Near names: mcp--codehub--list_issues/],
    [{ name: 'mcp--weatherly--air_quality' }, 'not-attached', /mcp_load with the query "mcp--weatherly--air_quality"/],
    [{ name: 'mcp_load' }, 'invalid-call', /called directly/],
    [{ name: 'mcp_call', arguments: { name: 'mcp_call', arguments: {} } }, 'invalid-call', /got mcp_call without them/],
    [{ name: 'mcp_call', arguments: { name: 'no_such' } }, 'unknown', /No tool is named no_such/],
    [{ name: 'mcp_call', arguments: '{"name":"no_such"}' }, 'unknown', /No tool is named no_such/],
    [{}, 'invalid-call', /got no name/],
    [{ name: 7 }, 'invalid-call', /got the name 7/],
    ['nonsense', 'invalid-call', /expected an object/],
    ['[]', 'invalid-call', /expected an object/],
  ]) {
    const { problem, arguments: sent } = await session.checkCall(call)
    t.is(problem?.reason, reason, JSON.stringify(call))
    t.regex(problem.message, said)
    t.is(sent, undefined)
  }
  await session.sync({ hostMode: 'ask' })
  t.is((await session.checkCall({ name })).problem.reason, 'out-of-scope')
  await session.sync({ hostMode: null })
  await router.setServer({ ...servers()[0], disabledTools: ['list_issues'] })
  t.is((await session.checkCall({ name })).problem.reason, 'disabled')
  await router.removeServer('codehub')
  t.is((await session.checkCall({ name })).problem.reason, 'server-gone')
  for (const call of [5, null, undefined, true]) await refused(t, 'ERR_INVALID_ARGUMENT', () => session.checkCall(call))
})

test.serial('an answer to a load takes the result of a load and the id of a call', async (t) => {
  const { session } = await started()
  const result = await session.load({ query: 'no_such_tool_anywhere, mcp--Chat_Room--postMessage' })
  for (const pair of EVERY) {
    const answer = JSON.parse(session.answerLoad(result, { ...pair, callId: 'id-1' }))
    t.true(JSON.stringify(answer[0]).includes('id-1'), JSON.stringify(pair))
    t.true(JSON.stringify(answer).includes('no_such_tool_anywhere'), JSON.stringify(pair))
  }
  for (const value of [[], {}, 'x', 5, null, { loaded: 3 }])
    await refused(t, 'ERR_INVALID_ARGUMENT', () => session.answerLoad(value, { callId: 'c' }))
  for (const options of [
    undefined,
    {},
    { callId: '' },
    { callId: 5 },
    { callId: 'x'.repeat(2000) },
    { callId: 'c', id: 1 },
  ])
    await refused(t, 'ERR_INVALID_ARGUMENT', () => session.answerLoad(result, options))
})
