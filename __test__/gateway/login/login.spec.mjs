// Logins to remote servers, against a real authorization server on loopback: who is asked, and what is refused.
import fs from 'node:fs'
import path from 'node:path'
import test from 'ava'
import { loginLine } from '../../../packages/gateway/base/command-line.mjs'
import { Logins } from '../../../packages/gateway/login/logins.mjs'
import { readServer } from '../../../packages/gateway/config/server.mjs'
import { authorizationServer, browse, protectedServer } from '../../helpers/authorization-server.mjs'
import { folder, until } from '../../helpers/gateway.mjs'
import { before } from '../../helpers/odd-gateway.mjs'
import { rawServer } from '../../helpers/raw-server.mjs'
import { guarded, invited, begun, loggedIn, addressIn } from '../../helpers/login-servers.mjs'
import { send } from '../../helpers/visits.mjs'

test('a server that wants a login is not tried again, and the answer says where to log in', async (t) => {
  const made = await guarded(t)
  const { client, name, status, as, lines } = made
  t.is(status().state, 'login')
  t.is(status().reason, `it wants a login; run: ${loginLine({ name })}`)
  t.true(lines.includes(`server ${name}: it wants a login; run: ${loginLine({ name })}`))
  t.deepEqual([as.seen.registered.length, as.seen.authorized.length], [0, 0], 'nobody has asked for it yet')
  const { unavailable } = await client.ask('mcp_load', { query: `read a file with ${name}` })
  t.deepEqual([unavailable.length, unavailable[0].name, unavailable[0].reason], [1, name, 'login-required'])
  t.regex(unavailable[0].detail, /Open this address in a browser, then try again: http/)
  const { modules } = await client.ask('manage_modules', { action: 'list' })
  t.deepEqual([modules[0].state, modules[0].reason], ['unavailable', status().reason])
  const loaded = await client.ask('manage_modules', { action: 'load', module: name })
  t.is(
    addressIn(loaded.unavailable[0].detail),
    addressIn(unavailable[0].detail),
    'one login, however often it is asked for',
  )
})

test('after the login the tools are there, and the login is kept for the user alone', async (t) => {
  const made = await guarded(t)
  await loggedIn(t, made)
  const { client, name, as, url, loginDir, open, opened, lines } = made
  await client.ask('mcp_load', { query: 'read a file of the cabinet' })
  t.is((await client.use(`mcp--${name}--read`)).content[0].text, 'read done')
  const [registered] = as.seen.registered
  t.deepEqual(
    [registered.application_type, registered.token_endpoint_auth_method, registered.redirect_uris.length],
    ['native', 'none', 1],
  )
  const [asked] = as.seen.authorized
  t.deepEqual([asked.resource, asked.scope, asked.code_challenge_method], [url, 'files:read', 'S256'])
  t.deepEqual([as.seen.tokenRequests.length, as.seen.tokenRequests[0].resource], [1, url])
  const files = fs.readdirSync(loginDir)
  t.is(files.length, 1)
  const kept = path.join(loginDir, files[0])
  if (process.platform !== 'win32') t.is(fs.statSync(kept).mode & 0o777, 0o600)
  const { login } = JSON.parse(fs.readFileSync(kept, 'utf8'))
  t.deepEqual([login.current, Object.keys(login.issuers)], [as.issuer, [as.issuer]])
  const { access_token: token, refresh_token: refresh } = login.issuers[as.issuer].tokens
  t.true(token.length > 20 && refresh.length > 20)
  t.false(lines.join('\n').includes(token))
  await opened.close()
  const again = await open()
  t.is(again.status().state, 'ready', 'the next start needs nobody')
  t.is(as.seen.authorized.length, 1)
})

test('a login at a gateway behind a proxy comes back to its public address, from wherever the browser is sent', async (t) => {
  const made = await guarded(t, { gateway: { publicUrl: 'https://tools.example', replica: 'tool-router-0' } })
  const { client, name, as, opened, status } = made
  const endpoint = await opened.listen()
  const { unavailable } = await client.ask('mcp_load', { query: `read a file with ${name}` })
  const back = (await fetch(addressIn(unavailable[0].detail), { redirect: 'manual' })).headers.get('location')
  t.regex(back, /^https:\/\/tools\.example\/login\/callback\?/)
  // A proxy before several gateways sends the browser to the one at which the login was begun.
  t.regex(new URL(back).searchParams.get('state'), /^tool-router-0\.[\w-]{32}$/)
  t.is(as.seen.registered[0].application_type, 'web')
  /** As a browser that the page of the login sends there, through the proxy. */
  const visit = (address, method = 'GET') => {
    const { pathname, search } = new URL(address)
    const headers = { Host: 'tools.example', 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate' }
    return send(endpoint, { path: pathname + search, method, headers })
  }
  const wrong = new URL(back)
  wrong.searchParams.set('state', 'of-nobody')
  t.is((await visit(wrong)).status, 400)
  t.is((await visit(back, 'POST')).status, 404)
  t.is(status().state, 'login', 'it is not finished')
  const done = await visit(back)
  t.deepEqual([done.status, done.headers['referrer-policy']], [200, 'no-referrer'])
  await until(t, () => status().state === 'ready', 'the server is there')
  t.is((await visit(back)).status, 400, 'an answer counts once')
})

test('a login that is not finished is offered again, and a wrong answer does not end it', async (t) => {
  const made = await guarded(t)
  const address = await invited(made.client, made.name)
  const back = new URL(new URL(address).searchParams.get('redirect_uri'))
  t.is(back.hostname, '127.0.0.1')
  for (const [target, status] of [
    ['?code=x', 400],
    ['?code=x&state=guessed', 400],
    ['?error=access_denied&state=', 400],
    ['/other?code=x', 404],
  ])
    t.is((await fetch(`${back.href}${target}`)).status, status, target)
  t.is((await fetch(back, { method: 'POST' })).status, 404)
  await loggedIn(t, made)
  t.is(made.as.seen.tokenRequests.length, 1, 'no guessed code has reached the authorization server')
  await t.throwsAsync(fetch(back), undefined, 'the way back is closed')
})

for (const [what, faults] of [
  ['from another authorization server', { iss: 'https://honest.example' }],
  ['with another spelling of the issuer', { iss: 'HTTP://127.0.0.1' }],
  ['without the issuer that its metadata promises', { iss: null }],
  [
    'of a server that promises none, from another',
    { iss: 'x', metadata: { authorization_response_iss_parameter_supported: undefined } },
  ],
]) {
  test(`an answer ${what} is refused before its code is sent anywhere`, async (t) => {
    const made = await guarded(t, { faults })
    t.is((await browse(await invited(made.client, made.name))).status, 200)
    await until(
      t,
      async () => (await made.opened.logins.begin(made.opened.config.servers.get(made.name))) !== undefined,
      'over',
    )
    t.is(made.as.seen.tokenRequests.length, 0)
    t.is(made.status().state, 'login')
    const [file] = fs.readdirSync(made.loginDir)
    const { login } = JSON.parse(fs.readFileSync(path.join(made.loginDir, file), 'utf8'))
    t.is(login.issuers[made.as.issuer].tokens, undefined)
  })
}

for (const [what, metadata, reason] of [
  ['that is another than it says', { issuer: 'https://honest.example' }, /no login can be made/],
  ['that does not know PKCE', { code_challenge_methods_supported: undefined }, /does not say that it knows PKCE/],
  ['that knows only plain PKCE', { code_challenge_methods_supported: ['plain'] }, /PKCE with S256/],
  [
    'whose endpoint is not private',
    { token_endpoint: 'http://honest.example/token' },
    /token_endpoint that is not https/,
  ],
  [
    'that registers nobody',
    { registration_endpoint: undefined },
    /registers no clients; register one by hand and name it as oauth\.clientId/,
  ],
  ['whose metadata cannot be used', { token_endpoint: 7 }, /answered what cannot be used \(token_endpoint\)/],
]) {
  test(`an authorization server ${what} is refused before somebody is asked`, async (t) => {
    const { client, name, as } = await guarded(t, { faults: { metadata } })
    const { unavailable } = await client.ask('mcp_load', { query: name })
    t.regex(unavailable[0].detail, reason)
    t.is(addressIn(unavailable[0].detail), undefined)
    t.deepEqual([as.seen.authorized.length, as.seen.tokenRequests.length], [0, 0])
  })
}

test('a login that is refused in the browser is told as such, without the words of the server', async (t) => {
  const servers = { current: await authorizationServer(t, { deny: true }) }
  const { url } = await protectedServer(t, servers)
  const logins = new Logins(folder(t))
  t.teardown(() => logins.close())
  const { url: address, done } = await begun(logins, readServer('files', { url }))
  await browse(address)
  const error = await t.throwsAsync(done, { message: 'the login failed: it was refused in the browser' })
  t.notRegex(error.message, /words-of-the-server/)
})

for (const [what, faults] of [
  [
    'registers another way back',
    { registered: (client) => ({ ...client, redirect_uris: ['https://proxy.example/back'] }) },
  ],
  ['repeats no way back', { registered: ({ redirect_uris, ...client }) => ({ ...client, client_uri: null }) }],
  ['says little about itself', { metadata: { response_types_supported: undefined, scopes_supported: null } }],
  [
    'writes what nobody needs in its own way',
    {
      registered: (client) => ({
        ...client,
        client_uri: '',
        contacts: 'a',
        grant_types: 'x',
        client_id_issued_at: 'x',
      }),
      granted: ({ token_type, scope, ...more }) => ({ ...more, scope: [scope], id_token: 7, expires_in: '' }),
      metadata: { revocation_endpoint: '', service_documentation: 'x', code_challenge_methods_supported: 'S256' },
    },
  ],
  ['gives a token of no type', { granted: (token) => ({ ...token, token_type: null }) }],
  [
    'names no issuer, and promises none',
    { iss: null, metadata: { authorization_response_iss_parameter_supported: false } },
  ],
])
  test(`somebody logs in at an authorization server that ${what}`, async (t) => {
    const made = await guarded(t, { faults })
    await loggedIn(t, made)
    t.is(made.status().state, 'ready')
  })

test('rights that a server has missed are asked for by the next login, of any process', async (t) => {
  const made = await guarded(t)
  await loggedIn(t, made)
  await made.client.use(`mcp--${made.name}--write`)
  const logins = new Logins(made.loginDir)
  t.teardown(() => logins.close())
  const { url, done } = await begun(logins, readServer(made.name, { url: made.url }))
  t.is(new URL(url).searchParams.get('scope'), 'files:read files:write')
  await browse(url)
  await done
  t.is((await made.client.use(`mcp--${made.name}--write`)).content[0].text, 'write done')
  const again = await begun(logins, readServer(made.name, { url: made.url }))
  t.is(new URL(again.url).searchParams.get('scope'), 'files:read files:write', 'what was granted is asked for again')
})

test('a client that its authorization server has forgotten is registered again after a login that was not finished', async (t) => {
  const made = await guarded(t)
  await loggedIn(t, made)
  made.as.forget()
  const definition = readServer(made.name, { url: made.url })
  for (const status of [400, 200]) {
    const logins = new Logins(made.loginDir)
    t.is((await browse((await begun(logins, definition)).url)).status, status)
    await logins.close()
  }
  t.is(made.as.seen.registered.length, 2)
})

test('rights that a server wants for its start and for its list are asked for by the second login, and the tools come after it', async (t) => {
  const made = await guarded(t, { rights: { initialize: 'a', 'server/discover': 'a', 'tools/list': 'b' } })
  const { client, name, as, status } = made
  t.is((await browse(await invited(client, name))).status, 200)
  await until(t, () => /more rights/.test(status().reason), 'it wants more')
  t.is(status().reason, `it wants more rights than the login has; run: ${loginLine({ name })}`)
  await loggedIn(t, made)
  t.deepEqual(
    as.seen.authorized.map(({ scope }) => scope),
    ['files:read', 'files:read a b'],
  )
})

for (const [what, rights, granted, said] of [
  ['that were not granted', { 'tools/list': 'b' }, 'files:read', 'rights that its login has asked for (b)'],
  ['that it does not name', { 'tools/list': '' }, undefined, 'rights that it does not name'],
])
  test(`a server that goes on to want rights ${what} ends with a sentence, not with one more login`, async (t) => {
    const faults = { grants: granted }
    const made = await guarded(t, { rights, faults })
    const { client, name, as, status } = made
    const isOver = () => status().reason?.includes(said)
    for (let round = 0; round < 2 && !isOver(); round++) {
      await browse(await invited(client, name))
      await until(t, () => isOver() || (round === 0 && /more rights/.test(status().reason)), 'it was asked')
    }
    const sentence = `it goes on to want ${said}; this account may lack them, or the server is wrong`
    t.is(status().reason, sentence)
    const { unavailable } = await client.ask('mcp_load', { query: name })
    t.is(unavailable[0].detail, `server ${name} does not do this: ${sentence}`)
    t.is(as.seen.authorized.length, said.includes('b') ? 2 : 1)
    const logins = new Logins(made.loginDir)
    t.teardown(() => logins.close())
    const { url } = await begun(logins, readServer(name, { url: made.url }))
    t.is(
      new URL(url).searchParams.get('scope'),
      said.includes('b') ? 'files:read b' : 'files:read',
      'by hand it may be tried',
    )
  })

test('a call that wants rights which were asked for says so, and gives no address', async (t) => {
  const made = await guarded(t, { faults: { grants: 'files:read' } })
  await loggedIn(t, made)
  const called = async () => (await made.client.use(`mcp--${made.name}--write`)).content[0].text
  t.is((await browse(addressIn(await called()))).status, 200)
  await until(t, () => made.as.seen.tokenRequests.length === 2, 'somebody has logged in')
  await until(
    t,
    async () => /goes on to want rights that its login has asked for \(files:write\)/.test(await called()),
    'it is told',
  )
  t.is(addressIn(await called()), undefined)
})

test('a key of the entry that lacks rights wants no login', async (t) => {
  const challenge = { 'WWW-Authenticate': 'Bearer error="insufficient_scope", scope="admin"' }
  const raw = await rawServer(t, (_, { json }) => json({ message: 'this key may not' }, 403, challenge))
  const { status } = await before(t, { url: raw.url, headers: { Authorization: 'Bearer of-the-entry' } })
  t.is(status().reason, 'it answered with HTTP status 403: it refuses this user; it says: this key may not')
})
