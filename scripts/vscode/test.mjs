// Tests apps/vscode in a real VS Code: packs the tarballs, builds the VSIX, installs it into code-server and
// drives it in a browser, with real MCP servers.
//
//   npm run test:vscode -- [--only <part>,<part>] [--vsix <file>] [--pictures <folder>]
//
// Prints one line per claim and where the pictures are; exits with 1 if a claim does not hold.

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

import { readArguments } from '../arguments.mjs'
import { ask, freePort, startHost, until, Window } from './drive.mjs'
import { ensureHost } from './host.mjs'
import { PARTS } from './parts/index.mjs'
import { buildVsix, packExtension } from './vsix.mjs'
import { Workspace } from './workspace.mjs'

const USAGE = 'usage: npm run test:vscode -- [--only <part>,<part>] [--vsix <file>] [--pictures <folder>]\n'
const VIEWPORT = { width: 1280, height: 800 }
const given = readArguments(USAGE, {
  only: { type: 'string' },
  vsix: { type: 'string' },
  pictures: { type: 'string' },
})
// What is told to end leaves no editor behind.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1))
if (given) process.exitCode = await main(given.values)

async function main(values) {
  const wanted = values.only?.split(',') ?? Object.keys(PARTS)
  const unknown = wanted.filter((name) => !Object.hasOwn(PARTS, name))
  if (unknown.length > 0) throw new Error(`--only: expected ${Object.keys(PARTS).join(', ')}; got ${unknown.join()}`)
  const say = (line) => console.log(line)
  const host = ensureHost(say)
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'tool-router-vscode-')))
  const pictures = path.resolve(values.pictures ?? fs.mkdtempSync(path.join(os.tmpdir(), 'tool-router-pictures-')))
  fs.mkdirSync(pictures, { recursive: true })
  let server
  let browser
  let failed = 0
  try {
    const vsix = values.vsix ?? buildVsix(host, folder)
    say(`VSIX: ${(fs.statSync(vsix).size / 1e6).toFixed(1)} MB`)
    const probe = packExtension(host, fileURLToPath(new URL('probe', import.meta.url)), folder)
    const workspace = new Workspace(path.join(folder, 'workspace'))
    const probePort = await freePort()
    server = await startHost(host, { folder, vsix: [vsix, probe], workspace: workspace.folder, probePort })
    browser = await host.playwright.chromium.launch({ executablePath: host.chromium, args: ['--no-sandbox'] })
    const page = await browser.newPage({ viewport: VIEWPORT })
    page.setDefaultTimeout(60_000)
    const window = new Window(page, pictures)
    await window.open(server.url)
    const probed = (op, args) => ask(probePort, op, args)
    await until('the extension has started', () => probed('state'))
    /** Another host, with defaults, in which no window was open yet; no probe runs in it. */
    const fresh = async (name, settings, opened) => {
      const own = path.join(folder, name)
      fs.mkdirSync(own)
      const started = await startHost(host, { folder: own, vsix: [vsix], workspace: opened, settings })
      return { ...started, user: path.join(own, 'data', 'User') }
    }
    /** The browser keeps what the editor remembers: a window of another one knows nothing, as on another machine. */
    const newWindow = async (context) => {
      const opened = await (context ?? (await browser.newContext({ viewport: VIEWPORT }))).newPage()
      opened.setDefaultTimeout(60_000)
      return new Window(opened, pictures, window)
    }
    const given = { fresh, newWindow, vsix, folder, say }
    const context = { window, workspace, probe: probed, server, page, until, ...given }
    const claim = async (name, check) => {
      try {
        const figures = await check()
        say(`ok    ${name}${figures ? `: ${figures}` : ''}`)
      } catch (error) {
        failed++
        say(`FAIL  ${name}: ${error.message}`)
        await window.picture('failure').catch(() => {})
      }
    }
    for (const [name, part] of Object.entries(PARTS)) {
      if (!wanted.includes(name)) continue
      if (name !== 'first-sight') await probed('allowAll')
      say(`\n${name}`)
      await part({ ...context, claim })
    }
  } finally {
    await browser?.close().catch(() => {})
    server?.close()
    if (failed === 0) fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    else say(`logs: ${folder}`)
  }
  say(`\npictures: ${pictures}`)
  return failed === 0 ? 0 : 1
}
