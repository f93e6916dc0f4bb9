// Long lists are read over several turns of the event loop; what comes of them is what comes of short ones.

import test from 'ava'

import { router } from '../helpers/router.mjs'

/** So many take longer to read than one slice. */
const MANY = 5_000

test.beforeEach(() => router.setServers([], { replace: true }))

const tool = (at) => ({ name: `tool_${at}`, description: `Does the ${at}th thing`, inputSchema: { type: 'object' } })
const manyTools = () => Array.from({ length: MANY }, (_, at) => tool(at))
const names = async () => (await router.listTools()).map(({ toolName }) => toolName)

test.serial('a tool that cannot be read late is refused alone, with its position and path', async (t) => {
  const tools = manyTools()
  tools[3] = { name: 7 }
  tools[MANY - 2] = { name: 'late', description: 1 }
  tools[MANY - 1] = {
    get name() {
      throw new Error('a getter')
    },
  }
  const filler = { name: 'a', tools: manyTools() }
  const { refused, added } = await router.setServers([filler, { name: 's', tools }])
  t.is(added.length, 2 * MANY - 3)
  t.deepEqual(
    refused.map(({ position, toolName }) => [position, toolName]),
    [
      [3, ''],
      [MANY - 2, 'late'],
      [MANY - 1, ''],
    ],
  )
  t.true(refused[1].reason.includes(`setServers[1].tools[${MANY - 2}]`), refused[1].reason)
})

test.serial('a server that cannot be read late refuses the call, and nothing is changed', async (t) => {
  const servers = Array.from({ length: 2 }, (_, at) => ({ name: `s${at}`, tools: manyTools() }))
  const error = await t.throwsAsync(router.setServers([...servers, { name: 'last', tools: 'none' }]))
  t.is(error.code, 'ERR_INVALID_ARGUMENT')
  t.regex(error.message, /^setServers\[2\]\.tools: expected an array/)
  t.deepEqual(await names(), [])
})

test.serial('a list that shrinks after the call gives tools that are refused, and no others', async (t) => {
  const tools = manyTools()
  const pending = router.setServer({ name: 's', tools })
  tools.length = 10
  const { added, refused } = await pending
  t.is(added.length + refused.length, MANY)
  t.true(refused.length > 0, 'the list was read in one turn')
  t.true(refused.every(({ serverName, position }) => serverName === 's' && position >= 10))
})
