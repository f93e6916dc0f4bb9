// Packs what is published: the packages of platforms with their binaries and ONNX Runtime, the model package, the main
// package, programs and the gateway, in the order in which they are to be published. Tarballs go into a folder; nothing in the
// checkout changes.
//
//   node scripts/pack.mjs <folder> [--platform linux-x64-gnu | --all] [--binaries <folder>]
//
// Prints the paths of the tarballs, one per line. Binaries must be built and assets fetched. Without --platform it is the
// first platform that has a binary; --all wants the binaries of all of them, and the credits of `npm run release:licences`,
// which a package for trying is packed without.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, posix, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

import { readArguments } from './arguments.mjs'
import { npmCommand } from './npm.mjs'
import { addonFile, PLATFORMS } from './platforms.mjs'
import { CREDITS, linkedOutside, mainManifest, WORKSPACES, workspaceManifest } from './publisher.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const given = readArguments(
  'usage: pack.mjs <folder> [--platform <name> | --all] [--binaries <folder>]\n',
  {
    platform: { type: 'string', choices: PLATFORMS },
    all: { type: 'boolean' },
    binaries: { type: 'string', default: root },
  },
  { least: 1, most: 1 },
)
if (!given) process.exit()
const { values, positionals } = given
const target = resolve(positionals[0])
const binaryOf = (platform) => join(resolve(values.binaries), addonFile(platform))

const built = values.platform ?? PLATFORMS.find((name) => existsSync(binaryOf(name)))
if (!built) fail('there is no built binary; run `npm run build` first')

mkdirSync(target, { recursive: true })
const staging = mkdtempSync(join(tmpdir(), 'tool-router-pack-'))
try {
  for (const platform of values.all ? PLATFORMS : [built]) {
    pack(stage(platform, { [addonFile(platform)]: binaryOf(platform) }))
  }
  pack(stage('model'))
  pack(stageText('main', '.', mainManifest()))
  for (const [id, source] of Object.entries(WORKSPACES)) pack(stageText(id, source, workspaceManifest(id)))
} finally {
  rmSync(staging, { recursive: true, force: true })
}

/** The package of a folder of npm/, with what its manifest names; what is not in that folder is in the root. */
function stage(name, elsewhere = {}) {
  const source = join(root, 'npm', name)
  const folder = join(staging, name)
  mkdirSync(folder)
  const { files } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'))
  for (const file of ['package.json', 'README.md', 'LICENSE', ...files]) {
    const isCredit = CREDITS.includes(file)
    const beside = isCredit ? join(root, 'dist', 'credits', file) : join(root, file)
    const from = elsewhere[file] ?? [join(source, file), beside].find(existsSync)
    if (!from && isCredit && !values.all) continue
    const first = isCredit ? 'npm run release:licences' : file.endsWith('.node') ? 'npm run build' : 'npm run assets'
    if (!from || !existsSync(from)) fail(`${file} of ${name} is missing; \`${first}\` first`)
    cpSync(from, join(folder, file), { recursive: true })
  }
  return folder
}

/** A package of text: what its manifest names, its README and the LICENSE. */
function stageText(id, source, manifest) {
  const folder = join(staging, id)
  mkdirSync(folder)
  // What lies beside what travels, such as packages of a work tree, does not.
  const filter = (file) => !/[\\/]node_modules([\\/]|$)/.test(relative(join(root, source), file))
  for (const file of new Set([...manifest.files, 'README.md']))
    cpSync(join(root, source, file), join(folder, file), { recursive: true, filter })
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  for (const file of readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.md'))) {
    const page = join(folder, file)
    const text = linkedOutside(
      readFileSync(page, 'utf8'),
      posix.join(source, file.replaceAll('\\', '/')),
      manifest,
      source,
    )
    writeFileSync(page, text)
  }
  return folder
}

function pack(folder) {
  const npm = npmCommand() ?? fail('npm was not found')
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
