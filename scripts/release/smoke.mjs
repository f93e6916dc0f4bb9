// Installs packed tarballs in an empty folder, offline, and ranks: with the model where a runtime travels, by terms where
// none does. Needs Node and npm alone, so it runs on the barest system of a platform.
//
//   node scripts/release/smoke.mjs <folder of tarballs>
//
// Exit code: 0 it ranks as it should, 1 it does not, 2 wrong usage.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import process from 'node:process'

import { readArguments } from '../arguments.mjs'
import { glibcVersion, hostPlatform, WITHOUT_RUNTIME } from '../platforms.mjs'
import { publishOrder } from './tarballs.mjs'
import { asProgram, npm } from './tools.mjs'

const PROGRAM = `
const { ToolRouter, loadError } = require('@zoo-code/tool-router')
const main = async () => {
  if (loadError) throw loadError
  const router = ToolRouter.shared()
  await router.setServer({ name: 'weather', tools: [
    { name: 'get_forecast', description: 'Weather forecast for a place' },
    { name: 'delete_file', description: 'Remove a file from disk' },
  ] })
  const model = await router.loadModel({ cacheDir: false }).then(({ modelId }) => modelId, ({ code, message }) => code + ': ' + message)
  await router.ready()
  const { tools, ranker } = await router.rank('weather tomorrow', { deadlineMs: 60000 })
  console.log(JSON.stringify({ model, ranker, first: tools[0].name }))
}
main().catch((error) => { console.error(error); process.exitCode = 1 })
`

await asProgram(import.meta.url, () => {
  const given = readArguments('usage: smoke.mjs <folder of tarballs>\n', {}, { least: 1, most: 1 })
  if (given) {
    const tarballs = resolve(given.positionals[0])
    const folder = mkdtempSync(join(tmpdir(), 'tool-router-smoke-'))
    try {
      writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
      writeFileSync(join(folder, 'rank.cjs'), PROGRAM)
      // Those of other platforms npm would refuse when they are named.
      const wantedIds = ['main', 'model', hostPlatform()]
      const files = publishOrder(tarballs)
        .filter(({ id }) => wantedIds.includes(id))
        .map(({ tarball }) => tarball)
      const flags = ['--offline', '--ignore-scripts', '--no-audit', '--no-fund', `--cache=${join(folder, '.npm')}`]
      npm(['install', ...flags, ...files], { cwd: folder })
      const answer = JSON.parse(execFileSync(process.execPath, ['rank.cjs'], { cwd: folder, encoding: 'utf8' }))
      const platform = hostPlatform()
      const wanted = WITHOUT_RUNTIME.includes(platform) ? 'lexical' : 'hybrid'
      const system = [
        platform,
        `Node ${process.versions.node}`,
        process.platform === 'linux' && glibcVersion() && `glibc ${glibcVersion()}`,
      ]
      console.log(`${system.filter(Boolean).join(', ')}: ${JSON.stringify(answer)}`)
      if (answer.ranker !== wanted || answer.first !== 'mcp--weather--get_forecast') {
        console.error(`smoke: ranker: expected ${wanted}, got ${answer.ranker}; first: got ${answer.first}`)
        process.exitCode = 1
      }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
})
