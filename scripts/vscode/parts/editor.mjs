// The editor's own MCP client: the gateway in front of it, and its tools as the extension's source.

import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

const GATEWAY = fileURLToPath(new URL('../../../packages/gateway/cli.mjs', import.meta.url))

/** The editor calls a server's tools after the name that the server gives itself, cut at 18 characters. */
const OWN_NAME = 'mcp_zoo-tool-rout_'

export async function editor({ window, probe, page, workspace, folder, claim, until }) {
  const own = (names, prefix) => names.filter((name) => name.startsWith(prefix))
  const behind = path.join(folder, 'behind-the-gateway.json')
  /** Has the editor start a server; it reads the file in its own time, so it is told until the server has tools. */
  const started = async (name, prefix) => {
    const args = [`mcp.config.ws0.${name}`, { autoTrustChanges: true }]
    const dialog = page.locator('.monaco-dialog-box')
    const names = async () => own(await probe('lmTools'), prefix)
    const start = async () => {
      await probe('command', { name: 'workbench.mcp.startServer', args })
      if (await dialog.isVisible()) await window.answerDialog(/Trust|Allow|Yes|OK/)
    }
    await window.insist(`the editor has started ${name}`, start, async () => (await names()).length > 0, 15_000)
    return names()
  }

  await claim("the editor's own MCP client lists the gateway's tools", async () => {
    const servers = Object.fromEntries(['everything', 'memory'].map((name) => [name, workspace.servers[name]]))
    fs.writeFileSync(behind, JSON.stringify({ servers }))
    workspace.servers.gateway = { command: process.execPath, args: [GATEWAY, 'gateway', '--config', behind] }
    workspace.write()
    const names = await started('gateway', OWN_NAME)
    await window.picture('editor-client')
    assert.ok(names.includes(`${OWN_NAME}mcp_load`), names.join())
    return names.join(' ')
  })

  await claim('what mcp_load attaches is in the editor with the next list', async () => {
    const loaded = await probe('tool', { name: `${OWN_NAME}mcp_load`, input: { query: 'get-sum: add two numbers' } })
    const name = await until('the editor has it', async () =>
      (await probe('lmTools')).find((other) => other.startsWith(OWN_NAME) && other.includes('get-sum')),
    )
    const answer = await probe('tool', { name, input: { a: 20, b: 22 } })
    assert.match(answer, /42/)
    return `${name}; mcp_load answered ${loaded.length} characters`
  })

  await claim("with the source editor the tools are the editor's own, and a call goes through it", async () => {
    await started('everything', 'mcp_everything_')
    workspace.writeSettings({ 'toolRouter.source': 'editor' })
    const { servers } = await until('they are in the router', async () => {
      const now = await probe('state')
      const names = now.servers.map(({ name }) => name)
      return names.includes('everything') && !names.includes('linear') && now
    })
    // The editor cuts the server's own title into the names of its tools, so the rest of it may stand before the tool's.
    const { toolName } = await until('they rank', async () => {
      const { tools } = await probe('rank', { query: 'add two numbers, get-sum' })
      return tools.find((tool) => tool.serverName === 'everything' && tool.toolName.endsWith('get-sum'))
    })
    await probe('command', { name: 'workbench.view.extension.toolRouter' })
    await window.row('everything').waitFor()
    await window.picture('source-editor')
    const called = await probe('call', { server: 'everything', name: toolName, arguments: { a: 1, b: 2 } })
    assert.match(JSON.stringify(called), /3/)
    return servers.map(({ name, tools }) => `${name} ${tools}`).join(', ')
  })

  await claim('the files are the source again, and the task has the tools of all servers', async () => {
    workspace.writeSettings({})
    delete workspace.servers.gateway
    workspace.write()
    await until('all are there', () => workspace.isWhole(probe), 120_000)
  })
}
