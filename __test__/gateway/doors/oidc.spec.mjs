// Tokens of an organisation's issuer at the gateway's door. The issuer is a real one, on loopback.

import { ClientCredentialsProvider } from '@modelcontextprotocol/sdk/client/auth-extensions.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import test from 'ava'
import fc from 'fast-check'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

import { readConfig } from '../../../packages/gateway/config/read.mjs'
import { createGateway } from '../../../packages/gateway/gateway/index.mjs'
import { Issuer } from '../../../packages/gateway/doors/issuer.mjs'
import { AWAY } from '../../../packages/gateway/doors/keys.mjs'
import * as eras from '../../helpers/eras.mjs'
import { MARKED, connectClient, folder, overHttp, until } from '../../helpers/gateway.mjs'
import { send } from '../../helpers/http-door.mjs'
import { openIssuer } from '../../helpers/issuer.mjs'

const marked = (mark, ...args) => ({ command: process.execPath, args: [MARKED, mark, ...args] })
const AUDIENCE = 'https://tools.example/mcp'
const PEOPLE = { ann: ['dev', 'staff'], bob: ['staff'], cal: ['others'], dan: 'dev', eve: undefined, fay: [['dev'], 7] }
const PROFILES = { work: { servers: ['mkwork'] }, look: { servers: ['mklook'] }, shut: { servers: ['mklook'] } }

/** A gateway with three profiles, of which groups open two. */
async function opened(
  t,
  {
    audience = AUDIENCE,
    people = PEOPLE,
    oidc = {},
    config = {},
    dir = folder(t),
    fixed = { listDir: undefined },
    ...more
  } = {},
) {
  const server = await openIssuer(t, { audience, people, ...more })
  const options = {
    config: {
      mcpServers: { mkwork: marked('mkwork'), mklook: marked('mklook') },
      profiles: PROFILES,
      ...config,
      gateway: {
        dir,
        oidc: { issuer: server.issuer, audience, groups: { dev: 'work', staff: ['look', 'gone'] }, ...oidc },
      },
    },
  }
  const gateway = await createGateway(options, fixed)
  t.teardown(() => gateway.close())
  const endpoint = await gateway.listen()
  const ask = async (token, place = '') => {
    const headers = { Accept: 'text/event-stream', ...(token && { Authorization: `Bearer ${token}` }) }
    const answer = await fetch(endpoint.url + place, { headers })
    return { status: answer.status, challenge: answer.headers.get('www-authenticate'), text: await answer.text() }
  }
  return { ...server, gateway, endpoint, ask }
}

const modulesOf = async (client) =>
  (await client.ask('manage_modules', { action: 'list' })).modules.map(({ module }) => module)

test.serial('the groups of a person open their profiles, and nothing says that there are others', async (t) => {
  const { endpoint, ask, tokenOf } = await opened(t)
  const ann = await tokenOf('ann')
  const at = async (token, place) => {
    const client = await overHttp(t, { url: endpoint.url + place, token })
    const found = await client.ask('mcp_load', { query: 'list the invoices of mkwork and mklook' })
    return [await modulesOf(client), JSON.stringify(found)]
  }
  t.deepEqual((await at(ann, ''))[0], ['mkwork', 'mklook'], 'all that her groups open')
  for (const [token, place, own, other] of [
    [ann, '/look', 'mklook', 'mkwork'],
    [await tokenOf('bob'), '', 'mklook', 'mkwork'],
    [await tokenOf('dan'), '/work', 'mkwork', 'mklook'],
  ]) {
    const [modules, found] = await at(token, place)
    t.deepEqual(modules, [own])
    t.true(found.includes(`${own}_list`))
    t.false(found.includes(`${other}_list`))
  }
  const nobody = await ask(ann, '/nobody')
  t.is(nobody.status, 404)
  t.deepEqual(await ask(ann, '/shut'), nobody)
  t.deepEqual(await ask(await tokenOf('bob'), '/work'), nobody)
})

test.serial(
  'a person of no group that opens anything is refused in words, which name no group and no profile',
  async (t) => {
    const { ask, tokenOf } = await opened(t)
    for (const person of ['cal', 'eve', 'fay']) {
      const { status, text } = await ask(await tokenOf(person))
      t.is(status, 403, person)
      t.regex(text, /none of its groups opens anything here; ask whoever runs this gateway/)
      t.notRegex(text, /dev|staff|work|look/)
    }
  },
)

/** Needs of which words are of tools in the rights of a person, of tools outside, of both and of none. */
const NEED = fc
  .array(
    fc.constantFrom(
      ...'list the invoices that keeps and weather mkwork mkworkt0 mkworkt1 mkworkt2 mkwork_list_t2'.split(' '),
      ...['mklook', 'mklookt1', 'mklook_list_t1', 'lists'],
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((words) => words.join(' '))

test.serial('what a person has no right to changes no order, score or count of what they are answered', async (t) => {
  const [needs] = fc.sample(fc.array(NEED, { minLength: 40, maxLength: 40 }), { numRuns: 1, seed: 7 })
  const answersOf = async (config, meanwhile = async () => {}) => {
    const { gateway, endpoint, tokenOf } = await opened(t, { config, fixed: {} })
    await meanwhile({ endpoint, tokenOf })
    const found = []
    for (const connect of [overHttp, eras.overHttp]) {
      const client = await connect(t, { url: endpoint.url, token: await tokenOf('dan') })
      await client.ask('manage_modules', { action: 'list' })
      // A server whose list is known is offered while it starts, and that is said.
      const isReady = async () => !('still_starting' in (await client.ask('search_mcps', { query: needs[0] })))
      await until(t, isReady, 'the server has started')
      for (const query of needs) {
        found.push(await client.ask('search_mcps', { query }))
        found.push(await client.ask('mcp_load', { query }))
      }
      found.push(await client.ask('manage_modules', { action: 'list' }), await client.listTools())
      await client.close()
    }
    await gateway.close()
    return found
  }
  // Of the same server a tool is off in the profile, and others call it and servers of their own.
  const profiles = { ...PROFILES, work: { servers: ['mkwork'], disabledTools: ['mkwork/mkwork_list_t2'] } }
  const everybody = { mkmore: { servers: ['mkwork', 'mklook'] } }
  const beside = await answersOf({ profiles: { ...profiles, ...everybody } }, async ({ endpoint }) => {
    const client = await overHttp(t, { url: `${endpoint.url}/mkmore`, token: endpoint.token })
    for (const name of ['mkwork_list_t2', 'mklook_list_t1', 'mklook_list_t0'])
      for (let at = 0; at < 5; at++) t.falsy((await client.use('call_tool_read', { name, arguments: {} })).isError)
  })
  const alone = await answersOf({
    mcpServers: { mkwork: marked('mkwork', '2') },
    profiles: { work: { servers: ['mkwork'] } },
  })
  t.true(alone.some(({ nothingFits }) => nothingFits))
  t.true(alone.some(({ loaded }) => loaded?.length > 0))
  for (const [at, answer] of alone.entries()) t.deepEqual(beside[at], answer, needs[Math.floor((at % 82) / 2)])
})

test.serial('an official client without a token finds the issuer, logs in there and is served', async (t) => {
  const { endpoint, issuer, secret, state } = await opened(t, { audience: 'api', oidc: { scopes: ['tools'] } })
  const authProvider = new ClientCredentialsProvider({ clientId: 'ann', clientSecret: secret, expectedIssuer: issuer })
  const client = await connectClient(new StreamableHTTPClientTransport(new URL(endpoint.url), { authProvider }))
  t.teardown(() => client.close())
  t.deepEqual(await modulesOf(client), ['mkwork', 'mklook'])
  t.true(state.asked.includes('/token'))
})

test.serial('who asks too often is told to slow down, and others are not', async (t) => {
  const { ask, tokenOf } = await opened(t, { fixed: { listDir: undefined, requestsPerPerson: 20 } })
  const [ann, bob] = [await tokenOf('ann'), await tokenOf('bob')]
  const statuses = new Set()
  for (let at = 0; at < 400 && !statuses.has(429); at += 20)
    for (const { status } of await Promise.all(Array.from({ length: 20 }, () => ask(ann)))) statuses.add(status)
  t.true(statuses.has(429))
  t.not((await ask(bob)).status, 429)
})

test.serial('who has no token is told where one comes from, and who sends a bad one that it is bad', async (t) => {
  const { endpoint, issuer, ask } = await opened(t, { oidc: { scopes: ['a', 'b'] } })
  const metadata = 'https://tools.example/.well-known/oauth-protected-resource/mcp'
  const none = await ask(undefined)
  t.deepEqual([none.status, none.challenge], [401, `Bearer resource_metadata="${metadata}", scope="a b"`])
  t.is((await ask('a.b.c')).challenge, `${none.challenge}, error="invalid_token"`)
  for (const path of ['', '/mcp']) {
    const answer = await fetch(new URL(`/.well-known/oauth-protected-resource${path}`, endpoint.url))
    t.deepEqual(await answer.json(), {
      resource: AUDIENCE,
      authorization_servers: [issuer],
      bearer_methods_supported: ['header'],
      scopes_supported: ['a', 'b'],
    })
  }
})

test.serial('a token for somebody else, of somebody else, or changed on the way opens nothing', async (t) => {
  const { ask, tokenOf, state } = await opened(t)
  // Its keys are the same, its name is another.
  const stranger = await openIssuer(t, { audience: AUDIENCE, people: PEOPLE })
  const good = await tokenOf('ann')
  const [header, payload, signature] = good.split('.')
  const more = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), groups: ['staff', 'dev'] }
  const written = Buffer.from(JSON.stringify(more)).toString('base64url')
  state.audience = `${AUDIENCE}/other`
  for (const bad of [
    await tokenOf('ann'),
    await stranger.tokenOf('ann'),
    [header, written, signature].join('.'),
    `${header}.${payload}.`,
    `${header}.${payload}`,
  ])
    t.is((await ask(bad)).status, 401)
  t.regex((await ask(good)).text, /initialize again/, 'it is let in')
})

/** Profiles that a token opens, for an issuer whose keys the test has. */
async function ownIssuer(groups, served) {
  const pair = await generateKeyPair('RS256', { extractable: true })
  const settings = { issuer: 'https://own.example', audience: 'us', groups, groupsClaim: 'groups', scopes: [] }
  const jose = await import('jose')
  const keys = jose.createLocalJWKSet({ keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'k', alg: 'RS256' }] })
  const issuer = new Issuer({ ...jose, createRemoteJWKSet: () => keys }, settings, () => served)
  const sign = (claims, { alg = 'RS256', key = pair.privateKey, life = '5m' } = {}) => {
    const token = new SignJWT({ iss: settings.issuer, aud: 'us', ...claims }).setProtectedHeader({ alg, kid: 'k' })
    if (life !== undefined && life !== null) token.setExpirationTime(life)
    return token.sign(key)
  }
  return { issuer, sign, publicKey: pair.publicKey }
}

/** The description of that issuer, for as long as a test lasts. */
function describedAs(t, document, status = 200) {
  const { fetch: before } = globalThis
  globalThis.fetch = async () =>
    new Response(typeof document === 'string' ? document : JSON.stringify(document), { status })
  t.teardown(() => (globalThis.fetch = before))
}

const DESCRIBED = { issuer: 'https://own.example', jwks_uri: 'https://own.example/keys' }

test.serial('a token that has ended, never ends, or is signed by what everybody knows opens nothing', async (t) => {
  describedAs(t, DESCRIBED)
  const { issuer, sign, publicKey } = await ownIssuer(new Map([['dev', ['work']]]), new Map([['work', {}]]))
  const groups = ['dev']
  const secret = Buffer.from(JSON.stringify(await exportJWK(publicKey)))
  t.deepEqual(await issuer.guestOf(await sign({ groups })), ['work'])
  t.deepEqual(await issuer.guestOf(await sign({ groups }, { life: '5s ago' })), ['work'], 'clocks differ by seconds')
  for (const bad of [
    await sign({ groups }, { life: '1m ago' }),
    await sign({ groups }, { life: null }),
    await sign({ groups }, { alg: 'HS256', key: secret }),
    await sign({ groups }, { key: (await generateKeyPair('RS256')).privateKey }),
    await sign({ groups, iss: 'https://own.example/' }),
    await sign({ groups, aud: ['them'] }),
    await sign({ groups, nbf: Math.ceil(Date.now() / 1_000) + 600 }),
  ])
    t.is(await issuer.guestOf(bad), undefined)
  t.is(issuer.known(await sign({ groups: [...groups, 'new'] })), undefined)
})

test.serial('whatever groups a person has, exactly the profiles of these groups that are served open', async (t) => {
  describedAs(t, DESCRIBED)
  const names = ['a', 'b', 'c', 'd', '__proto__']
  const some = fc.subarray(names)
  await fc.assert(
    fc.asyncProperty(fc.array(some, { minLength: 5, maxLength: 5 }), some, some, async (opens, mine, served) => {
      const groups = new Map(names.map((name, at) => [name, opens[at]]))
      const { issuer, sign } = await ownIssuer(groups, new Map(served.map((name) => [name, {}])))
      const token = await sign({ groups: [...mine, 'unknown', 7] })
      const found = await issuer.guestOf(token)
      const wanted = names.filter(
        (name) => served.includes(name) && mine.some((group) => groups.get(group).includes(name)),
      )
      t.deepEqual(found.toSorted(), wanted.toSorted())
      t.deepEqual(issuer.known(token), found)
    }),
    { numRuns: 20 },
  )
})

test.serial(
  'an issuer that is away, or describes another, is waited for, and its tokens are not called wrong',
  async (t) => {
    const open = () => ownIssuer(new Map([['dev', ['work']]]), new Map([['work', {}]]))
    for (const [document, status] of [
      ['', 500],
      ['no json', 200],
      [{ ...DESCRIBED, issuer: 'https://else.example' }, 200],
      [{ ...DESCRIBED, jwks_uri: 'http://own.example/keys' }, 200],
      ['x'.repeat(300_000), 200],
    ]) {
      describedAs(t, document, status)
      const { issuer, sign } = await open()
      t.is(await issuer.guestOf(await sign({ groups: ['dev'] })), AWAY)
    }
  },
)

test.serial('a session is of whoever opened it: with another token of the same profile it is none', async (t) => {
  const { endpoint, tokenOf } = await opened(t)
  const client = await overHttp(t, { url: `${endpoint.url}/work`, token: await tokenOf('ann') })
  const asked = { path: '/mcp/work', body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } }
  const ask = async (token, method) => {
    const headers = { 'Mcp-Session-Id': client.transport.sessionId }
    return (await send(endpoint, { ...asked, method, headers, token })).status
  }
  for (const token of [await tokenOf('dan'), endpoint.token])
    for (const method of ['POST', 'GET', 'DELETE']) t.is(await ask(token, method), 404, method)
  t.true((await client.names()).length > 0)
  t.is(await ask(await tokenOf('ann'), 'POST'), 200, 'a renewed token is of the same person')
  t.is(await ask(await tokenOf('ann'), 'DELETE'), 200)
})

test.serial('whose issuer is away is told to wait; the tokens of the gateway open what they did', async (t) => {
  const { ask, endpoint, tokenOf, close } = await opened(t)
  const token = await tokenOf('ann')
  await close()
  const { status, text } = await ask(token)
  t.is(status, 503)
  t.regex(text, /cannot be looked up now; try again/)
  t.regex((await ask(endpoint.token)).text, /initialize again/)
})

test('a mistake in oidc is named with its field', (t) => {
  const good = { issuer: 'https://login.example', audience: 'us', groups: { dev: 'work' } }
  const read = (change) => readConfig({ mcpServers: {}, gateway: { oidc: { ...good, ...change } } }).settings.oidc
  t.is(read({ issuer: 'http://127.0.0.1:9/x' }).issuer, 'http://127.0.0.1:9/x')
  t.is(read({}).resource, undefined)
  t.is(read({ audience: AUDIENCE }).resource, AUDIENCE)
  for (const [change, message] of [
    [{ issuer: 'http://login.example' }, /gateway\.oidc\.issuer: expected an https address/],
    [{ issuer: 'https://login.example/?a' }, /oidc\.issuer: .*without \? and #/],
    [{ audience: '' }, /oidc\.audience: expected text/],
    [{ groups: {} }, /oidc\.groups: expected 1 to 1000 groups/],
    [{ groups: { dev: 1 } }, /oidc\.groups\["dev"\]: expected text/],
    [{ scopes: ['a b'] }, /oidc\.scopes\[0\]/],
    [{ resource: 'tools.example' }, /oidc\.resource: expected an http or https URL/],
    [{ secret: 'x' }, /oidc: expected only the keys/],
  ])
    t.throws(() => read(change), { code: 'ERR_INVALID_ARGUMENT', message })
})
