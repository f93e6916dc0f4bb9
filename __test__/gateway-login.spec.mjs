// Logins to remote servers, against a real authorization server on loopback: who is asked, what is kept, and what is given
// to nobody else.
import fs from 'node:fs'
import http from 'node:http'
import path from 'node:path'

import test from 'ava'

import { Logins } from '../packages/gateway/login/logins.mjs'
import { readServer } from '../packages/gateway/config/server.mjs'
import { authorizationServer, browse, protectedServer } from './helpers/authorization-server.mjs'
import { folder, gateway, inProcess, startCli, unique, until } from './helpers/gateway.mjs'
import { where } from './helpers/skips.mjs'

/** A gateway before a server that wants a login, with a client. */
async function guarded(t, { faults, entry = {}, loginDir = folder(t), log, scope, gateway: settings } = {}) {
  const servers = { current: await authorizationServer(t, faults) }
  const { url } = await protectedServer(t, servers, { scope })
  const name = unique('files')
  const lines = []
  const open = async (as = name) => {
    const config = { mcpServers: { [as]: { url, ...entry } }, gateway: { loginDir, ...settings } }
    const opened = await gateway(t, config, { log: log ?? ((line) => lines.push(line)) })
    return { opened, client: await inProcess(t, opened), status: () => opened.servers[0] }
  }
  return { ...(await open()), servers, as: servers.current, url, name, loginDir, lines, open }
}

/** The address that an answer invites to. */
const onPosix = where(process.platform !== 'win32', 'Windows has no such files')
const addressIn = (text) => /https?:\/\/[^\s"]+\/authorize[^\s")]+/.exec(text)?.[0]

/** Asks for the server by its name and gives the address to log in at. */
async function invited(client, name) {
  for (;;) {
    const { unavailable } = await client.ask('mcp_load', { query: name })
    // On a busy machine a connection may take too long; whoever asks again gets another one.
    if (!/fetch failed/.test(unavailable[0].detail)) return addressIn(unavailable[0].detail)
  }
}

async function begun(logins, definition) {
  for (;;) {
    try {
      return await logins.begin(definition)
    } catch (error) {
      if (!/fetch failed/.test(error.message)) throw error
    }
  }
}

async function loggedIn(t, made) {
  const page = await browse(await invited(made.client, made.name))
  t.is(page.status, 200)
  await until(t, () => made.status().state === 'ready', 'somebody has logged in')
}

test('a server that wants a login is not tried again, and the answer says where to log in', async (t) => {
  const made = await guarded(t)
  const { client, name, status, as, lines } = made
  t.is(status().state, 'login')
  t.is(status().reason, `it wants a login; run: npx @zoo-code/tool-router-gateway login ${name}`)
  t.true(lines.includes(`server ${name}: it wants a login; run: npx @zoo-code/tool-router-gateway login ${name}`))
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
  const made = await guarded(t, { gateway: { publicUrl: 'https://tools.example' } })
  const { client, name, as, opened, status } = made
  const { port } = new URL((await opened.listen()).url)
  const { unavailable } = await client.ask('mcp_load', { query: `read a file with ${name}` })
  const back = (await fetch(addressIn(unavailable[0].detail), { redirect: 'manual' })).headers.get('location')
  t.regex(back, /^https:\/\/tools\.example\/login\/callback\?/)
  t.is(as.seen.registered[0].application_type, 'web')
  /** As a browser that the page of the login sends there, through the proxy. */
  const visit = (address, method = 'GET') =>
    new Promise((resolve, reject) => {
      const { pathname, search } = new URL(address)
      const headers = { Host: 'tools.example', 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate' }
      const asked = http.request({ port, host: '127.0.0.1', path: pathname + search, method, headers }, (response) => {
        response.resume().once('end', () => resolve(response))
      })
      asked.once('error', reject).end()
    })
  const wrong = new URL(back)
  wrong.searchParams.set('state', 'of-nobody')
  t.is((await visit(wrong)).statusCode, 400)
  t.is((await visit(back, 'POST')).statusCode, 404)
  t.is(status().state, 'login', 'it is not finished')
  const done = await visit(back)
  t.deepEqual([done.statusCode, done.headers['referrer-policy']], [200, 'no-referrer'])
  await until(t, () => status().state === 'ready', 'the server is there')
  t.is((await visit(back)).statusCode, 400, 'an answer counts once')
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
    t.deepEqual(
      JSON.parse(fs.readFileSync(path.join(made.loginDir, fs.readdirSync(made.loginDir)[0]), 'utf8')).login.issuers[
        made.as.issuer
      ].tokens,
      undefined,
    )
  })
}

test('an answer without an issuer is taken where none was promised', async (t) => {
  const made = await guarded(t, {
    faults: { iss: null, metadata: { authorization_response_iss_parameter_supported: false } },
  })
  await loggedIn(t, made)
  t.is(made.status().state, 'ready')
})

for (const [what, metadata, reason] of [
  ['that is another than it says', { issuer: 'https://honest.example' }, /no login can be made/],
  ['that does not know PKCE', { code_challenge_methods_supported: undefined }, /does not say that it knows PKCE/],
  ['that knows only plain PKCE', { code_challenge_methods_supported: ['plain'] }, /PKCE with S256/],
  [
    'whose endpoint is not private',
    { token_endpoint: 'http://honest.example/token' },
    /token_endpoint that is not https/,
  ],
  ['that registers nobody', { registration_endpoint: undefined }, /no login can be made/],
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

test('a token that ends is renewed, once however many ask', async (t) => {
  const loginDir = folder(t)
  const made = await guarded(t, { faults: { expiresIn: 1 }, loginDir })
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

const page = (response, status) =>
  response.writeHead(status, { 'Content-Type': 'text/html' }).end('<p>words-of-the-server</p>')
const text = (response, status, body) => response.writeHead(status, { 'Content-Type': 'application/json' }).end(body)

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
    for (const { status } of [made, second]) t.is(status().state, 'waiting')
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
  t.regex(answer.content[0].text, /its authorization server does not answer/)
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

test('what one authorization server gave is given to no other', async (t) => {
  const made = await guarded(t)
  await loggedIn(t, made)
  await made.client.ask('mcp_load', { query: 'cabinet' })
  const other = await authorizationServer(t)
  made.servers.current = other
  const answer = await made.client.use(`mcp--${made.name}--read`)
  t.regex(answer.content[0].text, /wants a login/)
  t.deepEqual(other.seen.tokenRequests, [], 'no refresh token has gone there')
  await browse(addressIn(answer.content[0].text))
  await until(t, () => made.status().state === 'ready', 'logged in at the other')
  t.is(other.seen.registered.length, 1, 'and it registered the client anew')
  t.not(other.seen.authorized[0].client_id, made.as.seen.authorized[0].client_id)
})

test('a tool that wants more rights says where they are given, and what was granted stays', async (t) => {
  const made = await guarded(t)
  await loggedIn(t, made)
  await made.client.ask('mcp_load', { query: 'write a file of the cabinet' })
  const answer = await made.client.use(`mcp--${made.name}--write`)
  const address = addressIn(answer.content[0].text)
  t.deepEqual(new URL(address).searchParams.get('scope').split(' ').toSorted(), ['files:read', 'files:write'])
  t.is((await made.client.use(`mcp--${made.name}--read`)).content[0].text, 'read done', 'the others still work')
  await browse(address)
  await until(t, async () => !(await made.client.use(`mcp--${made.name}--write`)).isError, 'it may write now')
})

test('a lazy server says at its first call that it wants a login', async (t) => {
  const cacheDir = folder(t)
  const made = await guarded(t, { entry: { lazy: true }, gateway: { cacheDir } })
  await loggedIn(t, made)
  await made.opened.close()
  made.as.revoke({ all: true })
  const again = await made.open()
  t.is(again.status().state, 'idle')
  const answer = await again.client.use(`mcp--${made.name}--read`)
  t.regex(answer.content[0].text, /wants a login\. Open this address/)
  await browse(addressIn(answer.content[0].text))
  await until(t, async () => !(await again.client.use(`mcp--${made.name}--read`)).isError, 'it is used')
  t.is(made.as.seen.authorized.length, 2)
})

test('a client that is registered by hand is used as it is, and at its own authorization server only', async (t) => {
  const entry = { oauth: { clientId: 'by-hand', clientSecret: 'a-secret' } }
  const made = await guarded(t, { entry })
  made.as.addClient({
    client_id: 'by-hand',
    client_secret: 'a-secret',
    redirect_uris: ['http://127.0.0.1/callback'],
    anyPort: true,
  })
  await loggedIn(t, made)
  t.is(made.as.seen.registered.length, 0)
  t.deepEqual([made.as.seen.tokenRequests[0].client_id, made.as.seen.tokenRequests[0].secret], ['by-hand', 'a-secret'])
  const other = await authorizationServer(t)
  made.servers.current = other
  await made.client.ask('mcp_load', { query: 'cabinet' })
  const answer = await made.client.use(`mcp--${made.name}--read`)
  t.regex(answer.content[0].text, /the client id is one of .*it is given to no other/)
  t.deepEqual([other.seen.authorized.length, other.seen.tokenRequests.length], [0, 0])
})

test('a client id metadata document is named where the authorization server takes one', async (t) => {
  const document = 'https://client.example/gateway.json'
  const entry = { oauth: { clientMetadataUrl: document } }
  const made = await guarded(t, { entry, faults: { metadata: { client_id_metadata_document_supported: true } } })
  made.as.addClient({ client_id: document, redirect_uris: ['http://127.0.0.1/callback'], anyPort: true })
  await loggedIn(t, made)
  t.deepEqual([made.as.seen.registered.length, made.as.seen.authorized[0].client_id], [0, document])
})

test('a server with a key of its own is not logged in to', async (t) => {
  const made = await guarded(t, { entry: { headers: { authorization: 'Bearer key-of-the-user' } } })
  t.is(made.status().state, 'waiting')
  t.is(made.status().reason, 'it answered with HTTP status 401: it refuses the key in its headers')
  t.notRegex(made.lines.join(), /key-of-the-user/)
})

onPosix('a login file that others could have written is not used', async (t) => {
  const made = await guarded(t)
  await loggedIn(t, made)
  const kept = path.join(made.loginDir, fs.readdirSync(made.loginDir)[0])
  await made.opened.close()
  fs.chmodSync(kept, 0o644)
  const again = await made.open()
  t.is(again.status().state, 'login')
  fs.writeFileSync(kept, '{')
  await again.opened.close()
  t.is((await made.open()).status().state, 'login', 'nor is a damaged one')
  return undefined
})

test('login on the command line prints the address, waits for the browser and tries the server; logout forgets', async (t) => {
  const place = folder(t)
  const servers = { current: await authorizationServer(t) }
  const { url } = await protectedServer(t, servers)
  const config = path.join(place, 'mcp.json')
  const local = { command: 'node', args: ['x.js'] }
  fs.writeFileSync(
    config,
    JSON.stringify({ mcpServers: { cabinet: { url }, local }, gateway: { loginDir: path.join(place, 'in') } }),
  )
  const started = startCli(t, ['login', 'cabinet', '--config', config])
  await until(t, () => addressIn(started.stdout), 'the address is printed')
  await browse(addressIn(started.stdout))
  t.deepEqual(await started.ended, { code: 0, signal: null })
  t.regex(started.stdout, /Logged in to cabinet\.\nIt has 2 tools\.\n$/)
  const doctor = startCli(t, ['doctor', '--config', config])
  t.is((await doctor.ended).code, 1, 'one of the two does not start')
  t.regex(doctor.stdout, /^ok +cabinet +2 tools/m)
  const out = startCli(t, ['logout', 'cabinet', '--config', config])
  t.is((await out.ended).code, 0)
  t.regex(out.stdout, /forgotten/)
  const after = startCli(t, ['doctor', '--config', config])
  await after.ended
  t.regex(after.stdout, /^LOGIN +cabinet +it wants a login; run: npx @zoo-code\/tool-router-gateway login cabinet$/m)
  const wrong = startCli(t, ['login', 'local', '--config', config])
  t.is((await wrong.ended).code, 1)
  t.regex(wrong.stderr, /local is a program and takes its keys from env; its remote servers are cabinet/)
})

test('a gateway notices a login that is made beside it', async (t) => {
  const made = await guarded(t)
  const beside = new Logins(made.loginDir)
  t.teardown(() => beside.close())
  const { url, done } = await begun(beside, made.opened.config.servers.get(made.name))
  await browse(url)
  await done
  await until(t, () => made.status().state === 'ready', 'it is used')
  t.is(made.as.seen.authorized.length, 1)
})

test('two accounts at one address have a login each, and who logs out of one stays in the other', async (t) => {
  const made = await guarded(t, { entry: { oauth: { account: 'work' } } })
  await loggedIn(t, made)
  const other = unique('private')
  made.opened.addServer(other, { url: made.url, oauth: { account: 'private' } })
  const states = () => made.opened.servers.map(({ state }) => state)
  await until(t, () => states()[1] === 'login', 'the other account is not logged in')
  await browse(await invited(made.client, other))
  await until(t, () => states()[1] === 'ready', 'now it is')
  t.is(made.as.seen.authorized.length, 2)
  t.deepEqual([...new Set(made.as.seen.authorized.map(({ resource }) => resource))], [made.url])
  t.is(fs.readdirSync(made.loginDir).filter((file) => file.endsWith('.json')).length, 2)
  const logins = new Logins(made.loginDir)
  t.teardown(() => logins.close())
  const account = (name) => readServer('a', { url: made.url, oauth: { account: name } })
  t.true(await logins.forget(account('work')))
  t.true(await logins.forget(account('private')), 'it was still there')
})
