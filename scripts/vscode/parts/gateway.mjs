// The gateway that the extension offers, started by the editor: what a person types for one server no other server gets,
// and the status bar counts tools of servers.

import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'

import { odd } from '../workspace.mjs'

const SECRET = 's3cret-value'

export async function gateway({ window, probe, page, workspace, folder, claim, until }) {
  const note = (name) => path.join(folder, `note-${name}.json`)
  const noting = (name, change) => ({ ...odd('4', name), env: { ODD_NOTE: note(name) }, ...change })
  const noted = (name) => JSON.parse(fs.readFileSync(note(name), 'utf8'))
  const storage = path.join(folder, 'data', 'User', 'workspaceStorage')
  const file = () =>
    fs
      .readdirSync(storage)
      .map((id) => path.join(storage, id, 'zoo-code-examples.mcp-tool-router', 'gateway.json'))
      .find((each) => fs.existsSync(each))
  const written = () => fs.readFileSync(file(), 'utf8')
  const kept = { ...workspace.servers }
  const servers = (change) => {
    workspace.servers = change
    workspace.write(JSON.stringify({ servers: change, inputs: [{ id: 'token', description: 'Token of gh' }] }))
  }

  await claim('the editor starts the gateway, and asks for what its servers need', async () => {
    servers({ gh: noting('gh', { env: { ODD_NOTE: note('gh'), TOKEN: '${input:token}' } }) })
    workspace.writeSettings({ 'toolRouter.gateway': true })
    await until('its file is there', () => /TOOL_ROUTER_INPUT_/.test(written()))
    await window.command('MCP: List Servers')
    await window.choose('MCP Tool Router')
    await window.choose('Start Server')
    const dialog = page.locator('.monaco-dialog-box')
    await until(
      'it is asked for',
      async () => {
        if (await dialog.isVisible()) await window.answerDialog(/Trust|Allow|Yes|OK/)
        return await window.isAsked()
      },
      60_000,
    )
    await window.picture('gateway-asks')
    await window.type(SECRET)
    await window.press('Enter')
    await until('its server has it', () => fs.existsSync(note('gh')) && noted('gh').env.TOKEN === SECRET)
    await until('the view knows it too', async () => (await probe('state')).servers[0].state === 'connected')
  })

  await claim('the status bar counts the tools that its agent has of those of its servers', async () => {
    const isSaid = async () => {
      await page.mouse.move(900, 300)
      return /has \d of 4 tools, and \d of the gateway itself/.exec(await window.hoverStatus())?.[0]
    }
    const text = await until('the hover says so', isSaid)
    assert.match(await window.status(), /[1-4] of 4 MCP tools|4 MCP tools, by search/)
    await window.picture('gateway-status')
    return text
  })

  workspace.writeSettings({})
  servers(kept)
  workspace.write()
  await until('the servers of the files are back', () => workspace.isWhole(probe))
}
