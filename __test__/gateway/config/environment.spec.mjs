// What servers get from the gateway besides their entries: variables of the shell, headers of a helper, the time-out of all.
import test from 'ava'

import { readConfig } from '../../../packages/gateway/config/read.mjs'
import { startedOverHttp } from '../../helpers/eras.mjs'
import { configFile, gateway, inProcess, odd, overStdio, startCli, unique } from '../../helpers/gateway.mjs'
import { where } from '../../helpers/skips.mjs'

/** What a server has in its environment, behind a gateway that has these variables. */
async function environmentOf(t, entry, settings, env) {
  const client = await overStdio(t, { mcpServers: { odd: odd(entry) }, gateway: settings }, { env })
  return JSON.parse((await client.use('mcp--odd--tell_environment')).content[0].text)
}

const SHELL = { AWS_PROFILE: 'shop', AWS_REGION: 'eu', KUBECONFIG: '/k', ZOO_TOOL_ROUTER_TOKEN: 'x'.repeat(40) }

test('a server gets none of the shell, all of it, or what is named', async (t) => {
  const none = await environmentOf(t, {}, {}, SHELL)
  for (const name of Object.keys(SHELL)) t.is(none[name], undefined, name)
  t.truthy(none.PATH)
  const all = await environmentOf(t, { env: { AWS_REGION: 'own' } }, { inheritEnv: true }, SHELL)
  t.like(all, { AWS_PROFILE: 'shop', KUBECONFIG: '/k', AWS_REGION: 'own' })
  t.is(all.ZOO_TOOL_ROUTER_TOKEN, undefined, "the gateway's own token is its own")
  const named = await environmentOf(t, { inheritEnv: ['AWS_*', 'NOT_SET'] }, { inheritEnv: ['KUBECONFIG'] }, SHELL)
  t.like(named, { AWS_PROFILE: 'shop', AWS_REGION: 'eu' })
  t.is(named.KUBECONFIG, undefined, 'an entry replaces what all servers get')
})

test('a server that is added later gets what all servers get', async (t) => {
  process.env.ENVIRONMENT_TEST = 'here'
  const opened = await gateway(t, { mcpServers: {}, gateway: { inheritEnv: ['ENVIRONMENT_TEST'] } })
  const name = unique('added')
  opened.addServer(name, odd())
  await opened.ready()
  const client = await inProcess(t, opened)
  const { content } = await client.use(`mcp--${name}--tell_environment`)
  t.is(JSON.parse(content[0].text).ENVIRONMENT_TEST, 'here')
})

test('the time-out of all servers ends a call of one that says nothing', async (t) => {
  const name = unique('slow')
  const opened = await gateway(t, { mcpServers: { [name]: odd() }, gateway: { timeout: 1 } })
  const client = await inProcess(t, opened)
  const { content, isError } = await client.use(`mcp--${name}--never`)
  t.true(isError)
  t.regex(content[0].text, /did not answer within 1 s/)
})

// --- remote servers, which want `X-Key: secret` --------------------------------------------------

async function status(t, entry) {
  const name = unique('remote')
  const opened = await gateway(t, { mcpServers: { [name]: entry } })
  return opened.servers[0]
}

const print = (source) => `${JSON.stringify(process.execPath)} -e ${JSON.stringify(source)}`

const onPosix = where(process.platform !== 'win32', 'Windows has no such files')

onPosix('headers that a helper prints are sent, instead of those of the same name', async (t) => {
  const { url } = await startedOverHttp(t, 'odd')
  const helper = print('console.log(\'{"x-key":"secret","X-For":"\' + process.env.CLAUDE_CODE_MCP_SERVER_URL + \'"}\')')
  t.is((await status(t, { url, headers: { 'X-Key': 'old' }, headersHelper: helper })).state, 'ready')
})

onPosix('a helper that fails is told by what it did, not by what it printed', async (t) => {
  const { url } = await startedOverHttp(t, 'odd')
  for (const [source, reason] of [
    ["console.log('hunter2'); process.exit(3)", 'its headersHelper ended with code 3'],
    ["console.log('hunter2')", 'its headersHelper did not print a JSON object of texts'],
    ['console.log(\'{"a":7}\')', 'its headersHelper did not print a JSON object of texts'],
  ]) {
    const told = await status(t, { url, headersHelper: print(source) })
    t.deepEqual([told.state, told.reason], ['waiting', reason])
  }
})

test('a server that refuses the key of its entry is not one to log in to', async (t) => {
  const { url } = await startedOverHttp(t, 'odd')
  for (const headers of [{ 'X-Key': 'wrong' }, { 'X-API-Key': 'wrong' }, { Authorization: 'Bearer wrong' }]) {
    const told = await status(t, { url, headers })
    t.deepEqual(
      [told.state, told.reason],
      ['waiting', 'it answered with HTTP status 401: it refuses the key in its headers'],
    )
  }
  t.is((await status(t, { url, headers: { 'X-Team': 'one' } })).state, 'login')
})

test("opencode's switches of tools are those of its servers", (t) => {
  const local = (more) => ({ type: 'local', command: ['x'], ...more })
  const { servers, off } = readConfig({
    mcp: { files: local(), 'my git': local(), web: local(), shell: local(), on: local() },
    tools: { 'files_delete*': false, my_git_push: false, 'web*': false, '*': true, on_x: true },
    permission: { 'shell_*': 'deny', files_list: 'ask', bash: { '*': 'ask' } },
  })
  t.deepEqual([...off], ['web', 'shell'])
  t.deepEqual(servers.get('files').disabledTools, ['delete*'])
  t.deepEqual(servers.get('my git').disabledTools, ['push'])
  t.deepEqual(servers.get('on').disabledTools, [])
})

// --- the command line ----------------------------------------------------------------------------

test('doctor says which common variables are withheld, and how a server gets them', async (t) => {
  const file = configFile(t, { mcpServers: { odd: odd({ inheritEnv: ['AWS_*'] }), two: odd() } })
  const env = { AWS_PROFILE: 'shop', SSH_AUTH_SOCK: '/run/agent' }
  const doctor = startCli(t, ['doctor', '--config', file], { env })
  await doctor.ended
  t.regex(doctor.stdout, /^note {2}set here, and withheld from 2 of the servers: AWS_PROFILE.*SSH_AUTH_SOCK/m)
  t.regex(doctor.stdout, /"inheritEnv": \["AWS_PROFILE".*"SSH_AUTH_SOCK".*\] in its entry, or in "gateway" for all/)
})
