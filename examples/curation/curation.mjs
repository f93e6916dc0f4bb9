// Per-turn curation of the tools of three real MCP servers, beside a host's own.
//
//   npm run demo            once, which sets everything up
//   node examples/curation/curation.mjs ["a message" ...]

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

import { ToolRouter } from '../../index.js'
import { readDefinitions, RunningServers } from '../demo/servers.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
const given = process.argv.slice(2)
const messages = given.length
  ? given
  : ['create a directory for the drafts', 'remember the relations between these people', 'hm']

const router = ToolRouter.shared()
const running = new RunningServers()
const folder = mkdtempSync(path.join(tmpdir(), 'tool-router-curation-'))
try {
  /** What a request holds: the host's own tools first, then those of the servers. */
  const functions = [
    { name: 'read_file', description: 'Reads a file of the workspace' },
    { name: 'apply_diff', description: 'Changes a file' },
  ]
  for (const definition of readDefinitions(['filesystem', 'memory', 'everything'])) {
    const { name, tools, instructions, reason } = await running.start(definition)
    if (reason !== undefined) throw new Error(`${name} could not be started: ${reason}`)
    const { added } = await router.setServer({ name, tools, instructions })
    functions.push(...added.map(({ serverName, toolName }) => `mcp--${serverName}--${toolName}`))
  }
  const curation = await router.loadCuration({ projectPath: path.join(here, 'config.toml') })
  const { useCount } = await router.persistUses(path.join(folder, 'uses.json'))
  console.log(`${functions.length} functions, ${curation.kind} with k = ${curation.k}, ${useCount} recorded uses`)
  for (const message of messages) {
    const { kept, dropped } = await router.curate(functions, message)
    console.log(`\n"${message}" keeps ${kept.length} and leaves ${dropped.length} out of this turn`)
    for (const { name, score } of kept)
      console.log(`  ${score === undefined ? '   -' : score.toFixed(1).padStart(4)}  ${name}`)
    // The model called one of them: half a point for it from now on.
    const called = kept.find(({ rank }) => rank === 1)
    await router.recordUse(called.name)
  }
} finally {
  await running.close()
  rmSync(folder, { recursive: true, force: true })
}
