// What one authorization server or account gave is given to no other.
import fs from 'node:fs'
import path from 'node:path'
import test from 'ava'
import { Logins } from '../../../packages/gateway/login/logins.mjs'
import { readServer } from '../../../packages/gateway/config/server.mjs'
import { authorizationServer, browse, protectedServer } from '../../helpers/authorization-server.mjs'
import { configFile, folder, startCli, unique, until } from '../../helpers/gateway.mjs'
import { where } from '../../helpers/skips.mjs'
import { guarded, invited, begun, loggedIn, addressIn } from '../../helpers/login-servers.mjs'

const onPosix = where(process.platform !== 'win32', 'Windows has no such files')

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
  const made = await guarded(t, { entry: { lazy: true }, keepsLists: true })
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
  const servers = { current: await authorizationServer(t) }
  const { url } = await protectedServer(t, servers)
  const local = { command: 'node', args: ['x.js'] }
  const config = configFile(t, { mcpServers: { cabinet: { url }, local }, gateway: { dir: folder(t) } })
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
  t.regex(after.stdout, /^LOGIN +cabinet +it wants a login; run: .* login cabinet --config .*$/m)
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
