// What is published works where it is installed: the tarballs, in an empty folder outside the checkout, offline.
import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { readdirSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import test from 'ava'

const run = promisify(execFile)
const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..')
const main = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'))
const platforms = readdirSync(path.join(root, 'npm')).filter((name) => name !== 'model' && !name.startsWith('.'))

const SCRIPT = `
  const router = ToolRouter.shared()
  const main = async () => {
    await router.setServer({ name: 'weather', tools: [
      { name: 'get_forecast', description: 'Weather forecast for a place' },
      { name: 'delete_file', description: 'Remove a file from disk' },
    ] })
    let loaded
    try { loaded = (await router.loadModel({ cacheDir: false })).modelId } catch (error) { loaded = error.code }
    await router.ready()
    const ranking = await router.rank('will it rain tomorrow', { deadlineMs: 60000 })
    console.log(JSON.stringify({ loaded, first: ranking.tools[0].name, ranker: ranking.ranker, degraded: ranking.degraded?.code }))
  }
  main()
`
const COMMON = `const { ToolRouter } = require('${main.name}')\n${SCRIPT}`
const MODULE = `import { ToolRouter } from '${main.name}'\n${SCRIPT}`

let packed
let installed
const folders = []

async function folder() {
  const made = realpathSync(await mkdtemp(path.join(tmpdir(), 'tool-router-package-')))
  folders.push(made)
  return made
}

function npm(args, cwd) {
  const [command, ...first] = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ['npm']
  return run(command, [...first, ...args], { cwd })
}

/** A clean environment: nothing that points to the checkout. */
const env = { PATH: process.env.PATH, HOME: tmpdir() }

async function rank(cwd, file, text) {
  await writeFile(path.join(cwd, file), text)
  const { stdout } = await run(process.execPath, [file], { cwd, env })
  return JSON.parse(stdout)
}

test.before(async () => {
  const target = await folder()
  const { stdout } = await run(process.execPath, [path.join(root, 'scripts', 'pack.mjs'), target])
  packed = stdout.trim().split('\n')
  installed = await folder()
  await writeFile(path.join(installed, 'package.json'), '{ "private": true }')
  await npm(['install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts', ...packed], installed)
})

test.after.always(() => Promise.all(folders.map((made) => rm(made, { recursive: true, force: true }))))

test.serial('an install ranks with the model, from CommonJS and from ESM', async (t) => {
  for (const [file, text] of [['rank.cjs', COMMON], ['rank.mjs', MODULE]]) {
    const answer = await rank(installed, file, text)
    t.regex(answer.loaded, /MiniLM/, file)
    t.is(answer.ranker, 'hybrid', file)
    t.is(answer.first, 'mcp--weather--get_forecast', file)
  }
})

test.serial('the program of the package runs, and says what it needs when the SDK is not there', async (t) => {
  const program = path.join(installed, 'node_modules', ...main.name.split('/'), main.bin['zoo-tool-router'])
  const { stdout } = await run(process.execPath, [program, '--version'], { cwd: installed, env })
  t.is(stdout.trim(), main.version)
  const error = await t.throwsAsync(run(process.execPath, [program, 'gateway', '--config', 'mcp.json'], { cwd: installed, env }))
  t.regex(error.stderr, /npm install @modelcontextprotocol\/sdk/)
})

test.serial('with the SDK beside it the installed gateway serves a client', async (t) => {
  const equipped = await folder()
  await cp(installed, equipped, { recursive: true })
  // That of this checkout; nothing is fetched.
  await symlink(path.join(root, 'node_modules', '@modelcontextprotocol'), path.join(equipped, 'node_modules', '@modelcontextprotocol'), 'junction')
  const script = `
    import { createGateway } from '${main.name}/gateway'
    const gateway = await createGateway({ config: { mcpServers: {} } })
    const { url } = await gateway.listen()
    console.log(JSON.stringify({ path: new URL(url).pathname, servers: gateway.servers }))
    await gateway.close()`
  t.deepEqual(await rank(equipped, 'gateway.mjs', script), { path: '/mcp', servers: [] })
})

test.serial('binary and runtime stand side by side in the platform package, and nothing of the build travels', async (t) => {
  const scope = path.join(installed, 'node_modules', '@zoo-code')
  const names = readdirSync(scope)
  t.is(names.length, 3)
  const platform = names.find((name) => platforms.some((known) => name === `tool-router-${known}`))
  const files = readdirSync(path.join(scope, platform))
  t.true(files.some((file) => file.endsWith('.node')))
  t.true(files.some((file) => /onnxruntime\.(so|dylib|dll)$/.test(file)))
  const manifest = JSON.parse(await readFile(path.join(scope, 'tool-router', 'package.json'), 'utf8'))
  t.is(manifest.scripts, undefined)
  t.deepEqual(Object.keys(manifest.optionalDependencies).sort(), [...platforms, 'model'].map((name) => `${main.name}-${name}`).sort())
  t.deepEqual(readdirSync(path.join(scope, 'tool-router')).sort(), [...main.files, 'package.json'].sort())
})

test.serial('without the model package ranking is lexical and says so', async (t) => {
  const lean = await folder()
  await cp(installed, lean, { recursive: true })
  await rm(path.join(lean, 'node_modules', '@zoo-code', 'tool-router-model'), { recursive: true })
  const answer = await rank(lean, 'rank.cjs', COMMON)
  t.deepEqual(
    { loaded: answer.loaded, ranker: answer.ranker, degraded: answer.degraded },
    { loaded: 'ERR_MODEL_NOT_FOUND', ranker: 'lexical', degraded: 'model-not-loaded' },
  )
})

test.serial('without a binary for the platform the error says which platforms exist', async (t) => {
  const bare = await folder()
  await cp(installed, bare, { recursive: true })
  for (const name of readdirSync(path.join(bare, 'node_modules', '@zoo-code'))) {
    if (platforms.some((known) => name === `tool-router-${known}`)) {
      await rm(path.join(bare, 'node_modules', '@zoo-code', name), { recursive: true })
    }
  }
  await writeFile(path.join(bare, 'load.cjs'), `require('${main.name}')`)
  const error = await t.throwsAsync(run(process.execPath, ['load.cjs'], { cwd: bare, env }))
  for (const platform of platforms) t.true(error.stderr.includes(platform), platform)
})

test.serial('on an unknown platform the error says which platforms exist', async (t) => {
  await writeFile(path.join(installed, 'unknown.cjs'), `Object.defineProperty(process, 'platform', { value: 'plan9' }); require('${main.name}')`)
  const error = await t.throwsAsync(run(process.execPath, ['unknown.cjs'], { cwd: installed, env }))
  t.regex(error.stderr, /there is no build for this platform/)
  t.true(platforms.every((platform) => error.stderr.includes(platform)))
})

test('targets, package folders and the table in README are one list', async (t) => {
  const readme = await readFile(path.join(root, 'README.md'), 'utf8')
  const table = [...readme.matchAll(/`@zoo-code\/tool-router-((?:win32|darwin|linux)[\w-]+)`/g)].map((match) => match[1])
  t.deepEqual(table.toSorted(), platforms.toSorted())
  t.is(main.napi.targets.length, platforms.length)
})
