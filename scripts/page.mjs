// Builds the gateway's page: packages/gateway/page/app into packages/gateway/page/built, which is what a gateway serves and a package holds.
//
//   node scripts/page.mjs
//
// What is built is checked in; __test__/gateway/page/built.spec.mjs fails when it is not what the sources give.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

import { build, transform } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const app = (name) => path.join(root, 'packages', 'gateway', 'page', 'app', name)
const TARGET = ['chrome109', 'firefox115', 'safari16.4']

/** Packages that travel within the script. */
const BUNDLED = ['preact', 'diff']

/** Their licences. */
function banner() {
  const { resolve } = createRequire(import.meta.url)
  const licences = BUNDLED.map((name) => {
    const manifest = resolve(`${name}/package.json`)
    const { version } = JSON.parse(readFileSync(manifest, 'utf8'))
    return `${name} ${version}:\n\n${readFileSync(path.join(path.dirname(manifest), 'LICENSE'), 'utf8').trim()}`
  })
  const made = 'Built by scripts/page.mjs from packages/gateway/page/app; do not edit.'
  return `/*! ${made} It holds\n\n${licences.join('\n\n')}\n*/`
}

/** What each setting of the gateway is, by its name: the table of docs/gateway.md. */
export function settingTexts() {
  const page = readFileSync(path.join(root, 'docs', 'gateway.md'), 'utf8')
  const [, table] = /^\| in `gateway` \|.*\n\|[ -|]+\n((?:\|.*\n)+)/m.exec(page) ?? []
  if (table === undefined) throw new Error('docs/gateway.md: expected a table of the settings')
  const rows = table.trim().split('\n')
  const plainly = (text) => text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '')
  return Object.fromEntries(
    rows.flatMap((row) => {
      const [, names, , says] = row.split(/ ?(?<!\\)\| ?/)
      return [...names.matchAll(/`(\w+)`/g)].map(([, name]) => [name, plainly(says)])
    }),
  )
}

/** @returns {Promise<Map<string, string>>} what is built, by name */
export async function builtPage() {
  const script = await build({
    entryPoints: [app('main.jsx')],
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    target: TARGET,
    charset: 'utf8',
    legalComments: 'none',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define: { 'globalThis.SETTING_TEXTS': JSON.stringify(settingTexts()) },
    banner: { js: banner() },
    logLevel: 'silent',
  })
  const css = await transform(readFileSync(app('page.css'), 'utf8'), { loader: 'css', minify: true, target: TARGET })
  return new Map([
    ['page.html', readFileSync(app('page.html'), 'utf8')],
    ['page.js', script.outputFiles[0].text],
    ['page.css', css.code],
    ['icon.svg', readFileSync(app('icon.svg'), 'utf8')],
  ])
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = path.join(root, 'packages', 'gateway', 'page', 'built')
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of await builtPage()) {
    writeFileSync(path.join(folder, name), text)
    console.log(`${name} ${Buffer.byteLength(text)} bytes`)
  }
}
