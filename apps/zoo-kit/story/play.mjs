// Plays a task of the extension from its first text to its resumption, in a tree with the units, by the tree's own code: what
// builds the request's tools, what answers mcp_load and mcp_call, and the hub's lists of tools of real servers. Once over the real
// addon, and once without it.

import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { listTools, readDefinitions, RunningServers } from '../../../examples/demo/servers.mjs'
import { run } from '../run.mjs'
import { fixedTasks, lateTasks } from './tasks.mjs'

const OURS = fileURLToPath(new URL('../../..', import.meta.url))
const HERE = fileURLToPath(new URL('.', import.meta.url))
const PLACE = 'src/services/tools/__tests__'
const SPEC = 'dynamicTools.story.spec.ts'
const FILES = [SPEC, 'storyKnown.ts']

/**
 * @param {string} tree a copy with the units, whose dependencies are linked
 * @param {string} folder for what is captured
 * @param {string} vitest the tree's
 * @returns {Promise<{ ok: boolean, lines: string[], text: string }>} a line for each way, and what a failure said
 */
export async function playStory(tree, folder, vitest) {
  const servers = path.join(folder, 'servers.json')
  if (!fs.existsSync(servers)) fs.writeFileSync(servers, JSON.stringify(await capture()))
  const tasks = path.join(folder, 'tasks.json')
  fs.writeFileSync(tasks, JSON.stringify({ fixed: fixedTasks(35), late: lateTasks(20) }))
  for (const file of FILES) fs.copyFileSync(path.join(HERE, file), path.join(tree, PLACE, file))
  const addon = path.join(tree, 'src/node_modules/@zoo-code/tool-router')
  fs.mkdirSync(path.dirname(addon), { recursive: true })
  const played = []
  for (const way of ['addon', 'words']) {
    fs.rmSync(addon, { force: true })
    if (way === 'addon') fs.symlinkSync(OURS, addon)
    const report = path.join(folder, `${way}.json`)
    const env = { ...process.env, STORY_SERVERS: servers, STORY_TASKS: tasks, STORY_WAY: way, STORY_OURS: OURS }
    const args = ['run', '--reporter=json', `--outputFile=${report}`, `${PLACE.slice('src/'.length)}/${SPEC}`]
    const { text } = await run(vitest, args, path.join(tree, 'src'), { env, about: `the story, ${way}` })
    played.push(read(way, report, text, path.join(folder, `${way}.figures.json`)))
  }
  fs.rmSync(addon, { force: true })
  for (const file of FILES) fs.rmSync(path.join(tree, PLACE, file))
  return {
    ok: played.every(({ ok }) => ok),
    lines: played.map(({ line }) => line),
    text: played.map(({ text }) => text).join('\n'),
  }
}

/** The tools of the servers of examples/servers, as a hub has them. */
async function capture() {
  const running = new RunningServers()
  const servers = []
  try {
    for (const definition of readDefinitions()) {
      const { client, tools, reason } = await running.start(definition, {})
      if (reason !== undefined)
        throw new Error(`${definition.name} could not be started: ${reason}; npm ci in examples/servers`)
      servers.push({ name: definition.name, tools: tools ?? (await listTools(client)) })
    }
  } finally {
    await running.close()
  }
  return servers
}

function read(way, report, output, figures) {
  if (!fs.existsSync(report)) return { ok: false, line: `${way}: vitest gave no report`, text: output.slice(-4_000) }
  const { testResults, numPassedTests, numTotalTests } = JSON.parse(fs.readFileSync(report, 'utf8'))
  const failed = testResults.flatMap(({ assertionResults, message }) =>
    assertionResults.length === 0
      ? [message]
      : assertionResults
          .filter(({ status }) => status === 'failed')
          .map(({ fullName, failureMessages }) => `${fullName}: ${failureMessages.join('\n').slice(0, 1_500)}`),
  )
  const ok = failed.length === 0 && numPassedTests > 0
  const said = fs.existsSync(figures) ? `; ${JSON.parse(fs.readFileSync(figures, 'utf8')).join('; ')}` : ''
  return { ok, line: `story, ${way}: ${numPassedTests} of ${numTotalTests} steps hold${said}`, text: failed.join('\n') }
}
