// Modules of apps/vscode without an editor: as much of `vscode` as they use, over state that a test sets.

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

import { build } from 'esbuild'

export const extensionFolder = fileURLToPath(new URL('../../apps/vscode/', import.meta.url))
export const manifest = JSON.parse(fs.readFileSync(path.join(extensionFolder, 'package.json'), 'utf8'))

const stub = fileURLToPath(new URL('vscode-stub.mjs', import.meta.url))
const output = fs.mkdtempSync(path.join(os.tmpdir(), 'tool-router-vscode-extension-'))
process.on('exit', () => fs.rmSync(output, { recursive: true, force: true }))

/**
 * Bundles modules of the extension together, so that they share what they hold.
 *
 * @param {string | string[]} names below `src`
 * @param {string} [editor] a module that replaces the usual `vscode`
 */
export async function loadExtension(names, editor) {
  const folder = fs.mkdtempSync(path.join(output, 'modules-'))
  const entry = path.join(folder, 'entry.ts')
  const list = [names].flat().map((name) => JSON.stringify(path.join(extensionFolder, 'src', name)))
  fs.writeFileSync(entry, list.map((name) => `export * from ${name}`).join('\n'))
  const vscode = path.join(folder, 'vscode.mjs')
  if (editor !== undefined) fs.writeFileSync(vscode, editor)
  const outfile = path.join(folder, 'bundle.mjs')
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    mainFields: ['module', 'main'],
    nodePaths: [fileURLToPath(new URL('../../node_modules', import.meta.url))],
    alias: { vscode: editor === undefined ? stub : vscode },
    external: ['@zoo-code/tool-router', '@zoo-code/tool-router/*'],
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url)' },
    logLevel: 'silent',
  })
  return import(pathToFileURL(outfile).href)
}

/** The state of an editor without anything. Each test sets its own. */
export function resetEditor() {
  globalThis.editor = {
    isTrusted: true,
    folders: [],
    /** Settings by their whole name. */
    user: {},
    workspace: {},
    /** What was written: [target, name, value]. */
    written: [],
    answers: [],
    said: [],
    commands: [],
    tools: [],
  }
  return globalThis.editor
}

/** What an extension keeps, as a `Memento` and as a `SecretStorage`. */
export function memory() {
  const kept = new Map()
  return {
    get: (key) => structuredClone(kept.get(key)),
    update: async (key, value) => void kept.set(key, structuredClone(value)),
    store: async (key, value) => void kept.set(key, value),
    kept,
  }
}

export const ODD_SERVER = fileURLToPath(new URL('../../scripts/vscode/odd-server.mjs', import.meta.url))

/** A server of three tools that notes its process in a file. */
export const noting = (file) => ({ command: process.execPath, args: [ODD_SERVER, '3'], env: { ODD_NOTE: file } })
export const notedPid = (file) => JSON.parse(fs.readFileSync(file, 'utf8')).pid

export const silentLog = { warn: () => {}, debug: () => {}, error: () => {}, trace: () => {}, show: () => {} }
