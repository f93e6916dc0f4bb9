// A real host for the extension: code-server with the Node that it wants, a browser, and what packs a VSIX. Installed once,
// into the user's cache folder, from npm; the browser and the libraries to build code-server come from the system.

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'

import { npmCommand } from '../npm.mjs'

const PACKAGES = {
  node: 'node@24.21.0',
  'code-server': 'code-server@4.139.1',
  'playwright-core': 'playwright-core@^1.50.0',
  '@vscode/vsce': '@vscode/vsce@^3.0.0 || ^4.0.0',
}
const SYSTEM = 'chromium libkrb5-dev libsecret-1-dev libx11-dev libxkbfile-dev build-essential python3'
const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome']

/** The browser of the system. @param {string} wanted what Debian calls what is missing */
export function findBrowser(wanted = 'chromium') {
  const chromium = process.env.CHROMIUM ?? BROWSERS.map(onPath).find(Boolean)
  if (!chromium) throw new Error(`no browser was found; on Debian: apt-get install ${wanted}; or set CHROMIUM`)
  return chromium
}

/** @returns the folder, the browser, and the environment in which its programs run */
export function ensureHost(say) {
  const chromium = findBrowser(SYSTEM)
  const cache = process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), '.cache')
  const folder = path.join(cache, 'zoo-tool-router', 'vscode-host')
  fs.mkdirSync(folder, { recursive: true })
  const manifest = path.join(folder, 'package.json')
  if (!fs.existsSync(manifest)) fs.writeFileSync(manifest, '{ "private": true }\n')
  // What `npm run` says about its own Node is no concern of an npm on another one.
  const inherited = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name))
  const env = {
    ...Object.fromEntries(inherited),
    PATH: `${path.join(folder, 'node_modules', '.bin')}${path.delimiter}${process.env.PATH}`,
  }
  const missing = Object.keys(PACKAGES).filter((name) => !fs.existsSync(path.join(folder, 'node_modules', name)))
  // Node first: code-server builds its native modules with the one on the PATH.
  for (const wanted of [missing.filter((name) => name === 'node'), missing.filter((name) => name !== 'node')]) {
    if (wanted.length === 0) continue
    say(`installing ${wanted.join(', ')}; code-server builds native modules for some minutes`)
    const own = path.join(folder, 'node_modules', '.bin', 'node')
    const npm = npmCommand() ?? ['npm']
    // Scripts of packages see the Node that npm itself runs on.
    if (npm[0] === process.execPath && fs.existsSync(own)) npm[0] = own
    const args = [...npm.slice(1), 'install', '--no-audit', '--no-fund', ...wanted.map((name) => PACKAGES[name])]
    const done = spawnSync(npm[0], args, { cwd: folder, env, encoding: 'utf8' })
    if (done.status !== 0) throw new Error(`${done.stderr}\nIt needs, on Debian: apt-get install ${SYSTEM}`)
  }
  const require = createRequire(manifest)
  return {
    folder,
    chromium,
    env,
    playwright: require('playwright-core'),
    bin: (name) => path.join(folder, 'node_modules', '.bin', name),
  }
}

function onPath(name) {
  return (process.env.PATH ?? '')
    .split(path.delimiter)
    .map((folder) => path.join(folder, name))
    .find((file) => fs.existsSync(file))
}
