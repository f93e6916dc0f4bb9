// The files of curation: where they are looked for, what a project's says over the user's, edits while they are in use, and
// mistakes, which are told by their key.
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import test from 'ava'

import { router } from '../helpers/router.mjs'
import { tempDir } from '../helpers/temp.mjs'

const ENTRY = pathToFileURL(path.resolve(import.meta.dirname, '../../index.js')).href
let written = 0

/** Writes a file so that its time differs from that of the one before. */
function write(file, text) {
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
  written += 1
  utimesSync(file, written, 1_700_000_000 + written)
}

const functions = Array.from({ length: 6 }, (_, at) => ({ name: `mcp__s__t${at}`, description: `tool ${at}` }))
const kept = async () => (await router.curate(functions, 'anything')).kept.length

test.beforeEach(() => router.configure({}))

test.serial('without paths the default places are read, the project’s file over the user’s', (t) => {
  const home = tempDir(t)
  const project = tempDir(t)
  write(path.join(home, '.config/wayland-core/config.toml'), '[mcp]\ncuration = { kind = "off" }\nrescue = ["look"]\n')
  const program = `
    import addon from ${JSON.stringify(ENTRY)}
    const router = addon.ToolRouter.shared()
    console.log(JSON.stringify([await router.loadCuration({}), await router.loadCuration()]))`
  const read = () => {
    const env = { ...process.env, HOME: home, USERPROFILE: home }
    return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', program], { cwd: project, env }))
  }
  const off = { kind: 'off', k: 15, rescue: ['look'] }
  t.deepEqual(read(), [off, off])
  write(path.join(project, '.wayland-core.toml'), '[mcp.curation]\nk = 7\n')
  const seven = { kind: 'top_k', k: 7, rescue: ['look'] }
  t.deepEqual(read(), [seven, seven], 'who says how many wants so many')
})

test.serial('an edit holds from the next use; while a file is wrong, what was read before', async (t) => {
  const file = path.join(tempDir(t), 'project.toml')
  write(file, '[mcp]\ncuration = { k = 2 }\n')
  await router.loadCuration({ projectPath: file })
  t.is(await kept(), 2)
  write(file, '[mcp]\ncuration = { k = 4 }\n')
  t.is(await kept(), 4)
  write(file, '[mcp]\ncuration = { k = \n')
  t.is(await kept(), 4)
  write(file, '[mcp]\ncuration = { k = 3 }\n')
  t.is(await kept(), 3)
  rmSync(file)
  t.is(await kept(), 6, 'a file that is gone says nothing')
  write(file, '[mcp]\ncuration = { k = 1 }\n')
  t.is(await kept(), 1, 'and one that comes is read')
})

test.serial('what a host configures afterwards is not undone by a file', async (t) => {
  const file = path.join(tempDir(t), 'project.toml')
  write(file, '[mcp]\ncuration = { k = 2 }\n')
  await router.loadCuration({ projectPath: file })
  router.configure({ curation: { k: 5 } })
  write(file, '[mcp]\ncuration = { k = 1 }\n')
  t.is(await kept(), 5)
})

const MISTAKES = [
  ['curation = { k = "15" }', 18, 'mcp.curation.k: expected an integer from 1 to 1000, got "15"'],
  ['curation = { k = 0 }', 18, 'mcp.curation.k: expected an integer from 1 to 1000, got 0'],
  ['rescue = [1]', 10, 'mcp.rescue: expected a list of at most 1000 names, got [1]'],
  ['curation = { kind = "best" }', 21, 'mcp.curation.kind: expected "top_k" or "off", got "best"'],
  ['curation = { rescu = [] }', 14, 'mcp.curation: expected kind, k, rescue, got the key rescu; near: rescue'],
  ['curation = 15', 12, 'mcp.curation: expected a table such as { kind = "top_k", k = 15 }, got 15'],
  ['rescue = "Read"', 10, 'mcp.rescue: expected a list of at most 1000 names, got "Read"'],
]
for (const [line, column, message] of MISTAKES) {
  test.serial(`${line} is told by its key`, async (t) => {
    const file = path.join(tempDir(t), 'config.toml')
    write(file, `[mcp]\n${line}\n`)
    const error = await t.throwsAsync(router.loadCuration({ globalPath: file }), { code: 'ERR_CONFIG_INVALID' })
    t.true(error.message.startsWith(`${file}:2:${column}: ${message}; `), error.message)
    t.false(/struct|Keys|serde/.test(error.message))
  })
}
