// Vectors in the cache folder, shared by processes.
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { endedWell, runScript } from '../helpers/child.mjs'
import { where } from '../helpers/skips.mjs'
import { tempDir } from '../helpers/temp.mjs'

const onLinux = where(process.platform === 'linux', 'the folder is named by the platform')

const files = (folder) =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    : []

const identity = (folder) =>
  files(folder)
    .map((file) => `${file} ${statSync(file).ino} ${statSync(file).mtimeMs}`)
    .sort()

const IN_CHILD = (options) => `
  await router.setServer({ name: 'weatherly', tools: [['forecast', 'Forecast for the next days'], ['marine', 'Waves and tides'], ['alerts', 'Severe weather warnings']].map(([name, description]) => ({ name, description })) })
  await router.loadModel(${options})
  const { state, vectorCount, lastError } = await router.ready()
  const { tools, ranker } = await router.rank('will I need an umbrella', { deadlineMs: 30000 })
  say({ state, vectorCount, lastError, ranker, tools })
`

const cacheOf = (folder) => IN_CHILD(JSON.stringify({ cacheDir: folder }))
const asSaid = async (t, source, options) => endedWell(t, await runScript(source, options))[0]

test('a second process takes all vectors from the cache folder and writes none', async (t) => {
  const folder = join(tempDir(t), 'not', 'there', 'yet')
  const first = await asSaid(t, cacheOf(folder))
  t.deepEqual([first.state, first.vectorCount, first.ranker], ['ready', 3, 'hybrid'])
  const before = identity(folder)
  t.is(before.length, 1, 'one file for all')
  t.deepEqual(await asSaid(t, cacheOf(folder)), first)
  t.deepEqual(identity(folder), before)
})

test('two processes share one cache folder at the same time', async (t) => {
  const folder = tempDir(t)
  const [first, second] = await Promise.all([asSaid(t, cacheOf(folder)), asSaid(t, cacheOf(folder))])
  t.deepEqual(first, second)
  t.deepEqual(
    files(folder).filter((file) => /\/\./.test(file.slice(folder.length))),
    [],
    'no temporary file stays',
  )
})

test('a cache folder that cannot be written costs no error', async (t) => {
  const file = join(tempDir(t), 'file')
  writeFileSync(file, 'a file where the folder should be')
  const first = await asSaid(t, IN_CHILD('{ cacheDir: false }'))
  for (const folder of [file, '/proc/nowhere']) t.deepEqual(await asSaid(t, cacheOf(folder)), first, folder)
})

onLinux("vectors are kept in the user's cache folder by default, and nowhere with cacheDir: false", async (t) => {
  const home = tempDir(t)
  const env = { HOME: home, XDG_CACHE_HOME: join(home, 'cache') }
  await asSaid(t, IN_CHILD('{ cacheDir: false }'), { env })
  t.deepEqual(files(home), [])
  await asSaid(t, IN_CHILD(''), { env })
  t.is(files(join(home, 'cache', 'zoo-tool-router')).length, 1)
})
