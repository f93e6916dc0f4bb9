// A gateway with servers in every state and clients at work, and a browser in front of its page.

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'

import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { chromium } from 'playwright-core'

import { authorizationServer, protectedServer } from '../../__test__/helpers/authorization-server.mjs'
import { openIssuer } from '../../__test__/helpers/issuer.mjs'
import { createGateway } from '../../packages/gateway/gateway/index.mjs'
import { serveTools } from './tools-server.mjs'
import { findBrowser } from '../vscode/host.mjs'
import { CHANGED, SERVERS } from './servers.mjs'

const AUDIENCE = 'https://tools.example/mcp'

const FAILS = `console.error('Loading configuration'); console.error("Error: Cannot find module './index.js'"); process.exit(1)`

/** @param {{ model?: boolean }} [options] */
export async function openStage({ model = false } = {}) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tool-router-ui-'))
  const listed = new Map(Object.entries(SERVERS))
  const served = await serveTools(listed)
  // A server that wants a login, and an issuer of the organisation.
  const ends = []
  const t = { teardown: (end) => ends.push(end) }
  const locked = await protectedServer(t, { current: await authorizationServer(t) })
  const issuer = await openIssuer(t, { audience: AUDIENCE, people: { mia: ['care'] } })
  const config = {
    mcpServers: Object.fromEntries([
      ...[...listed.keys()].map((name) => [name, { url: `http://127.0.0.1:${served.port}/${name}` }]),
      ['crm', { url: locked.url, description: 'Customers and their contacts' }],
      ['analytics', { command: process.execPath, args: ['-e', FAILS, '--', '--token', 'a1Secret7Argument9zzQ'] }],
    ]),
    profiles: { support: { servers: ['tracker', 'wiki'] } },
    gateway: {
      changedTools: 'withhold',
      dir: folder,
      audit: true,
      oidc: { issuer: issuer.issuer, audience: AUDIENCE, groups: { care: 'support' } },
      searchK: 6,
      maxTools: 100,
    },
  }
  // From a file, which the page can write.
  const configFile = path.join(folder, 'mcp.json')
  fs.writeFileSync(configFile, JSON.stringify(config, undefined, 2))
  const gateway = await createGateway({ configFile })
  if (model) {
    await gateway.router.loadModel()
    await gateway.router.ready()
  }
  const endpoint = await gateway.listen({ page: true })
  await gateway.ready()
  const clients = []
  const connect = async (name, version) => {
    const client = new Client({ name, version })
    const headers = { Authorization: `Bearer ${endpoint.token}` }
    await client.connect(new StreamableHTTPClientTransport(new URL(endpoint.url), { requestInit: { headers } }))
    clients.push(client)
    return client
  }
  return {
    configFile,
    tokenOf: issuer.tokenOf,
    gateway,
    endpoint,
    connect,
    /** The tool of one server says something else, which is read when it is started again. */
    change: () => {
      listed.set(CHANGED.server, [SERVERS[CHANGED.server][0], CHANGED.tool])
      gateway.catalogue.restart(gateway.catalogue.entries.get(CHANGED.server))
    },
    close: async () => {
      await Promise.all(clients.map((client) => client.close()))
      await gateway.close()
      await Promise.all([served.close(), ...ends.map((end) => end())])
      fs.rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A few minutes of two clients, without the minutes. */
export async function work(stage) {
  const call = (client, name, args) => client.callTool({ name, arguments: args })
  const editor = await stage.connect('editor', '1.139.0')
  await editor.listTools()
  await call(editor, 'mcp_load', { query: 'find the open issues of a project and comment on one' })
  await editor.listTools()
  await call(editor, 'mcp--tracker--list_issues', { project: 'web' })
  await call(editor, 'mcp--tracker--add_comment', { number: '17', body: 'Fixed by the latest release.' })
  await call(editor, 'call_tool_read', { name: 'mcp--tracker--delete_branch', args: { branch: 'old' } })
  const agent = await stage.connect('agent', '2.4.0')
  await agent.listTools()
  await call(agent, 'manage_modules', { action: 'load', module: 'warehouse' })
  await agent.listTools()
  await call(agent, 'mcp--warehouse--run_query', { sql: 'select 1' })
}

export function openBrowser() {
  return chromium.launch({ executablePath: findBrowser(), args: ['--no-sandbox'] })
}

export const PLACES = ['Servers', 'Catalogue', 'Search', 'Sessions', 'Calls', 'Approvals', 'Settings']

/** Opens the page by its printed address. @param {import('playwright-core').BrowserContext} context */
export async function visit(context, endpoint) {
  const page = await context.newPage()
  const wrong = []
  page.on('pageerror', ({ message }) => wrong.push(message))
  page.on('console', (message) => message.type() === 'error' && wrong.push(message.text()))
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(endpoint.url).origin) wrong.push(`asked ${request.url()}`)
  })
  await page.goto(endpoint.pageUrl)
  await page.getByRole('heading', { name: 'Servers', level: 1 }).waitFor()
  await page.getByText('live', { exact: true }).waitFor()
  return { page, wrong }
}

/** Chooses a part of the page. @param {import('playwright-core').Page} page */
export async function go(page, place) {
  await page.getByRole('navigation').getByRole('link', { name: place }).click()
  await page.getByRole('heading', { name: place, level: 1 }).waitFor()
}
