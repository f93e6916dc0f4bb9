// SPDX-License-Identifier: Apache-2.0
//
// The editor's own MCP client: the gateway in front of it, and its tools as the extension's source.

import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

const GATEWAY = fileURLToPath(new URL('../../../gateway/cli.mjs', import.meta.url))

export async function editor({ window, probe, page, workspace, folder, claim, until }) {
  const own = (names, prefix) => names.filter((name) => name.startsWith(prefix))
  const behind = path.join(folder, 'behind-the-gateway.json')
  const start = async (name) => {
    const args = [`mcp.config.ws0.${name}`, { autoTrustChanges: true, waitForLiveTools: true }]
    await probe('command', { name: 'workbench.mcp.startServer', args })
    const dialog = page.locator('.monaco-dialog-box')
    return async () => {
      if (await dialog.isVisible()) await window.answerDialog(/Trust|Allow|Yes|OK/)
    }
  }

  await claim("the editor's own MCP client lists the gateway's tools", async () => {
    const servers = Object.fromEntries(['everything', 'memory'].map((name) => [name, workspace.servers[name]]))
    fs.writeFileSync(behind, JSON.stringify({ servers }))
    workspace.servers.gateway = { command: process.execPath, args: [GATEWAY, 'gateway', '--config', behind] }
    workspace.write()
    const trust = await start('gateway')
    const names = await until(
      'its tools are there',
      async () => {
        await trust()
        const found = own(await probe('lmTools'), 'mcp_gateway_')
        return found.length > 0 && found
      },
      60_000,
    )
    await window.picture('editor-client')
    assert.ok(names.includes('mcp_gateway_mcp_load'), names.join())
    return names.join(' ')
  })

  await claim('what mcp_load attaches is in the editor with the next list', async () => {
    const loaded = await probe('tool', { name: 'mcp_gateway_mcp_load', input: { query: 'get-sum: add two numbers' } })
    const name = await until('the editor has it', async () =>
      (await probe('lmTools')).find((other) => /^mcp_gateway_.*get-sum/.test(other)),
    )
    const answer = await probe('tool', { name, input: { a: 20, b: 22 } })
    assert.match(answer, /42/)
    return `${name}; mcp_load answered ${loaded.length} characters`
  })

  await claim("with the source editor the tools are the editor's own, and a call goes through it", async () => {
    const trust = await start('everything')
    await until(
      'the editor has them',
      async () => {
        await trust()
        return own(await probe('lmTools'), 'mcp_everything_').length > 10
      },
      60_000,
    )
    workspace.writeSettings({ 'toolRouter.source': 'editor' })
    const { servers } = await until('they are in the router', async () => {
      const now = await probe('state')
      const names = now.servers.map(({ name }) => name)
      return names.includes('everything') && names.includes('gateway') && !names.includes('linear') && now
    })
    await until('they rank', async () =>
      (await probe('rank', { query: 'add two numbers, get-sum' })).tools.some(
        ({ serverName }) => serverName === 'everything',
      ),
    )
    await probe('command', { name: 'workbench.view.extension.toolRouter' })
    await window.row('everything').waitFor()
    await window.picture('source-editor')
    const called = await probe('call', { server: 'everything', name: 'get-sum', arguments: { a: 1, b: 2 } })
    assert.match(JSON.stringify(called), /3/)
    return servers.map(({ name, tools }) => `${name} ${tools}`).join(', ')
  })

  await claim('the files are the source again, and the task has the tools of all servers', async () => {
    workspace.writeSettings({})
    delete workspace.servers.gateway
    workspace.write()
    await until(
      'all are there',
      async () => {
        const { servers, status } = await probe('state')
        const isAll = servers.length === Object.keys(workspace.servers).length
        return isAll && servers.every(({ state }) => state === 'connected') && status.toolCount > 400
      },
      120_000,
    )
  })
}
