// examples/agent: the same task over real servers through every pair. The model is a script.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { curateEach, curationFiles } from '../../examples/agent/curate.mjs'
import { router } from '../helpers/router.mjs'
import { PAIRS } from '../helpers/delivered.mjs'
import { tempDir } from '../helpers/temp.mjs'

const installed = existsSync(fileURLToPath(new URL('../../examples/servers/node_modules', import.meta.url)))
const check = installed ? test.serial : test.serial.skip

async function quietly(work) {
  const { log } = console
  const lines = []
  console.log = (line) => lines.push(String(line))
  try {
    return { result: await work(), lines }
  } finally {
    console.log = log
  }
}

check('the task of the example works through every provider and delivery', async (t) => {
  const { runAgent } = await import('../../examples/agent/run.mjs')
  const pairs = Object.entries(PAIRS).flatMap(([provider, all]) => all.map((delivery) => ({ provider, delivery })))
  const { result, lines } = await quietly(() => runAgent(pairs))
  t.is(result.length, pairs.length)
  for (const held of result) {
    const pair = `${held.provider}, ${held.delivery}`
    t.is(held.wrote.problem, undefined, pair)
    t.is(held.wrong.problem.reason, 'invalid-arguments', pair)
    t.is(held.read.text.trim(), 'Ada likes tea.', pair)
    t.regex(held.long.text, /held as res_\w{26}/, pair)
    t.true(held.readOn.includes('insufficient funds') && held.long.text.length < 5_000, pair)
    t.is(held.created.problem, undefined, pair)
    t.truthy(held.nothing.nothingFits, pair)
    t.is(held.refused.problem.reason, 'out-of-scope', pair)
    t.deepEqual([held.reroute.status, held.reroute.checkpoint], ['CONTINUE', 'the graph is read'], pair)
    t.regex(held.again.text, /likes tea/, pair)
  }
  // With the fixed pair and with changes, the cache is written again only where a result is held and its reader is declared.
  const sections = lines.join('\n').split(/\n\n?(?=[a-z-]+, (?:append|defer|changes|call|program)$)/m)
  const ofDelivery = (delivery) => sections.filter((text) => text.trim().split('\n')[0].endsWith(`, ${delivery}`))
  t.true(ofDelivery('append').every((text) => text.includes('written again')))
  for (const text of [...ofDelivery('call'), ...ofDelivery('changes')])
    t.is(text.split('Curated')[0].split('written again').length - 1, 1)
})

test.serial(
  'an agent curates by the files of its user and its project, and a list that stays is read from the cache',
  async (t) => {
    const [home, project] = [tempDir(t), tempDir(t)]
    const { XDG_CONFIG_HOME, APPDATA } = process.env
    Object.assign(process.env, { XDG_CONFIG_HOME: home, APPDATA: home })
    t.teardown(() => {
      for (const [name, value] of Object.entries({ XDG_CONFIG_HOME, APPDATA }))
        if (value === undefined) delete process.env[name]
        else process.env[name] = value
      router.configure({})
    })
    const files = curationFiles('some-agent', project)
    mkdirSync(path.dirname(files.globalPath))
    writeFileSync(files.globalPath, '[mcp]\ncuration = { kind = "top_k", k = 2 }\n')
    t.is((await router.loadCuration(files)).k, 2)
    writeFileSync(files.projectPath, '[mcp]\ncuration = { kind = "top_k", k = 1 }\n')
    t.is((await router.loadCuration(files)).k, 1, "the project's file comes before the user's")
    const functions = [
      { name: 'apply_diff', description: 'Change a file' },
      { name: 'mcp__mail__send', description: 'Send a letter' },
      { name: 'mcp__news__read', description: 'Read the news' },
    ]
    const turns = await curateEach(router, functions, ['send this letter', 'another letter please', 'read news'], 1_000)
    t.deepEqual(
      turns.map(({ kept, isSame, base }) => [kept.join(), isSame, base]),
      [
        ['apply_diff,mcp__mail__send', false, 1_250],
        ['apply_diff,mcp__mail__send', true, 100],
        ['apply_diff,mcp__news__read', false, 1_250],
      ],
    )
  },
)
