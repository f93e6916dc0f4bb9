// Who called what: a row for each call that may have taken effect, also of a gateway that was killed, and for each that was refused.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import test from 'ava'

import { FileCalls } from '../../../packages/gateway/store/file-calls.mjs'
import { run } from '../../helpers/child.mjs'
import { CLI, folder, gateway, inProcess, odd, overHttp, overStdio, unique, until } from '../../helpers/gateway.mjs'
import { openIssuer } from '../../helpers/issuer.mjs'

const SECRET = 'an-argument-of-nobody-else'
const linesIn = (place) =>
  readdirSync(place).flatMap((file) => readFileSync(path.join(place, file), 'utf8').trim().split('\n').map(JSON.parse))

test('calls, refusals and names that nobody has leave a row with the person, the session and the gateway', async (t) => {
  const dir = folder(t)
  const auditDir = path.join(dir, 'audit')
  const name = unique('odd')
  const config = { mcpServers: { [name]: odd() }, gateway: { dir, audit: true } }
  const opened = await gateway(t, config)
  const client = await inProcess(t, opened)
  await client.use('call_tool_write', { name: `mcp--${name}--reword`, arguments: {} })
  await client.use('call_tool_read', { name: `mcp--${name}--reword`, arguments: { note: SECRET } })
  await client.use('call_tool_destructive', { name: `mcp--${name}--drop_everything`, arguments: { note: SECRET } })
  await opened.close()
  const file = path.join(folder(t), 'mcp.json')
  writeFileSync(file, JSON.stringify(config))
  const audit = async (...args) => (await run([CLI, 'audit', '--config', file, ...args])).stdout
  const calls = (await audit('--json')).trim().split('\n').map(JSON.parse)
  t.deepEqual(calls.map(({ server, tool, outcome }) => [server, tool, outcome]).sort(), [
    ['', `mcp--${name}--drop_everything`, 'refused'],
    [name, 'reword', 'ok'],
    [name, 'reword', 'refused'],
  ])
  const [{ person, session, replica }] = calls
  t.true(calls.every((call) => call.person === person && call.session === session && call.replica === replica))
  t.regex(person, /^user [\w-]{22}$/, 'a hash')
  t.regex(session, /^[\w-]{22}$/)
  t.regex(replica, new RegExp(`/${process.pid}$`))
  t.notRegex(JSON.stringify(linesIn(auditDir)), new RegExp(SECRET))
  t.is((await audit('--outcome', 'refused', '--server', name)).trim().split('\n').length, 1)
  t.regex(await audit('--person', 'somebody else'), /^No call since .* fits\./)
  t.is((await run([CLI, 'audit', '--config', file, '--since', 'soon'])).code, 1)
  const [written] = readdirSync(auditDir)
  if (process.platform !== 'win32') t.is(statSync(path.join(auditDir, written)).mode & 0o077, 0)
})

test('what a client reads of resources and prompts has a row, and what a program calls that nobody has', async (t) => {
  const dir = folder(t)
  const name = unique('odd')
  const opened = await gateway(t, {
    mcpServers: { [name]: odd() },
    gateway: { dir, audit: true, metaTools: ['mcp_load', 'run_program'] },
  })
  const client = await inProcess(t, opened)
  const { resources } = await client.listResources()
  const { prompts } = await client.listPrompts()
  await client.readResource({ uri: resources[0].uri })
  await client.getPrompt({ name: prompts[0].name, arguments: {} })
  await t.throwsAsync(client.readResource({ uri: `file://ann:${SECRET}@host/etc/secret?with=${SECRET}` }))
  await t.throwsAsync(client.getPrompt({ name: 'nobodys' }))
  await client.use('run_program', { code: 'return await tools.nobodys.tool({})' })
  await opened.close()
  const rows = linesIn(path.join(dir, 'audit'))
  t.deepEqual(rows.map(({ server, tool, outcome }) => [server, tool, outcome]).sort(), [
    ['', 'nobodys.tool', 'refused'],
    ['', 'prompt nobodys', 'refused'],
    ['', 'resource file://host/etc/secret', 'refused'],
    [name, `prompt ${prompts[0].name}`, 'ok'],
    [name, `resource ${resources[0].uri}`, 'ok'],
  ])
  t.is(new Set(rows.map(({ person, session, client: by }) => [person, session, by].join())).size, 1)
  t.notRegex(JSON.stringify(rows), new RegExp(SECRET))
})

test('requests with a token that opens nothing have a row, and one for those that follow', async (t) => {
  const dir = folder(t)
  const auditDir = path.join(dir, 'audit')
  const opened = await gateway(t, { mcpServers: {}, gateway: { dir, audit: true } })
  const { url } = await opened.listen()
  const knock = async (headers) => (await fetch(url, { headers })).status
  for (let at = 0; at < 6; at++) t.is(await knock({ Authorization: `Bearer ${SECRET}-${at}` }), 401)
  t.is(await knock({}), 401, 'a client that asks for the way in')
  await opened.close()
  const rows = linesIn(auditDir)
  t.deepEqual(
    rows.map(({ client, tool, outcome, person }) => [client, tool, outcome, person]),
    [
      ['1 request', 'token', 'refused', ''],
      ['5 requests', 'token', 'refused', ''],
    ],
  )
  t.notRegex(JSON.stringify(rows), new RegExp(SECRET))
})

test('a call that may have taken effect has its row though the gateway was killed in its midst', async (t) => {
  const dir = folder(t)
  const auditDir = path.join(dir, 'audit')
  const name = unique('odd')
  const server = odd({ toolKinds: { never: 'write' } })
  const client = await overStdio(t, { mcpServers: { [name]: server }, gateway: { dir, audit: true } })
  const asked = client.use('call_tool_write', { name: `mcp--${name}--never`, arguments: {} }).catch(() => {})
  const rows = () => {
    try {
      return linesIn(auditDir)
    } catch {
      return []
    }
  }
  await until(t, () => rows().some(({ tool }) => tool === 'never'), 'it is written before it is answered')
  process.kill(client.pid, 'SIGKILL')
  await asked
  t.deepEqual(
    rows().map(({ tool, outcome }) => [tool, outcome]),
    [['never', 'begun']],
  )
})

test('half a line, or a line of another program, costs no other row', async (t) => {
  const place = folder(t)
  const calls = new FileCalls(place)
  const call = { id: 'a', at: Date.now(), person: 'Ann', client: 'c', server: 's', tool: 'x', outcome: 'begun' }
  await calls.begin(call)
  calls.record({ ...call, outcome: 'ok' })
  calls.record({ ...call, id: 'b' })
  await calls.flush()
  const [file] = readdirSync(place)
  writeFileSync(path.join(place, file), '5\n{"id":7}\n{"id":"c","at":', { flag: 'a' })
  writeFileSync(path.join(place, 'calls-of-another.jsonl'), JSON.stringify({ ...call, id: 'd' }))
  const found = await calls.list({ since: 0, most: 10 })
  t.deepEqual(found.map(({ id, outcome }) => [id, outcome]).sort(), [
    ['a', 'ok'],
    ['b', 'begun'],
  ])
  t.is((await calls.list({ since: 0, most: 1 })).length, 1)
  const ids = async (wanted) => (await calls.list({ since: 0, most: 10, ...wanted })).map(({ id }) => id).sort()
  t.deepEqual(await ids({ is: { outcome: 'ok' } }), ['a'])
  t.deepEqual(await ids({ words: 'ANN' }), ['a', 'b'])
  t.deepEqual(await ids({ words: 'nobody' }), [])
})

test('a person of the issuer is a hash in the rows of a profile', async (t) => {
  const dir = folder(t)
  const auditDir = path.join(dir, 'audit')
  const audience = 'https://tools.example/mcp'
  const issuer = await openIssuer(t, { audience, people: { ann: ['dev'], bob: ['dev'] } })
  const name = unique('odd')
  const opened = await gateway(t, {
    mcpServers: { [name]: odd({ toolKinds: { tell_pid: 'read' } }) },
    profiles: { work: { servers: [name] } },
    gateway: { dir, audit: true, oidc: { issuer: issuer.issuer, audience, groups: { dev: 'work' } } },
  })
  const { url } = await opened.listen()
  for (const person of ['ann', 'bob']) {
    const client = await overHttp(t, { url, token: await issuer.tokenOf(person) })
    await client.use('call_tool_read', { name: `mcp--${name}--tell_pid`, arguments: {} })
  }
  const rows = () => (existsSync(auditDir) ? linesIn(auditDir) : [])
  await until(t, () => rows().length === 2, 'both are written')
  const [ann, bob] = rows()
  t.regex(ann.person, /^person [\w-]{22}$/)
  t.not(ann.person, bob.person)
  t.deepEqual([ann.profile, ann.tool, ann.outcome], ['work', 'tell_pid', 'ok'])
  t.false(JSON.stringify(ann).includes('ann of'))
})
