// Results in the gateway: nothing above the bound reaches a client, of whichever era, and each client reads its own.
import test from 'ava'

import * as eras from '../../helpers/eras.mjs'
import { gateway, inProcess, odd, unique } from '../../helpers/gateway.mjs'
import { router } from '../../helpers/router.mjs'

const MOST = 4_000
const HANDLE = /res_[a-z2-7]{26}/

async function opened(t, settings = {}) {
  const name = unique('odd')
  const made = await gateway(t, { mcpServers: { [name]: odd() }, gateway: settings })
  return { made, tool: (own) => `mcp--${name}--${own}` }
}

const textOf = ({ content }) => content.map(({ text = '' }) => text).join('\n')

for (const [era, open] of [
  ['older', inProcess],
  ['current', eras.inProcess],
]) {
  test(`a client of the ${era} era gets a long result described, and reads it by need, path and range`, async (t) => {
    const { made, tool } = await opened(t)
    const client = await open(t, made)
    const call = (name, args) => client.use('call_tool', { name: tool(name), arguments: args })
    const result = await call('write_much', { rows: 2_000 })
    const [handle] = textOf(result).match(HANDLE)
    t.true((await router.countTokens(textOf(result))) <= MOST)
    const read = async (args) => textOf(await client.use('read_result', { handle, ...args }))
    t.true((await read({ need: 'row of the lighthouse' })).includes('lighthouse'))
    t.true((await read({ path: '$[3].id' })).includes('= 3'))
    t.true((await router.countTokens(await read({ need: 'row', maxTokens: 1_000_000 }))) <= MOST)
    const wrong = await client.use('read_result', { handle, path: '$.x' })
    t.true(wrong.isError && textOf(wrong).includes('an array of 2000'))
  })
}

test('a held result is a resource of its client, with the same bound', async (t) => {
  const { made, tool } = await opened(t)
  const [client, other] = [await inProcess(t, made), await inProcess(t, made)]
  const result = await client.use('call_tool', { name: tool('write_much'), arguments: { rows: 2_000 } })
  const [handle] = textOf(result).match(HANDLE)
  const { contents } = await client.readResource({ uri: `held-result:${handle}?need=lighthouse` })
  t.true(contents[0].text.includes('lighthouse') && (await router.countTokens(contents[0].text)) <= MOST)
  await t.throwsAsync(other.readResource({ uri: `held-result:${handle}` }), {
    message: /holds no result of that handle/,
  })
  const refused = await other.use('read_result', { handle, need: 'x' })
  t.true(refused.isError && !textOf(refused).includes(handle))
})

test('the bound can be another, or off, and without read_result nothing is held', async (t) => {
  const rows = async (settings) => {
    const { made, tool } = await opened(t, settings)
    const client = await inProcess(t, made)
    return textOf(await client.use('call_tool', { name: tool('write_much'), arguments: { rows: 2_000 } }))
  }
  t.is(JSON.parse(await rows({ maxResultTokens: false })).length, 2_000)
  t.is(JSON.parse(await rows({ maxResultTokens: 0 })).length, 2_000)
  t.is(JSON.parse(await rows({ metaTools: ['call_tool'] })).length, 2_000)
  t.true((await router.countTokens(await rows({ maxResultTokens: 500 }))) <= 500)
})
