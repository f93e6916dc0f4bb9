// Takes the pictures of docs: every surface of apps/vscode, dark and light, by keyboard alone.
//
//   node scripts/vscode/pictures.mjs <folder> [--vsix <file>]

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

import { readArguments } from '../arguments.mjs'
import { ask, freePort, startHost, until, Window } from './drive.mjs'
import { ensureHost } from './host.mjs'
import { buildVsix, packExtension } from './vsix.mjs'
import { Workspace } from './workspace.mjs'

const THEMES = { dark: 'Default Dark Modern', light: 'Default Light Modern' }
const ODD = fileURLToPath(new URL('odd-server.mjs', import.meta.url))
const USAGE = 'usage: node scripts/vscode/pictures.mjs [folder] [--vsix <file>]\n'
const given = readArguments(USAGE, { vsix: { type: 'string' } }, { most: 1 })
if (given) await main(given.positionals[0] ?? 'docs/pictures', given.values.vsix)

async function main(target, vsix) {
  const host = ensureHost(console.log)
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'tool-router-pictures-')))
  fs.mkdirSync(target, { recursive: true })
  const workspace = new Workspace(path.join(folder, 'workspace'))
  workspace.servers.odd = { type: 'stdio', command: process.execPath, args: [ODD, 'tempting'] }
  workspace.servers.gone = { type: 'stdio', command: 'no-such-program', args: [] }
  workspace.write()
  const probePort = await freePort()
  const probe = (op, args) => ask(probePort, op, args)
  const files = [
    vsix ?? buildVsix(host, folder),
    packExtension(host, fileURLToPath(new URL('probe', import.meta.url)), folder),
  ]
  const server = await startHost(host, { folder, vsix: files, workspace: workspace.folder, probePort })
  const browser = await host.playwright.chromium.launch({ executablePath: host.chromium, args: ['--no-sandbox'] })
  try {
    const page = await browser.newPage({ viewport: { width: 1000, height: 620 } })
    page.setDefaultTimeout(60_000)
    const window = new Window(page, folder)
    await window.open(server.url)
    await until('the extension has started', () => probe('state'))
    await walk({ page, window, probe, target })
  } finally {
    await browser.close()
    server.close()
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Each surface is opened by keys alone, and photographed in both themes. */
async function walk({ page, window, probe, target }) {
  const key = async (...keys) => {
    for (const each of keys) await page.keyboard.press(each)
  }
  const picture = async (name) => {
    for (const [theme, label] of Object.entries(THEMES)) {
      await probe('theme', { name: label })
      await sleep(1_500)
      await page.screenshot({ path: path.join(target, `${name}-${theme}.png`) })
    }
    console.log(name)
  }
  const listed = (text) => until(text, async () => (await window.rows()).some((row) => row.includes(text)))
  await window.command('MCP Tool Router: Focus on MCP Tool Router View')
  await window.row('wait for your consent').waitFor()
  await picture('consent-view')
  await window.command('MCP Tool Router: Allow Servers to Start')
  // Not taken: its rows show folders of this machine.
  await listed('memory')
  await key('Escape')
  await probe('allowAll')
  const states = async () => (await probe('state')).servers.map(({ state }) => state)
  await until(
    'all servers but one are connected',
    async () => (await states()).filter((state) => state === 'connected').length === (await states()).length - 1,
    400_000,
  )
  await window.command('MCP Tool Router: Start a Task')
  await window.type('find the open merge requests of the web project and comment on the oldest one')
  await key('Enter')
  await until('the task has started', async () => (await probe('state')).selection)
  await window.command('MCP Tool Router: Focus on MCP Tool Router View')
  await window.row('odd').waitFor()
  await sleep(3_000)
  await key('End', 'ArrowUp', 'ArrowRight')
  await window.row('summarise').waitFor()
  await key('ArrowDown')
  await picture('view')
  await window.command('MCP Tool Router: Show Suspicious Tools')
  await listed('summarise')
  await picture('suspicious-list')
  await key('ArrowDown', 'Enter')
  await page.locator('.monaco-dialog-box').waitFor()
  await picture('suspicious-tool')
  await key('Escape')
  await window.command('MCP Tool Router: Show Tools of the Task')
  await until('the list is open', async () => (await window.rows()).length > 5)
  await picture('tool-list')
  await key('Escape')
  await window.command('MCP Tool Router: Try a Request')
  await window.type('create a branch in the repository')
  await until(
    'a branch tool is first',
    async () => (await window.rows()).some((row) => /1\. .*branch/.test(row)),
    60_000,
  )
  await picture('try-it')
  await key('Escape')
  await window.command('View: Close All Editors')
  await window.command('Preferences: Open Settings (UI)')
  await page.locator('.settings-editor').waitFor()
  await page.keyboard.type('toolRouter', { delay: 30 })
  await page.locator('.setting-item').first().waitFor()
  await picture('settings')
  await window.command('View: Close All Editors')
  await window.hoverStatus()
  await picture('status-bar')
}
