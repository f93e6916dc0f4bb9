// The icons and menus of rows in windows whose view was never open, by mouse; and what is asked only once of a person who
// has the same servers of their own in every workspace.

import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'

import { odd } from '../workspace.mjs'

export async function rows({ fresh, newWindow, folder, claim, until }) {
  const workspaceOf = (name, servers) => {
    const workspace = path.join(folder, name)
    fs.mkdirSync(path.join(workspace, '.vscode'), { recursive: true })
    const inputs = [{ id: 'token', description: 'Token' }]
    fs.writeFileSync(path.join(workspace, '.vscode', 'mcp.json'), JSON.stringify({ servers, inputs }))
    return workspace
  }
  const settingsOf = (workspace) => {
    const file = path.join(workspace, '.vscode', 'settings.json')
    return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : {}
  }
  const first = workspaceOf('fresh', {})
  const host = await fresh('rows', { 'toolRouter.source': 'files' }, first)
  const opened = async (workspace, context) => {
    const window = await newWindow(context)
    await window.open(host.urlOf(workspace))
    return window
  }
  /** What a click did not do is told here: "Choose a row of the view …". */
  const isQuiet = async (window) => assert.doesNotMatch(await window.told(), /Choose a row|Choose a /)
  try {
    await claim('each icon and the menu of a row reach it in a window whose view was never open', async () => {
      const waiting = { ...odd('2'), env: { TOKEN: '${input:token}' } }
      const workspace = workspaceOf('fresh', { alpha: odd('30'), beta: waiting })
      const window = await opened(workspace)
      try {
        await window.openView()
        await window.row('alpha').waitFor()
        for (const name of ['alpha', 'beta']) {
          await window.pressIcon(name, 'Allow')
          await window.answerDialog(/^Start/)
          await isQuiet(window)
        }
        await until('alpha is on', async () => /30 on/.test(await window.row('alpha').textContent()))
        await until('beta waits', async () => /input token/.test(await window.row('beta').textContent()))
        await window.pressIcon('beta', 'Provide Input')
        await until('it is asked for', () => window.isAsked())
        await window.type('a value')
        await window.press('Enter')
        await until('beta is on', async () => /2 on/.test(await window.row('beta').textContent()))
        await window.row('alpha').locator('.monaco-tl-twistie').click()
        await window.row('odd_tool_1').waitFor()
        await window.pressIcon('odd_tool_1', 'Always Load')
        const pinned = () => settingsOf(workspace)['toolRouter.servers']?.alpha?.alwaysLoad?.join()
        await until('it is pinned', async () => pinned() === 'odd_tool_1')
        await window.chooseInMenu('odd_tool_2', 'Switch Only This Tool On')
        const only = () => settingsOf(workspace)['toolRouter.servers']?.alpha?.onlyAllow?.join()
        await until('only this one is on', async () => only() === 'odd_tool_2')
        await isQuiet(window)
        await window.picture('fresh-window')
      } catch (error) {
        await window.picture('fresh-failure')
        throw error
      } finally {
        await window.page.close()
      }
    })

    await claim(
      "a server of the user's own file is allowed once, and its token typed once, for all workspaces",
      async () => {
        const own = { ...odd('3'), env: { TOKEN: '${input:token}' } }
        const inputs = [{ id: 'token', description: 'Token' }]
        fs.writeFileSync(path.join(host.user, 'mcp.json'), JSON.stringify({ servers: { mine: own }, inputs }))
        const here = await opened(workspaceOf('own-1', {}))
        await here.openView()
        await here.row('mine').waitFor()
        await here.pressIcon('mine', 'Allow')
        await here.answerDialog(/^Start/)
        await until('it waits', async () => /input token/.test(await here.row('mine').textContent()))
        await here.pressIcon('mine', 'Provide Input')
        await here.type('a value')
        await here.press('Enter')
        await until('it is on', async () => /3 on/.test(await here.row('mine').textContent()))
        const there = await opened(workspaceOf('own-2', {}), here.page.context())
        await there.openView()
        await until('it is on there too', async () => /3 on/.test(await there.row('mine').textContent()))
        await here.page.context().close()
      },
    )
  } finally {
    host.close()
  }
}
