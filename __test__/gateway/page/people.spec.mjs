// People at the page: by a key of a client, or a token of the issuer. Each sees what is open to that person, and nothing of what
// others did; nobody who is known by name changes what others share.
import test from 'ava'

import { createGateway } from '../../../packages/gateway/gateway/index.mjs'
import { MARKED, folder, until } from '../../helpers/gateway.mjs'
import { openIssuer } from '../../helpers/issuer.mjs'
import { keyed } from '../../helpers/keys.mjs'
import { MISSING } from '../../helpers/postgres.mjs'
import { browserOf } from '../../helpers/visits.mjs'

const claim = MISSING === undefined ? test.serial : test.serial.skip
const ACTS = ['approve', 'login', 'reload', 'restart', 'switch']
const namesOf = async (browser) => (await browser.read('servers')).servers.map(({ name }) => name).toSorted()

/** A browser that has come in. */
async function entered(t, endpoint, token) {
  const browser = browserOf(endpoint)
  const { status, text } = await browser.enter({ token })
  t.is(status, 200, text)
  return { ...browser, profile: JSON.parse(text).profile }
}

async function calls(t, browser, server) {
  const tool = `${server}_list_t0`
  // Servers of profiles start for who asks for tools.
  t.is((await browser.post('/ui/data/search', { query: 'list invoices' })).status, 200)
  await until(t, async () => (await browser.read('servers')).servers[0]?.toolCount > 0, 'its tools are there')
  const { status, text } = await browser.post('/ui/data/call', { server, tool, args: {} })
  t.is(status, 200, text)
}

/** Nothing that others share is changed, and nothing that others did is read. */
async function isGuest(t, browser) {
  for (const what of ACTS) t.is((await browser.post(`/ui/data/${what}`, {})).status, 403, what)
  t.is((await browser.ask('/ui/data/sessions')).status, 403)
  t.is((await browser.post('/ui/ticket', {})).status, 403)
  const { canAct, canReload, canSwitch, profiles } = await browser.read('overview')
  t.deepEqual([canAct, canReload, canSwitch, profiles], [false, false, false, []])
}

claim(
  'by a key a person sees its profile, tries its tools under the name of the key, and reads of own calls alone',
  async (t) => {
    const { a, b, gateway, newKey } = await keyed(t)
    const endpoint = await gateway.listen({ page: true })
    const [ann, ben] = [
      await entered(t, endpoint, await newKey('ann', '--profile', 'one')),
      await entered(t, endpoint, await newKey('ben', '--profile', 'one')),
    ]
    t.is(ann.profile, 'one')
    t.deepEqual(await namesOf(ann), [a])
    await isGuest(t, ann)
    await calls(t, ann, a)
    t.is((await ann.post('/ui/data/call', { server: b, tool: `${b}_list_t0`, args: {} })).status, 404)
    const rows = async (browser, what) => (await browser.read(what)).calls.filter(({ tool }) => tool !== 'key')
    await until(t, async () => (await rows(ann, 'audit')).length > 0, 'it has its row')
    for (const what of ['audit', 'calls']) {
      const [row] = await rows(ann, what)
      t.like(row, { person: 'key ann', server: a, tool: `${a}_list_t0`, outcome: 'ok' })
      t.deepEqual(await rows(ben, what), [], what)
    }
    for (const what of ['servers', 'tools', 'audit', 'calls', 'approvals', 'overview'])
      t.false((await ann.ask(`/ui/data/${what}`)).text.includes(b), what)
  },
)

claim('what holds for visitors holds for the token of a profile', async (t) => {
  const token = 'a-token-of-a-profile-that-is-long-enough'
  const { a, gateway, newKey } = await keyed(t, { token })
  const endpoint = await gateway.listen({ page: true })
  const ann = await entered(t, endpoint, await newKey('ann', '--profile', 'one'))
  const anybody = await entered(t, endpoint, token)
  t.deepEqual([await namesOf(ann), await namesOf(anybody)], [[a], [a]])
  await isGuest(t, ann)
  await calls(t, ann, a)
  await calls(t, anybody, a)
  t.deepEqual(
    (await ann.read('calls')).calls.map(({ person }) => person),
    ['key ann'],
  )
  t.is((await anybody.read('calls')).calls.length, 2)
  t.is((await anybody.ask('/ui/data/sessions')).status, 200)
  for (const what of ACTS) t.is((await anybody.post(`/ui/data/${what}`, { server: a, on: false })).status, 403, what)
  const owner = await entered(t, endpoint, endpoint.token)
  t.is((await owner.post('/ui/of/one/data/restart', { server: a })).status, 200)
  // What a server prints may be of others who share it.
  for (const [guest, isShown] of [
    [anybody, false],
    [owner, true],
  ])
    t.true((await guest.read('servers')).servers.every((server) => 'lines' in server === isShown))
})

claim('a key without a profile shows all servers and changes nothing, and a visit ends with its key', async (t) => {
  const { a, b, gateway, newKey, command, store } = await keyed(t)
  const endpoint = await gateway.listen({ page: true })
  const cal = await entered(t, endpoint, await newKey('cal'))
  t.is(cal.profile, null)
  t.deepEqual(await namesOf(cal), [a, b].toSorted())
  await isGuest(t, cal)
  // Another gateway over the same database, with the same token.
  const config = { mcpServers: {}, gateway: { store, publicUrl: 'https://tools.example' } }
  const second = await createGateway({ config })
  t.teardown(() => second.close())
  const elsewhere = await second.listen({ token: endpoint.token, page: true })
  const moved = browserOf(elsewhere)
  const cookie = cal.visit.cookie.replace(/^[^=]+/, 'zoo-page-443')
  Object.assign(moved.visit, { cookie, key: cal.visit.key })
  t.is((await moved.ask('/ui/data/servers')).status, 200)
  await command('revoke-key', 'cal')
  await until(t, async () => (await cal.ask('/ui/data/servers')).status === 401, 'the visit has ended')
  await until(t, async () => (await moved.ask('/ui/data/servers')).status === 401, 'there too')
  t.is((await browserOf(endpoint).enter({ token: 'zoo_nobody' })).status, 401)
})

test.serial('by a token of the issuer a person of two groups sees what both have', async (t) => {
  const audience = 'https://tools.example/mcp'
  const people = { ann: ['dev', 'staff'], bob: ['staff'], cal: ['others'] }
  const server = await openIssuer(t, { audience, people })
  const marked = (mark) => ({ command: process.execPath, args: [MARKED, mark] })
  const config = {
    mcpServers: { mkwork: marked('mkwork'), mklook: marked('mklook'), mkshut: marked('mkshut') },
    profiles: { work: { servers: ['mkwork'] }, look: { servers: ['mklook'] } },
    gateway: {
      dir: folder(t),
      audit: true,
      oidc: { issuer: server.issuer, audience, groups: { dev: 'work', staff: 'look' } },
    },
  }
  const gateway = await createGateway({ config })
  t.teardown(() => gateway.close())
  const endpoint = await gateway.listen({ page: true })
  const ann = await entered(t, endpoint, await server.tokenOf('ann'))
  t.is(ann.profile, 'work, look')
  t.deepEqual(await namesOf(ann), ['mklook', 'mkwork'])
  await isGuest(t, ann)
  const bob = await entered(t, endpoint, await server.tokenOf('bob'))
  t.deepEqual(await namesOf(bob), ['mklook'])
  await calls(t, bob, 'mklook')
  t.regex((await bob.read('calls')).calls[0].person, /^person /)
  t.deepEqual((await ann.read('calls')).calls, [])
  for (const token of [await server.tokenOf('cal'), `${await server.tokenOf('ann')}x`, 'a.b.c'])
    t.is((await browserOf(endpoint).enter({ token })).status, 401)
})
