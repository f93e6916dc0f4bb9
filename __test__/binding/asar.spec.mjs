// In a packaged Electron app the package is found in `app.asar`, which JavaScript reads and native code does not. Electron is
// not there, so a child process sees an archive as Electron shows one: a file, through which `require` and `fs` find what lies
// beside it, and nobody else.
import { execFile } from 'node:child_process'
import { cpSync, linkSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import test from 'ava'
import { tempDir } from '../helpers/temp.mjs'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const [BUILT] = readdirSync(ROOT).filter((name) => /^tool-router\..*\.node$/.test(name))
if (BUILT === undefined) throw new Error('no addon is built: npm run build')
const PLATFORM = BUILT.slice('tool-router.'.length, -'.node'.length)
const run = promisify(execFile)

/** What Electron does to `fs`, `require` and `process.dlopen`, and then a program of ours. */
const PROGRAM = `
const fs = require('node:fs')
const path = require('node:path')
const Module = require('node:module')
const [archive, program] = process.argv.slice(1)
const isInside = (name) => typeof name === 'string' && (name === archive || name.startsWith(archive + path.sep))
const real = (name) => (isInside(name) ? archive + '.unpacked' + name.slice(archive.length) : name)
for (const name of ['existsSync', 'statSync', 'lstatSync', 'readFileSync', 'openSync', 'accessSync', 'readdirSync']) {
  const call = fs[name]
  fs[name] = function (file, ...rest) { return call.call(this, real(file), ...rest) }
}
const resolve = Module._findPath
Module._findPath = function (request, places, isMain) {
  const found = resolve.call(this, real(request), places && places.map(real), isMain)
  const beside = archive + '.unpacked'
  return found && found.startsWith(beside) ? archive + found.slice(beside.length) : found
}
for (const end of ['.js', '.cjs']) {
  const load = Module._extensions['.js']
  Module._extensions[end] = (module, file) =>
    isInside(file) ? module._compile(fs.readFileSync(file, 'utf8'), file) : load(module, file)
}
Module._extensions['.json'] = (module, file) => { module.exports = JSON.parse(fs.readFileSync(file, 'utf8')) }
const open = process.dlopen
process.dlopen = (module, file, ...rest) => open.call(process, module, real(file), ...rest)
new Function('require', 'archive', program)(Module.createRequire(path.join(archive, 'main.js')), archive)
`

/** An app whose packages lie beside its archive; `run` gives what a program in it prints, as JSON. */
function app(t, name) {
  const root = tempDir(t)
  const archive = path.join(root, name)
  const scope = path.join(`${archive}.unpacked`, 'node_modules/@zoo-code')
  const [own, platform, model] = ['tool-router', `tool-router-${PLATFORM}`, 'tool-router-model'].map((part) =>
    path.join(scope, part),
  )
  mkdirSync(own, { recursive: true })
  for (const file of ['index.js', 'named-model.cjs', 'package.json'])
    cpSync(path.join(ROOT, file), path.join(own, file))
  cpSync(path.join(ROOT, 'npm', PLATFORM, 'package.json'), path.join(platform, 'package.json'))
  try {
    linkSync(path.join(ROOT, BUILT), path.join(platform, BUILT))
  } catch {
    cpSync(path.join(ROOT, BUILT), path.join(platform, BUILT))
  }
  cpSync(path.join(ROOT, 'npm/model/package.json'), path.join(model, 'package.json'))
  writeFileSync(archive, 'an archive')
  const runs = async (program) => {
    const { stdout } = await run(process.execPath, ['-e', PROGRAM, '--', archive, program], { cwd: root })
    return JSON.parse(stdout)
  }
  return { archive, runs }
}

const LOADED = (options) => `
  const { ToolRouter, loadError } = require('@zoo-code/tool-router')
  const said = loadError ? Promise.reject(loadError) : ToolRouter.shared().loadModel(${options})
  said.then(() => 'loaded', ({ code, message }) => code + ' ' + message).then((text) => console.log(JSON.stringify(text)))`

for (const name of ['app.asar', 'my app.asar']) {
  test(`what native code opens is looked for beside ${name}`, async (t) => {
    const { archive, runs } = app(t, name)
    // The packages of this app hold no model: the error says where it was looked for.
    const said = await runs(LOADED('{}'))
    t.true(said.includes(`${archive}.unpacked`), said)
    t.false(said.includes(`${archive}${path.sep}`), said)
    const named = await runs(LOADED("{ modelDir: require('node:path').join(archive, 'node_modules') }"))
    t.true(named.includes(`${archive}.unpacked`), named)
  })
}

test('a folder that only looks like an archive’s stays what it is', async (t) => {
  const { runs } = app(t, 'app.asar')
  t.true((await runs(LOADED("{ modelDir: '/no/such.asar/model' }"))).includes('/no/such.asar/model'))
})
