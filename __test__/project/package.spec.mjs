// What is published works where it is installed: the tarballs, in an empty folder outside the checkout, offline.
// `npm run release:check` runs this file on each Node, and in an old root, with the tarballs that it packed.
import { readdirSync, renameSync } from 'node:fs'
import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import test from 'ava'

import { addonFile, hostPlatform, OLDEST_GLIBC, packageOf, PLATFORMS, runtimeFile } from '../../scripts/platforms.mjs'
import { answer, env, folder, install, place, removeFolders, ROOT, run, tarballs } from '../helpers/packages.mjs'

const main = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8'))
const gatewayManifest = JSON.parse(await readFile(path.join(ROOT, 'packages', 'gateway', 'package.json'), 'utf8'))
const host = hostPlatform()

/** Ranks with the model where there is one, and prints the answer. */
const RANK = `
  const rank = async () => {
    const router = ToolRouter.shared()
    await router.setServer({ name: 'weather', tools: [
      { name: 'get_forecast', description: 'Weather forecast for a place' },
      { name: 'delete_file', description: 'Remove a file from disk' },
    ] })
    let loaded
    try { loaded = (await router.loadModel({ cacheDir: false })).modelId } catch (error) { loaded = error.code }
    await router.ready()
    const { tools, ranker, degraded } = await router.rank('will it rain tomorrow', { deadlineMs: 60000 })
    return { loaded, first: tools[0].name, ranker, degraded: degraded?.code }
  }`
const PRINT = `rank().then((answer) => console.log(JSON.stringify(answer)))`
const COMMON = `const { ToolRouter } = require('${main.name}')\n${RANK}\n${PRINT}`
const MODULE = `import { ToolRouter } from '${main.name}'\n${RANK}\n${PRINT}`

/** Prints what a host sees that loads the package at its top, then uses it. */
const LOAD = `
  let thrown
  try { ToolRouter.shared() } catch ({ name, code, message }) { thrown = { name, code, message } }
  console.log(JSON.stringify({ code: loadError?.code, message: loadError?.message, thrown }))`
const LOAD_COMMON = `const { ToolRouter, loadError } = require('${main.name}')\n${LOAD}`
const LOAD_MODULE = `import { ToolRouter, loadError } from '${main.name}'\n${LOAD}`

/** By what `publishOrder` calls each. @type {Map<string, string>} */
let packed
let installed

test.before(async () => {
  packed = await tarballs()
  installed = await install([host, 'model', 'main'].map((id) => packed.get(id)))
})

test.after.always(removeFolders)

/** A copy of the installation, to be changed. */
async function copied(name) {
  const made = await folder(name)
  await cp(installed, made, { recursive: true })
  return made
}

const inScope = (base, ...parts) => path.join(base, 'node_modules', '@zoo-code', ...parts)
const platformFolder = (base) => inScope(base, `tool-router-${host}`)

function ranksWithModel(t, { loaded, ranker, first }, what) {
  t.regex(loaded, /MiniLM/, what)
  t.deepEqual({ ranker, first }, { ranker: 'hybrid', first: 'mcp--weather--get_forecast' }, what)
}

test.serial('an install ranks in a folder with spaces, foreign letters and signs', async (t) => {
  const odd = await copied("Ünïcödé проект 日本 #1 100% it's")
  ranksWithModel(t, await answer(odd, 'rank.cjs', COMMON), 'CommonJS')
  ranksWithModel(t, await answer(odd, 'rank.mjs', MODULE), 'ESM')
})

test.serial('bundles that leave the package out run, as CommonJS and as ESM', async (t) => {
  const { build } = await import('esbuild')
  const bundled = await copied()
  await writeFile(path.join(bundled, 'entry.ts'), MODULE)
  for (const [format, outfile] of [
    ['cjs', 'bundle.cjs'],
    ['esm', 'bundle.mjs'],
  ]) {
    const options = { bundle: true, platform: 'node', external: [main.name], logLevel: 'silent' }
    await build({
      ...options,
      format,
      entryPoints: [path.join(bundled, 'entry.ts')],
      outfile: path.join(bundled, outfile),
    })
    const { stdout } = await run(process.execPath, [outfile], { cwd: bundled, env })
    ranksWithModel(t, JSON.parse(stdout), outfile)
  }
})

test.serial(
  'TypeScript accepts the types under node16, nodenext and bundler, strict and with libraries checked',
  async (t) => {
    const tsc = path.join(path.dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
    const typed = await copied()
    const text = `
    import { ToolRouter, loadError, type LoadError, type Session } from '${main.name}'
    const error: LoadError | undefined = loadError
    const session: Session = ToolRouter.shared().openSession()
    export const attached: Promise<string[]> = session.start('text').then((selection) => selection.attached)
    export const code: string | undefined = error?.code`
    for (const file of ['use.mts', 'use.cts', 'use.ts']) await writeFile(path.join(typed, file), text)
    const strict = ['--noEmit', '--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes']
    for (const [module, resolution, files] of [
      ['node16', 'node16', ['use.mts', 'use.cts']],
      ['nodenext', 'nodenext', ['use.mts', 'use.cts']],
      ['esnext', 'bundler', ['use.ts']],
    ]) {
      const flags = `--target es2022 --module ${module} --moduleResolution ${resolution} --skipLibCheck false`.split(
        ' ',
      )
      const types = ['--types', 'node', '--typeRoots', path.join(ROOT, 'node_modules', '@types')]
      const { stdout } = await run(process.execPath, [tsc, ...strict, ...flags, ...types, ...files], { cwd: typed })
      t.is(stdout, '', resolution)
    }
  },
)

/** An installation with the gateway and programs, and with what npm would fetch for them, from this checkout. */
async function withGateway() {
  const equipped = await copied()
  for (const id of ['programs', 'gateway']) await place(packed.get(id), equipped, `${main.name}-${id}`)
  const names = ['@modelcontextprotocol', ...Object.keys(gatewayManifest.dependencies), 'quickjs-emscripten', '@jitl']
  for (const name of names.filter((each) => !/^@(zoo-code|modelcontextprotocol)\//.test(each)))
    await symlink(path.join(ROOT, 'node_modules', name), path.join(equipped, 'node_modules', name), 'junction')
  return equipped
}

const program = (base) => inScope(base, 'tool-router-gateway', gatewayManifest.bin['tool-router-gateway'])

test.serial('the installed gateway serves a client, in a program and by its command', async (t) => {
  const equipped = await withGateway()
  const { stdout } = await run(process.execPath, [program(equipped), '--version'], { cwd: equipped, env })
  t.is(stdout.trim(), main.version)
  const script = `
    import { createGateway } from '${gatewayManifest.name}'
    const gateway = await createGateway({ config: { mcpServers: {} } })
    const { url } = await gateway.listen()
    console.log(JSON.stringify({ path: new URL(url).pathname, servers: gateway.servers }))
    await gateway.close()`
  t.deepEqual(await answer(equipped, 'gateway.mjs', script), { path: '/mcp', servers: [] })
})

test.serial('an optional package of the gateway that is not there is told by name', async (t) => {
  const equipped = await withGateway()
  const config = { mcpServers: {}, gateway: { store: 'postgres://nobody@127.0.0.1:9/none' } }
  await writeFile(path.join(equipped, 'mcp.json'), JSON.stringify(config))
  const { stderr } = await t.throwsAsync(
    run(process.execPath, [program(equipped), '--config', 'mcp.json'], { cwd: equipped, env }),
  )
  t.regex(stderr, /npm install pg/)
})

test.serial('the installed package of programs runs one', async (t) => {
  const script = `
    import { ToolRouter } from '${main.name}'
    import { closePrograms, runProgram } from '${main.name}-programs'
    const session = ToolRouter.shared().openSession()
    const { text } = await runProgram(session, 'return 6 * 7', { call: async () => ({ content: [] }) })
    console.log(JSON.stringify(text))
    await closePrograms()`
  t.is(await answer(await withGateway(), 'program.mjs', script), '42')
})

test.serial('binary and runtime stand side by side, and nothing of the build travels', async (t) => {
  const names = readdirSync(inScope(installed))
  const parts = ['', `-${host}`, '-model'].map((part) => `tool-router${part}`)
  t.deepEqual(names.toSorted(), parts.toSorted())
  const files = readdirSync(platformFolder(installed))
  t.true(files.includes(addonFile(host)))
  t.true(files.includes(runtimeFile(host)))
  const manifest = JSON.parse(await readFile(inScope(installed, 'tool-router', 'package.json'), 'utf8'))
  for (const field of ['scripts', 'devDependencies', 'overrides']) t.is(manifest[field], undefined)
  const own = [...main.files, 'package.json'].toSorted()
  t.deepEqual(readdirSync(inScope(installed, 'tool-router')).toSorted(), own)
})

test.serial('without the model package ranking is lexical and says so', async (t) => {
  const lean = await copied()
  await rm(inScope(lean, 'tool-router-model'), { recursive: true })
  const { loaded, ranker, degraded } = await answer(lean, 'rank.cjs', COMMON)
  t.deepEqual(
    { loaded, ranker, degraded },
    { loaded: 'ERR_MODEL_NOT_FOUND', ranker: 'lexical', degraded: 'model-not-loaded' },
  )
})

// --- requiring the package never throws -------------------------------------------------------

/** Loads the package from CommonJS and ESM; both must have gone on to their last line, with one error. */
async function loadRefused(t, cwd, flags) {
  const said = await answer(cwd, 'load.cjs', LOAD_COMMON, flags)
  t.deepEqual(await answer(cwd, 'load.mjs', LOAD_MODULE, flags), said)
  t.deepEqual(said.thrown, { name: 'ToolRouterError', code: said.code, message: said.message })
  return said
}

test.serial(
  'ERR_PLATFORM_UNSUPPORTED: on an unknown platform the host goes on, and the error lists the platforms',
  async (t) => {
    const preload = path.join(installed, 'plan9.cjs')
    await writeFile(preload, `Object.defineProperty(process, 'platform', { value: 'plan9' })`)
    const { code, message } = await loadRefused(t, installed, ['--require', preload])
    t.is(code, 'ERR_PLATFORM_UNSUPPORTED')
    t.true(message.includes(`for plan9-${process.arch}`), message)
    for (const platform of PLATFORMS) t.true(message.includes(platform), platform)
  },
)

test.serial('ERR_ADDON_LOAD: without the package of the platform the error names it', async (t) => {
  const bare = await copied()
  await rm(platformFolder(bare), { recursive: true })
  const { code, message } = await loadRefused(t, bare)
  t.is(code, 'ERR_ADDON_LOAD')
  t.true(message.startsWith(`the package ${packageOf(host)} is not installed; `), message)
  const gateway = await withGateway()
  await rm(platformFolder(gateway), { recursive: true })
  await writeFile(path.join(gateway, 'mcp.json'), '{ "mcpServers": {} }')
  const { stderr } = await t.throwsAsync(
    run(process.execPath, [program(gateway), '--config', 'mcp.json'], { cwd: gateway, env }),
  )
  t.true(stderr.includes(message), stderr)
})

test.serial('ERR_ADDON_LOAD: a binary that is none comes with what the loader of the system says', async (t) => {
  const broken = await copied()
  await writeFile(path.join(platformFolder(broken), addonFile(host)), 'no library')
  const { code, message } = await loadRefused(t, broken)
  t.is(code, 'ERR_ADDON_LOAD')
  t.true(message.includes(addonFile(host)))
  t.regex(message, /refuses .*\(.+\); install the package again$/)
})

const onLinux = process.platform === 'linux' ? test.serial : test.serial.skip
onLinux('ERR_ADDON_LOAD: where glibc is too old the error names both versions', async (t) => {
  const preload = path.join(installed, 'old-glibc.cjs')
  for (const [asked, expected] of [
    ['2.4', OLDEST_GLIBC],
    ['2.34', '2.34'],
  ]) {
    const said = `/lib64/libc.so.6: version \`GLIBC_${asked}' not found (required by ${addonFile(host)})`
    await writeFile(
      preload,
      `process.dlopen = () => { throw Object.assign(new Error(${JSON.stringify(said)}), { code: 'ERR_DLOPEN_FAILED' }) }
       process.report.getReport = () => ({ header: { glibcVersionRuntime: '2.17' } })`,
    )
    const { code, message } = await loadRefused(t, installed, ['--require', preload])
    t.is(code, 'ERR_ADDON_LOAD')
    t.true(message.includes(`(${said})`), message)
    t.true(message.endsWith(`this system has glibc 2.17, expected ${expected} or later; run it on a newer system`))
  }
})

test.serial('ERR_ADDON_LOAD: packages of two versions are not mixed', async (t) => {
  const mixed = await copied()
  const file = path.join(platformFolder(mixed), 'package.json')
  await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), version: '0.0.1' }))
  const { code, message } = await loadRefused(t, mixed)
  t.is(code, 'ERR_ADDON_LOAD')
  t.is(message, `${packageOf(host)} is 0.0.1, expected ${main.version}; install both again in one step`)
})

onLinux('where no runtime travels, loadModel says what to pass, and takes it', async (t) => {
  const musl = `linux-${process.arch}-musl`
  const alpine = await copied()
  await mkdir(inScope(alpine, `tool-router-${musl}`))
  const manifest = JSON.stringify({ name: packageOf(musl), version: main.version })
  await writeFile(inScope(alpine, `tool-router-${musl}`, 'package.json'), manifest)
  renameSync(
    path.join(platformFolder(alpine), addonFile(host)),
    inScope(alpine, `tool-router-${musl}`, addonFile(musl)),
  )
  const text = `
    process.report.getReport = () => ({ header: {} })
    const { ToolRouter } = require('${main.name}')
    const router = ToolRouter.shared()
    const attempt = (options) => router.loadModel({ cacheDir: false, ...options }).then(() => 'loaded', ({ code, message }) => ({ code, message }))
    const all = async () => [await attempt(), await attempt({ runtimePath: '/nowhere.so' }), await attempt({ runtimePath: ${JSON.stringify(path.join(platformFolder(alpine), runtimeFile(host)))} })]
    all().then((said) => console.log(JSON.stringify(said)))`
  const [none, wrong, right] = await answer(alpine, 'runtime.cjs', text)
  t.is(none.code, 'ERR_RUNTIME_NOT_FOUND')
  t.regex(
    none.message,
    new RegExp(`has no ONNX Runtime for ${musl}; pass .* as runtimePath, or vectors through setEmbedder`),
  )
  t.deepEqual([wrong.code, wrong.message.includes('/nowhere.so')], ['ERR_RUNTIME_NOT_FOUND', true])
  t.is(right, 'loaded')
})
