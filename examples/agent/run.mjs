// The same task through every delivery, over real servers, with a scripted model:
//
//   npm run setup                          once, which installs the servers and builds the addon
//   node examples/agent/run.mjs            one pair per delivery
//   node examples/agent/run.mjs gemini call

import process from 'node:process'
import { createRequire } from 'node:module'

import { readDefinitions, RunningServers } from '../demo/servers.mjs'
import { curateEach, curationFiles } from './curate.mjs'
import { Host } from './host.mjs'
import { playTask } from './script.mjs'

const { ToolRouter } = createRequire(import.meta.url)('../../index.js')

const PAIRS = [
  { provider: 'openai-chat', delivery: 'append' },
  { provider: 'anthropic', delivery: 'defer' },
  { provider: 'openai-responses', delivery: 'defer' },
  { provider: 'anthropic', delivery: 'changes' },
  { provider: 'anthropic', delivery: 'program' },
  { provider: 'gemini', delivery: 'call' },
]

/** Tokens of a conversation that is under way. */
const CONVERSATION = 50_000

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
    for (const [name, { tools }] of servers) await router.setServer({ name, tools })
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

/** The settings of the agent's files, and a list for each message. */
async function curate(router) {
  const { k } = await router.loadCuration(curationFiles('zoo-agent'))
  const tools = await router.listTools()
  const own = { name: 'apply_diff', description: 'Change a file' }
  const functions = [own, ...tools.map(({ name, description }) => ({ name, description }))]
  console.log(
    `\nCurated per turn: the best ${k} for each message, ${CONVERSATION.toLocaleString('en')} tokens behind them`,
  )
  const messages = ['read the text file with the notes', 'create entities in the knowledge graph', 'thanks']
  for (const { message, kept, isSame, base } of await curateEach(router, functions, messages, CONVERSATION)) {
    const cost = `${base.toLocaleString('en')} base tokens for the conversation, ${isSame ? 'read' : 'written again'}`
    console.log(`  ${message}: ${kept.length} functions, ${cost}`)
  }
}

if (process.argv[1] && import.meta.filename === process.argv[1]) {
  const [provider, delivery] = process.argv.slice(2)
  await runAgent(provider ? [{ provider, ...(delivery && { delivery }) }] : PAIRS)
}
