// The gateway that apps/vscode offers has what its view has: as its file says, and while it runs.

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import test from 'ava'
import { build } from 'esbuild'

import { lives, until } from '../helpers/gateway.mjs'
import {
  extensionFolder,
  loadExtension,
  memory,
  notedPid,
  noting,
  ODD_SERVER,
  resetEditor,
} from '../helpers/vscode.mjs'

resetEditor()
const modules = await loadExtension([
  'agents/gateway.ts',
  'agents/gateway-live.ts',
  'config/consent.ts',
  'config/files.ts',
  'config/inputs.ts',
  'scope.ts',
])
const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'tool-router-vscode-gateway-')))
const root = fileURLToPath(new URL('../..', import.meta.url))
test.after.always(() => fs.rmSync(folder, { recursive: true, force: true }))

/** A workspace of two servers with a gateway in front. */
async function setUp(name, { servers, allow = true, inputs = [] } = {}) {
  const workspace = path.join(folder, name)
  fs.mkdirSync(path.join(workspace, '.vscode'), { recursive: true })
  const odd = { command: process.execPath, args: [ODD_SERVER, '3'] }
  const text = JSON.stringify({ servers: servers ?? { alpha: odd, beta: odd }, inputs })
  fs.writeFileSync(path.join(workspace, '.vscode', 'mcp.json'), text)
  const editor = resetEditor()
  editor.folders = [workspace]
  editor.user['toolRouter.gateway'] = true
  modules.forgetScopes()
  const uri = (...parts) => ({ scheme: 'file', fsPath: path.join(folder, name, ...parts) })
  const files = new modules.ConfigFiles(uri('user', 'globalStorage', 'id'))
  const given = new modules.Inputs(memory(), name)
  const consent = new modules.Consent(memory(), memory())
  if (allow) await consent.give(files.read().servers)
  const storage = uri('storage')
  const open = (kept) => new modules.Gateway(files, given, consent, storage, 'gateway.mjs', kept)
  const kept = memory()
  const gateway = open(kept)
  const file = path.join(storage.fsPath, 'gateway.json')
  const config = () => {
    gateway.update()
    return JSON.parse(fs.readFileSync(file, 'utf8'))
  }
  const change = (scopes) => {
    editor.workspace['toolRouter.servers'] = scopes
    modules.forgetScopes()
    return config()
  }
  return { editor, gateway, config, change, file, workspace, consent, files, given, open, kept }
}

test.serial('without the setting nothing is offered, and nothing is written', async (t) => {
  const { editor, gateway, file } = await setUp('unwanted')
  editor.user['toolRouter.gateway'] = false
  gateway.update()
  t.deepEqual(gateway.definitions(), [])
  t.false(fs.existsSync(file))
})

test.serial('it has the servers that the user has allowed, and no other', async (t) => {
  const { gateway, config, consent, files } = await setUp('consent', { allow: false })
  t.deepEqual(gateway.definitions(), [])
  t.deepEqual(
    gateway.asking.map(({ name }) => name),
    ['alpha', 'beta'],
  )
  await consent.give([files.read().servers[1]])
  t.deepEqual(Object.keys(config().mcpServers), ['beta'])
  t.is(gateway.definitions().length, 1)
})

test.serial('it offers nothing where the editor lets no server start', async (t) => {
  const { editor, gateway } = await setUp('forbidden')
  editor.user['chat.mcp.access'] = 'none'
  t.deepEqual(gateway.definitions(), [])
})

test.serial('what is off, worded or pinned in the view, or out of the mode, is so behind the gateway', async (t) => {
  const { editor, config, change } = await setUp('view')
  t.deepEqual(Object.keys(change({ beta: { disabled: true } }).mcpServers), ['alpha'])
  t.deepEqual(Object.keys(change({ beta: { onlyAllow: 'none' } }).mcpServers), ['alpha'])
  const { alpha } = change({
    alpha: { disabledTools: ['odd_tool_0'], alwaysLoad: ['odd_tool_1'], toolDescriptionOverrides: { odd_tool_1: 'x' } },
  }).mcpServers
  t.like(alpha, {
    disabledTools: ['odd_tool_0'],
    alwaysLoad: ['odd_tool_1'],
    toolDescriptionOverrides: { odd_tool_1: 'x' },
  })
  editor.user['toolRouter.modes'] = { docs: { allowedMcpServers: ['beta'] } }
  editor.user['toolRouter.mode'] = 'docs'
  t.deepEqual(Object.keys(config().mcpServers), ['beta'])
  editor.user['toolRouter.mode'] = 'misspelt'
  t.deepEqual(Object.keys(config().mcpServers), [])
})

test.serial('its file holds no secret: each server has a variable of its own, filled in when it starts', async (t) => {
  const entry = { command: 'server', args: ['${input:token}', '${workspaceFolder}/x'], envFile: 'own.env' }
  const inputs = [{ id: 'token', description: 'Token' }]
  const { editor, gateway, config, file, workspace } = await setUp('inputs', {
    servers: { a: entry, b: entry },
    inputs,
  })
  const { mcpServers } = config()
  const [first, second] = ['a', 'b'].map((name) => mcpServers[name].args[0])
  t.regex(first, /^\$\{env:TOOL_ROUTER_INPUT_[0-9A-F]{32}\}$/)
  t.not(first, second)
  t.is(mcpServers.a.args[1], `${workspace}/x`)
  t.is(mcpServers.a.envFile, path.join(workspace, 'own.env'))
  editor.answers.push('of-a', 'of-b')
  const [definition] = gateway.definitions()
  const { env } = await gateway.resolve(definition)
  const filled = (placeholder) => env[placeholder.slice('${env:'.length, -1)]
  t.deepEqual([filled(first), filled(second)], ['of-a', 'of-b'])
  t.notRegex(fs.readFileSync(file, 'utf8'), /of-a|of-b/)
  t.not(gateway.definitions()[0].version, definition.version, 'the editor is told that it may start it again')
})

test.serial(
  'what was typed for one server is named by no entry of another, and by none that was written before',
  async (t) => {
    const secret = { command: 'server', args: ['${input:token}'] }
    const { config, open, file } = await setUp('names', { servers: { a: secret }, inputs: [{ id: 'token' }] })
    const nameIn = ({ mcpServers }) => /TOOL_ROUTER_INPUT_\w+/.exec(mcpServers.a.args[0])[0]
    const first = nameIn(config())
    open(memory()).update()
    const second = nameIn(JSON.parse(fs.readFileSync(file, 'utf8')))
    t.not(first, second, 'another window, another name')
    const thieves = {
      argument: { command: 'x', args: [`\${env:${first}}`] },
      header: { url: 'https://example.invalid/', headers: { x: `\${${first.toLowerCase()}}` } },
      variable: { command: 'x', env: { X: `\${env:${first}:-}` } },
    }
    const { config: configOf } = await setUp('thieves', {
      servers: { a: secret, ...thieves },
      inputs: [{ id: 'token' }],
    })
    t.deepEqual(Object.keys(configOf().mcpServers), ['a'])
  },
)

test.serial(
  'only what the editor reads of an entry reaches the gateway, so that nothing runs that nobody was shown',
  async (t) => {
    const { config } = await setUp('fields', {
      servers: {
        a: {
          url: 'https://example.invalid/',
          headers: { x: 'y' },
          headersHelper: 'touch /x',
          oauth: { clientId: 'z' },
        },
        b: { command: 'x', args: ['y'], inheritEnv: true, lazy: true },
      },
    })
    const { a, b } = config().mcpServers
    t.deepEqual(
      Object.keys(a).filter((key) => !(key in modules.scopeOf({ name: 'a' }))),
      ['url', 'headers'],
    )
    t.false('inheritEnv' in b || 'lazy' in b)
  },
)

test.serial(
  'the settings reach the gateway: the model, the off switch, and the threshold once its tools are known',
  async (t) => {
    const { editor, gateway, config, kept } = await setUp('settings')
    t.is(config().gateway.mode, 'dynamic')
    const { withholdTools, changedTools } = config().gateway
    t.deepEqual([withholdTools, changedTools], ['never', 'tell'], 'what is suspicious is switched off in the view')
    const [first] = gateway.definitions()
    t.is(first.args.length, 2)
    editor.user['toolRouter.model'] = 'none'
    const [second] = gateway.definitions()
    t.deepEqual(second.args.slice(2), ['--words'])
    t.not(second.version, first.version, 'the editor starts it again')
    editor.user['toolRouter.threshold'] = 6
    for (const [count, mode] of [
      [6, 'static'],
      [7, 'dynamic'],
    ]) {
      await kept.update('gatewayTools', { names: 'alpha,beta', count })
      t.is(config().gateway.mode, mode, `${count} tools`)
    }
    await kept.update('gatewayTools', { names: 'alpha', count: 1 })
    t.is(config().gateway.mode, 'dynamic', 'what is known of other servers says nothing')
    editor.user['toolRouter.enabled'] = false
    t.is(config().gateway.mode, 'static')
  },
)

test.serial('a running gateway follows the view: what is unticked ends, and what it shows is counted', async (t) => {
  const program = path.join(root, 'node_modules', '.cache', `vscode-gateway-${process.pid}.mjs`)
  const gatewayFile = fileURLToPath(new URL('../../packages/gateway/gateway/index.mjs', import.meta.url))
  await build({
    entryPoints: [path.join(extensionFolder, 'src', 'agents', 'gateway-main.mts')],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    nodePaths: [path.join(root, 'node_modules')],
    external: [gatewayFile],
    alias: { '@zoo-code/tool-router-gateway': gatewayFile },
    logLevel: 'silent',
  })
  t.teardown(() => fs.rmSync(program, { force: true }))
  const note = path.join(folder, 'beta.json')
  const { gateway, change, file } = await setUp('live', {
    servers: { alpha: noting(path.join(folder, 'alpha.json')), beta: noting(note) },
  })
  const [{ command, args }] = gateway.definitions()
  const client = new Client({ name: 'test', version: '1' })
  const transport = new StdioClientTransport({ command, args: [program, args[1]], stderr: 'ignore' })
  await client.connect(transport)
  t.teardown(() => client.close())
  const load = async (query) =>
    JSON.stringify((await client.callTool({ name: 'mcp_load', arguments: { query } })).content)
  await until(t, async () => /mcp--beta--odd_tool_2/.test(await load('mcp--beta--odd_tool_2')), 'beta is found')
  const { tools } = await client.listTools()
  await until(t, () => modules.readLive(file)?.isWhole, 'it says what it has shown')
  const live = modules.readLive(file)
  const attached = tools.filter(({ name }) => name.startsWith('mcp--')).length
  t.true(attached > 0)
  t.like(live, { listed: tools.length, attached, scoped: 6, isWhole: true })
  t.true(live.tokens > 100)
  const pid = notedPid(note)
  change({ beta: { disabled: true } })
  await until(t, () => !lives(pid), 'its process has ended')
  t.notRegex(await load('mcp--beta--odd_tool_1'), /Loaded.*mcp--beta--odd_tool_1/)
  change({ beta: { disabled: true }, alpha: { disabledTools: ['odd_tool_0'] } })
  const isBack = async () => {
    const { tools: now } = await client.listTools()
    const isGone = !now.some(({ name }) => name.includes('beta'))
    return isGone && /mcp--alpha--odd_tool_1/.test(await load('mcp--alpha--odd_tool_1'))
  }
  await until(t, isBack, 'alpha is back without one tool')
  t.notRegex(await load('mcp--alpha--odd_tool_0'), /Loaded.*mcp--alpha--odd_tool_0/)
  await client.close()
  await until(t, () => modules.readLive(file) === undefined, 'nothing is said of a gateway that has ended')
})
