// Packs what is published: the main package, the package of one platform with its binary and ONNX
// Runtime, and the model package. Tarballs go into a folder; nothing in the checkout changes.
//
//   node scripts/pack.mjs <folder> [--platform linux-x64-gnu]
//
// Prints the paths of the three tarballs, one a line. The binary must be built and the assets fetched.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const { values, positionals } = parseArgs({ options: { platform: { type: 'string' } }, allowPositionals: true })
if (positionals.length !== 1) {
  console.error('usage: pack.mjs <folder> [--platform <name>]')
  process.exit(2)
}
const target = resolve(positionals[0])
mkdirSync(target, { recursive: true })

const main = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const platforms = readdirSync(join(root, 'npm')).filter((name) => name !== 'model' && !name.startsWith('.'))
const built = platforms.find((name) => existsSync(join(root, `${main.napi.binaryName}.${name}.node`)))
const platform = values.platform ?? built
if (!platform) fail('there is no built binary; run `npm run build` first')

const binary = join(root, `${main.napi.binaryName}.${platform}.node`)
if (!existsSync(binary)) fail(`${basename(binary)} is missing; build it first`)

const staging = mkdtempSync(join(tmpdir(), 'tool-router-pack-'))
try {
  const optional = [...platforms.map((name) => `${main.name}-${name}`), `${main.name}-model`]
  const manifest = {
    ...main,
    // Nothing of the build travels, and every platform is optional: npm installs the one that fits.
    scripts: undefined,
    devDependencies: undefined,
    ava: undefined,
    napi: undefined,
    optionalDependencies: Object.fromEntries(optional.map((name) => [name, main.version])),
  }
  pack(stage('main', main.files.map((file) => join(root, file)), manifest))
  const platformFolder = join(root, 'npm', platform)
  const platformManifest = read(platformFolder)
  const inFolder = platformManifest.files.filter((file) => !file.endsWith('.node')).map((file) => join(platformFolder, file))
  // Where no runtime exists (musl) the package carries the binary alone, and ranks lexically.
  pack(stage(platform, [binary, ...inFolder.filter(existsSync), join(platformFolder, 'README.md')], platformManifest))
  const modelFolder = join(root, 'npm', 'model')
  const modelManifest = read(modelFolder)
  const missing = modelManifest.files.filter((file) => !existsSync(join(modelFolder, file)))
  if (missing.length > 0) fail(`npm/model lacks ${missing.join(', ')}; run \`npm run assets\` first`)
  pack(stage('model', [...modelManifest.files, 'README.md'].map((file) => join(modelFolder, file)), modelManifest))
} finally {
  rmSync(staging, { recursive: true, force: true })
}

function read(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}

function stage(name, files, manifest) {
  const folder = join(staging, name)
  mkdirSync(folder)
  for (const file of files) if (existsSync(file)) cpSync(file, join(folder, basename(file)), { recursive: true })
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  return folder
}

function pack(folder) {
  // npm tells where it is itself; that works on Windows too, where npm is a script.
  const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ['npm']
  const args = [...npm.slice(1), 'pack', '--json', '--ignore-scripts', '--pack-destination', target, folder]
  const packed = spawnSync(npm[0], args, { encoding: 'utf8', shell: false })
  if (packed.status !== 0) fail(`npm pack failed: ${packed.stderr || packed.error}`)
  const answer = JSON.parse(packed.stdout)
  const [{ filename }] = Array.isArray(answer) ? answer : Object.values(answer)
  console.log(join(target, basename(filename)))
}

function fail(message) {
  console.error(`pack: ${message}`)
  process.exit(1)
}
