// SPDX-License-Identifier: Apache-2.0
//
// The same task through every delivery, over real servers, with a scripted model:
//
//   npm run setup                          once, which installs the servers and builds the addon
//   node examples/agent/run.mjs            one pair per delivery
//   node examples/agent/run.mjs gemini call

import process from 'node:process'
import { createRequire } from 'node:module'

import { readDefinitions, RunningServers } from '../demo/servers.mjs'
import { Host } from './host.mjs'
import { playTask } from './script.mjs'

const { ToolRouter } = createRequire(import.meta.url)('../../index.js')

const PAIRS = [
  { provider: 'openai-chat', delivery: 'append' },
  { provider: 'anthropic', delivery: 'defer' },
  { provider: 'openai-responses', delivery: 'defer' },
  { provider: 'anthropic', delivery: 'changes' },
  { provider: 'gemini', delivery: 'call' },
]

/**
 * @param {{ provider: string, delivery: string }[]} pairs
 * @returns {Promise<object[]>} what held for each pair
 */
export async function runAgent(pairs) {
  const router = ToolRouter.shared()
  const running = new RunningServers()
  const servers = new Map()
  try {
    await running.startAll(
      readDefinitions(['filesystem', 'memory', 'everything']),
      ({ name, client, tools, reason }) => {
        if (reason !== undefined) throw new Error(`${name} did not start: ${reason}; run \`npm run setup\``)
        servers.set(name, { client, tools })
      },
    )
    router.configure({ threshold: 5, hostModes: { talk: { blockedMcpServers: ['filesystem'] } } })
    await router.setServers(
      [...servers].map(([name, { tools }]) => ({ name, tools })),
      { replace: true },
    )
    const all = []
    for (const pair of pairs) {
      console.log(`\n${pair.provider}, ${pair.delivery}`)
      const session = router.openSession({ settings: { ...pair, initialK: 6 } })
      const host = new Host(session, servers, pair)
      all.push({
        ...pair,
        ...(await playTask(host, running.folderOf('filesystem'))),
        ledger: session.selection.tokens.ledger,
      })
      session.close()
    }
    await curate(router)
    return all
  } finally {
    await running.close()
  }
}

/** Curation per turn keeps another list for each message: what that costs stands in docs/curation.md. */
async function curate(router) {
  const tools = await router.listTools()
  const functions = tools.map(({ name, description }) => ({ name, description }))
  console.log(
    '\nCurated per turn: another list for each message, so the whole conversation is written to the cache again',
  )
  for (const message of ['read the text file with the notes', 'create entities in the knowledge graph']) {
    const { kept } = await router.curate(functions, message, { curation: { k: 3 } })
    console.log(`  ${message}: ${kept.map(({ name }) => name).join(', ')}`)
  }
}

if (process.argv[1] && import.meta.filename === process.argv[1]) {
  const [provider, delivery] = process.argv.slice(2)
  await runAgent(provider ? [{ provider, ...(delivery && { delivery }) }] : PAIRS)
}
