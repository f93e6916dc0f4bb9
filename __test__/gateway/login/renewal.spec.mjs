// A token is renewed once, and a login outlives an authorization server that fails.
import test from 'ava'
import { Logins } from '../../../packages/gateway/login/logins.mjs'
import { readServer } from '../../../packages/gateway/config/server.mjs'
import { LoginStore } from '../../../packages/gateway/login/store.mjs'
import { browse } from '../../helpers/authorization-server.mjs'
import { folder, unique, until } from '../../helpers/gateway.mjs'
import { guarded, loggedIn, addressIn, text, page } from '../../helpers/login-servers.mjs'

test('a token that ends is renewed, once however many ask', async (t) => {
  const made = await guarded(t, { faults: { expiresIn: 1 } })
  await loggedIn(t, made)
  await made.client.ask('mcp_load', { query: 'cabinet' })
  made.as.revoke()
  made.as.faults.expiresIn = 3600
  const before = made.as.seen.tokenRequests.length
  const calls = await Promise.all(Array.from({ length: 8 }, () => made.client.use(`mcp--${made.name}--read`)))
  t.true(calls.every(({ isError }) => !isError))
  const renewals = made.as.seen.tokenRequests.slice(before)
  t.deepEqual(
    renewals.map((request) => request.grant_type),
    ['refresh_token'],
  )
  t.is(renewals[0].resource, made.url)
  t.is(made.as.seen.authorized.length, 1, 'nobody was asked')
})

test('an answer that comes late does not renew a token that was renewed since', async (t) => {
  const made = await guarded(t)
  await loggedIn(t, made)
  const logins = new Logins(made.loginDir)
  const provider = logins.authProvider(made.opened.config.servers.get(made.name))
  const headers = { Authorization: `Bearer ${await provider.token()}` }
  made.as.revoke()
  const before = made.as.seen.tokenRequests.length
  const refused = [await provider.fetch(made.url, { headers }), await provider.fetch(made.url, { headers })]
  for (const response of refused) {
    t.is(response.status, 401)
    await provider.onUnauthorized({ response })
  }
  t.is(made.as.seen.tokenRequests.length - before, 1)
  t.not((await provider.token()).length, 0)
})

test('no login is made, and no token sent, where others could read along', async (t) => {
  const logins = new Logins(folder(t))
  const definition = readServer('plain', { url: 'http://plain.example/mcp' })
  t.is(logins.authProvider(definition), undefined)
  await t.throwsAsync(logins.begin(definition), { message: /its address is not https/ })
})

test('two processes do not spend one refresh token', async (t) => {
  const made = await guarded(t, { faults: { expiresIn: 0 } })
  await loggedIn(t, made)
  made.as.revoke()
  made.as.faults.expiresIn = 3600
  const definition = made.opened.config.servers.get(made.name)
  const before = made.as.seen.tokenRequests.length
  const both = [new Logins(made.loginDir), new Logins(made.loginDir)].map((logins) =>
    logins.authProvider(definition).token(),
  )
  const [one, other] = await Promise.all(both)
  t.is(one, other)
  t.is(made.as.seen.tokenRequests.length - before, 1)
})

for (const [what, fail] of [
  ['a socket that is reset', (response) => response.destroy()],
  ['a 502 with a page', (response) => page(response, 502)],
  ['a 504 with a page', (response) => page(response, 504)],
  ['a 500 with JSON', (response) => text(response, 500, '{"error":"server_error"}')],
  ['a 500 without anything', (response) => response.writeHead(500).end()],
  ['a 503 and Retry-After', (response) => response.writeHead(503, { 'Retry-After': '1' }).end()],
  [
    'a 429 that says so in the words of OAuth',
    (response) => text(response, 429, '{"error":"temporarily_unavailable"}'),
  ],
  ['the page of a portal', (response) => page(response, 200)],
  ['an empty 200', (response) => text(response, 200, '')],
  ['a 200 without a token', (response) => text(response, 200, '{"ok":true}')],
  ['half a token', (response) => text(response, 200, '{"access_token":')],
  ['a 400 that is no JSON', (response) => page(response, 400)],
  ['a redirect', (response) => response.writeHead(302, { Location: 'http://127.0.0.1:1/portal' }).end()],
]) {
  test(`a login survives a renewal that meets ${what}`, async (t) => {
    const made = await guarded(t)
    await loggedIn(t, made)
    const twin = unique('twin')
    const second = { name: twin, ...(await made.open(twin)) }
    await until(t, () => second.status().state === 'ready', 'the second gateway uses the login')
    const before = made.as.seen.authorized.length
    made.as.revoke()
    made.as.faults.token = fail
    const read = ({ client, name }) => client.use(`mcp--${name}--read`)
    for (const answer of await Promise.all([read(made), read(second)])) {
      t.true(answer.isError)
      t.regex(answer.content[0].text, /its login cannot be renewed now: /)
      t.notRegex(answer.content[0].text, /words-of-the-server|Open this address/)
    }
    // Each is tried again by itself, the first perhaps while the second is asked.
    for (const { status } of [made, second]) t.true(['waiting', 'connecting'].includes(status().state))
    made.as.faults.token = undefined
    await until(
      t,
      () => made.status().state === 'ready' && second.status().state === 'ready',
      'both are back by themselves',
    )
    for (const answer of await Promise.all([read(made), read(second)])) t.is(answer.content[0].text, 'read done')
    t.is(made.as.seen.authorized.length, before, 'nobody was asked')
  })
}

test('an authorization server that says nothing holds a call for seconds, and costs no login', async (t) => {
  const made = await guarded(t)
  await loggedIn(t, made)
  made.as.revoke()
  made.as.faults.token = () => {}
  const answer = await made.client.use(`mcp--${made.name}--read`)
  t.regex(answer.content[0].text, /its login cannot be renewed now: 127\.0\.0\.1:\d+ does not answer/)
  t.is(made.status().state, 'waiting')
})

for (const error of ['invalid_grant', 'invalid_client', 'unauthorized_client'])
  test(`a login that its authorization server ends with ${error} is asked for again`, async (t) => {
    const made = await guarded(t)
    await loggedIn(t, made)
    made.as.revoke()
    made.as.faults.token = (response) => text(response, 400, JSON.stringify({ error }))
    t.regex((await made.client.use(`mcp--${made.name}--read`)).content[0].text, /Open this address/)
    t.is(made.status().state, 'login')
  })

for (const [how, refusals, state] of [
  ['refuses the first new tokens', 3, 'ready'],
  ['refuses each new token', Number.POSITIVE_INFINITY, 'login'],
])
  test(`a server that ${how} is in the end ${state}`, async (t) => {
    const made = await guarded(t)
    await loggedIn(t, made)
    const { tokenFor } = made.as
    const refused = new Set()
    made.as.tokenFor = (token) => {
      if (!refused.has(token) && refused.size < refusals) refused.add(token)
      return refused.has(token) ? undefined : tokenFor(token)
    }
    const answers = []
    await until(
      t,
      async () => {
        answers.push((await made.client.use(`mcp--${made.name}--read`)).content[0].text)
        return answers.at(-1) === 'read done' || /Open this address/.test(answers.at(-1))
      },
      'it is used again, or somebody is asked',
    )
    t.is(made.status().state, state)
    t.is(/Open this address/.test(answers.at(-1)), state === 'login')
    t.is(refused.size, Math.min(refusals, 4), 'no more tokens are spent on it')
  })

test('where a login has ended for good, a call says where to log in again', async (t) => {
  const made = await guarded(t)
  await loggedIn(t, made)
  await made.client.ask('mcp_load', { query: 'cabinet' })
  made.as.revoke({ all: true })
  const answer = await made.client.use(`mcp--${made.name}--read`)
  t.true(answer.isError)
  t.regex(answer.content[0].text, /wants a login\. Open this address/)
  t.notRegex(answer.content[0].text, /words-of-the-server/)
  t.is(made.status().state, 'login')
  await browse(addressIn(answer.content[0].text))
  await until(t, () => made.status().state === 'ready', 'somebody has logged in again')
  t.is((await made.client.use(`mcp--${made.name}--read`)).content[0].text, 'read done')
})

test('a token that comes while others write about the same server is not overwritten', async (t) => {
  const where = folder(t)
  const stores = [new LoginStore(where), new LoginStore(where)]
  const server = 'https://mcp.example.com/mcp'
  const changes = Array.from({ length: 40 }, (_, at) =>
    stores[at % 2].change(server, (login) => (login.issuers[`https://as-${at}.example.com`] = { tokens: {} })),
  )
  await Promise.all(changes)
  t.is(Object.keys((await stores[0].read(server)).issuers).length, 40)
})
