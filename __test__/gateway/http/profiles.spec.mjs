// Profiles of a gateway over HTTP, by path and by token, and what one can learn of another by any of the three ways.
import { writeFileSync } from 'node:fs'
import path from 'node:path'

import test from 'ava'
import fc from 'fast-check'

import { readConfig } from '../../../packages/gateway/config/read.mjs'
import { createGateway } from '../../../packages/gateway/gateway/index.mjs'
import * as eras from '../../helpers/eras.mjs'
import { configFile, folder, inProcess, MARKED, overHttp, startCli, unique, until } from '../../helpers/gateway.mjs'

const marked = (mark, numbers) => ({
  command: process.execPath,
  args: [MARKED, mark, ...(numbers ? [`${numbers.join(',')},`] : [])],
})
const TOKENS = { one: 'o'.repeat(32), two: 't'.repeat(40) }

/** Two servers, and a profile for each of them. */
function twoProfiles() {
  const [a, b] = [unique('mkalpha'), unique('mkbeta')]
  const config = {
    mcpServers: { [a]: marked(a), [b]: marked(b) },
    profiles: {
      one: { servers: [a], token: TOKENS.one },
      'two/ü': { servers: [b], token: TOKENS.two },
      bare: { tools: [`${b}/${b}_list_t1`] },
    },
  }
  return { a, b, config }
}

async function opened(t, config) {
  const gateway = await createGateway({ config }, { listDir: undefined })
  t.teardown(() => gateway.close())
  const endpoint = await gateway.listen()
  return { gateway, endpoint, at: (place, token = endpoint.token) => ({ url: endpoint.url + place, token }) }
}

const modulesOf = async (client) => {
  const { modules } = await client.ask('manage_modules', { action: 'list' })
  return modules.map(({ module, tools }) => [module, tools])
}
const statusAt = async ({ url, token }) => {
  const headers = { Authorization: `Bearer ${token}`, Accept: 'text/event-stream' }
  const response = await fetch(url, { headers })
  return [response.status, await response.text()]
}

test('each profile is served under its path, to clients of both eras, and all servers under the path without one', async (t) => {
  const { a, b, config } = twoProfiles()
  const { at } = await opened(t, config)
  t.deepEqual(await modulesOf(await overHttp(t, at('/one'))), [[a, 3]])
  t.deepEqual(await modulesOf(await eras.overHttp(t, at('/two%2F%C3%BC'))), [[b, 3]])
  t.deepEqual(await modulesOf(await overHttp(t, at('/bare'))), [[b, 1]])
  const both = [
    [a, 3],
    [b, 3],
  ]
  t.deepEqual(await modulesOf(await overHttp(t, at(''))), both)
})

test('the token of a profile opens that profile alone, and says nothing of others', async (t) => {
  const { a, config } = twoProfiles()
  const { gateway, endpoint, at } = await opened(t, config)
  for (const place of ['', '/one']) t.deepEqual(await modulesOf(await overHttp(t, at(place, TOKENS.one))), [[a, 3]])
  const nothing = await statusAt(at('/nobody', TOKENS.one))
  t.is(nothing[0], 404)
  for (const place of ['/two%2F%C3%BC', '/bare', '/one/']) t.deepEqual(await statusAt(at(place, TOKENS.one)), nothing)
  t.is((await statusAt(at('/one', 'x'.repeat(32))))[0], 401)
  t.is((await statusAt(at('/nobody')))[0], 404)
  t.deepEqual(
    gateway.servers.map(({ state }) => state),
    ['ready', 'idle'],
    'what nobody has asked for is not started',
  )
  t.false(JSON.stringify(gateway.config.leftOut).includes(endpoint.token))
})

test('profiles share the servers that run', async (t) => {
  const { a, config } = twoProfiles()
  config.profiles.shared = { tools: [`${a}/${a}_list_t1`] }
  const { at } = await opened(t, config)
  const pidOf = async (place) => {
    const client = await eras.overHttp(t, at(place))
    const { content } = await client.use('call_tool_read', { name: `mcp--${a}--${a}_list_t1` })
    return Number(content[0].text.match(/\d+/g).at(-2))
  }
  const one = await pidOf('/one')
  t.deepEqual([await pidOf('/shared'), await pidOf('')], [one, one])
})

test('a profile that an edit takes out is gone; what is edited in another holds', async (t) => {
  const { a, b, config } = twoProfiles()
  const configFile = path.join(folder(t), 'mcp.json')
  const write = () => writeFileSync(configFile, JSON.stringify(config))
  write()
  const gateway = await createGateway({ configFile }, { listDir: undefined })
  t.teardown(() => gateway.close())
  const { url, token } = await gateway.listen()
  const [one, bare] = [
    await overHttp(t, { url: `${url}/one`, token }),
    await eras.overHttp(t, { url: `${url}/bare`, token }),
  ]
  t.deepEqual(await modulesOf(one), [[a, 3]])
  t.deepEqual(await modulesOf(bare), [[b, 1]])
  delete config.profiles.one
  config.profiles.bare.tools = [`${b}/${b}_list_t0`, `${b}/${b}_list_t2`]
  write()
  await gateway.reload()
  t.is((await statusAt({ url: `${url}/one`, token }))[0], 404)
  await until(t, async () => (await modulesOf(bare))[0][1] === 2, 'the other profile has two tools')
  t.is((await statusAt({ url, token: TOKENS.one }))[0], 401)
})

test('profiles with a mistake are left out and told, without their tokens, and the others are served', (t) => {
  const token = 'secret-but-far-too-short'
  const { profiles, leftOut } = readConfig({
    mcpServers: { a: { command: 'x' } },
    profiles: {
      good: { servers: ['a'], token: '${env:NOT_SET_ANYWHERE:-abcdefghijklmnopqrstuvwxyz012345}' },
      same: { servers: ['a'], token: 'abcdefghijklmnopqrstuvwxyz012345' },
      short: { servers: ['a'], token },
      unset: { servers: ['a'], token: '${env:NOT_SET_ANYWHERE}' },
      nobody: { servers: ['b'] },
      settings: { servers: ['a'], gateway: { maxTools: 0 } },
      shared: { servers: ['a'], gateway: { inheritEnv: true } },
      writes: { servers: ['a'], gateway: { readOnly: false } },
    },
  })
  t.deepEqual([...profiles.keys()], ['good'])
  const told = leftOut.map(({ kind, name }) => `${kind} ${name}`)
  t.deepEqual(
    told,
    ['same', 'short', 'unset', 'nobody', 'settings', 'shared', 'writes'].map((name) => `profile ${name}`),
  )
  t.false(JSON.stringify(leftOut).includes(token))
  t.regex(leftOut[0].reason, /\["same"\]\.token: expected a token that no other profile has/)
  t.regex(leftOut[5].reason, /\["shared"\]\.gateway: expected only the keys metaTools, .*got "inheritEnv"/)
})

test('the command line serves profiles by path, one alone no other, and prints no token that it was given', async (t) => {
  const { a, config } = twoProfiles()
  const file = configFile(t, config)
  const serve = async (...more) => {
    const args = ['gateway', '--config', file, '--http', '127.0.0.1:0', '--lexical', ...more]
    const started = startCli(t, args, { env: { ZOO_TOOL_ROUTER_TOKEN: 'g'.repeat(32) } })
    const [, url] = await started.line(/listening on (\S+)/)
    return { started, url, token: 'g'.repeat(32) }
  }
  const { started, url, token } = await serve()
  t.deepEqual(await modulesOf(await overHttp(t, { url: `${url}/one`, token })), [[a, 3]])
  t.regex(started.stderr, /server .* ready, 3 tools/)
  t.false(started.stderr.includes(token))
  const alone = await serve('--profile', 'one')
  t.deepEqual(await modulesOf(await overHttp(t, alone)), [[a, 3]])
  t.is((await statusAt({ ...alone, url: `${alone.url}/bare` }))[0], 404)
})

// --- what a profile can learn ---------------------------------------------------------------------------

const MARKS = ['mkgamma', 'mkdelta', 'mkomega']
const toolsOf = (mark) => [0, 1, 2].map((number) => `${mark}_list_t${number}`)

/** What a profile has of a server: all of it, some of its tools, or nothing, less what is off. */
const share = fc.record({
  kind: fc.constantFrom('whole', 'some', 'nothing'),
  tools: fc.subarray([0, 1, 2], { minLength: 1 }),
  off: fc.subarray([0, 1, 2], { maxLength: 2 }),
})

/** Everything that a client can ask, as one text. Nothing that it has is called: the process remembers what was used. */
async function transcript(client, has) {
  const asked = [client.listTools(), client.listPrompts(), client.listResources(), client.listResourceTemplates()]
  const answers = await Promise.all(asked.map((answer) => answer.catch(({ message }) => message)))
  const ask = async (name, args) => answers.push([name, args, await client.ask(name, args)])
  await ask('manage_modules', { action: 'list' })
  for (const query of ['list invoices', ...MARKS, ...MARKS.flatMap(toolsOf), 'mcp--mkgamma--mkgamma_list_t9'])
    for (const name of ['mcp_load', 'search_mcps']) await ask(name, { query })
  await ask('select_mode', { task_description: 'list all invoices', confidence_level: 'exploring' })
  for (const mark of MARKS) {
    for (const tool of toolsOf(mark)) {
      if (has(mark, tool)) continue
      const { content } = await client.use('call_tool_read', { name: `mcp--${mark}--${tool}` })
      answers.push(content[0].text)
    }
    await ask('manage_modules', { action: 'load', module: mark })
    const get = client.getPrompt({ name: `${mark}--${mark}_prompt` }).catch(({ message }) => message)
    const read = client.readResource({ uri: `mark://${mark}/page` }).catch(({ message }) => message)
    answers.push(await get, await read)
  }
  answers.push((await client.listTools()).tools)
  return JSON.stringify(answers)
}

/** `profile` is served by itself; `shared` ones together, beside all servers, which run for everybody. */
async function asked(config, { profile, shared }, connect, has) {
  const gateway = await createGateway({ config, profile }, { listDir: undefined })
  const closing = []
  try {
    await gateway.ready()
    const served = shared ? await gateway.profiles.of(shared) : gateway
    return await transcript(await connect({ teardown: (end) => closing.push(end) }, served), has)
  } finally {
    for (const end of closing) await end()
    await gateway.close()
  }
}

/** The configuration of somebody whose servers have what any of these profiles has and nothing else. */
function aloneOf(...profiles) {
  const kept = MARKS.flatMap((mark, at) => {
    const has = ({ kind, tools, off }, number) =>
      kind !== 'nothing' && (kind === 'whole' || tools.includes(number)) && !off.includes(number)
    const on = [0, 1, 2].filter((number) => profiles.some((shares) => has(shares[at], number)))
    return on.length === 0 ? [] : [[mark, marked(mark, on)]]
  })
  return Object.fromEntries(kept)
}

/** A profile as it is written. */
function written(shares) {
  const of = (kind) => MARKS.filter((_, at) => shares[at].kind === kind)
  const refs = (field) =>
    MARKS.flatMap((mark, at) => shares[at][field].map((number) => `${mark}/${toolsOf(mark)[number]}`))
  const some = refs('tools').filter((ref) => of('some').includes(ref.split('/')[0]))
  return { servers: of('whole'), tools: some, disabledTools: refs('off') }
}

for (const [era, connect] of [
  ['older', inProcess],
  ['modern', eras.inProcess],
]) {
  // One after the other: the process has one catalogue.
  test.serial(
    `whatever a profile has, the ${era} client gets what a configuration of that alone gives, and no trace of more`,
    async (t) => {
      t.timeout(240_000)
      await fc.assert(
        fc.asyncProperty(fc.tuple(share, share, share), fc.tuple(share, share, share), async (p, q) => {
          const config = {
            mcpServers: Object.fromEntries(MARKS.map((mark) => [mark, marked(mark)])),
            profiles: { p: written(p), q: written(q), all: { servers: MARKS } },
          }
          for (const [shares, ...ways] of [
            [[p], { profile: 'p' }, { shared: ['p'] }],
            [[p, q], { shared: ['p', 'q'] }],
          ]) {
            const alone = aloneOf(...shares)
            const has = (mark, tool) => alone[mark]?.args[2].split(',').includes(tool.at(-1)) ?? false
            const wanted = await asked({ mcpServers: alone }, {}, connect, has)
            for (const way of ways) {
              const seen = await asked(config, way, connect, has)
              for (const mark of MARKS)
                for (const [number, tool] of toolsOf(mark).entries())
                  if (!has(mark, tool)) t.false(seen.includes(`${mark}t${number}`), tool)
              if (seen !== wanted) t.is(seen, wanted, JSON.stringify([way, config.profiles]))
            }
          }
        }),
        { numRuns: 6 },
      )
    },
  )
}
