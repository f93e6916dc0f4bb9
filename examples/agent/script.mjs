// A task of several turns over real servers. The model is a script: it is written here what it calls, whatever it is sent.
// So the example shows what a host sends and answers, and says nothing about how well a model chooses.

import { writeFileSync } from 'node:fs'
import path from 'node:path'

/** A log of which one line matters. */
const LOG = Array.from({ length: 2_000 }, (_, at) =>
  at === 1_503
    ? '2024-06-03 10:25:03 ERROR payment of order 48213 declined: insufficient funds'
    : `2024-06-03 10:${String(Math.floor(at / 60)).padStart(2, '0')}:${String(at % 60).padStart(2, '0')} INFO order ${40_000 + at} was placed`,
).join('\n')

const say = (title) => console.log(`\n  ${title}`)

/** Plays the task; gives what must hold in the end, for the test that runs it. */
export async function playTask(host, folder) {
  const note = path.join(folder, 'notes.txt')
  const held = {}

  say('The user asks, and the model writes a file')
  await host.says(`Write what we decided into the file ${note}, then read the file again`)
  held.wrote = await host.calls('mcp--filesystem--write_file', { path: note, content: 'Ada likes tea.' })

  say('The model gets an argument wrong, and mends its call by the answer')
  held.wrong = await host.calls('mcp--filesystem--read_text_file', { file: note })
  held.read = await host.calls('mcp--filesystem--read_text_file', { path: note })

  say('A result is too long: the model gets its beginning, and reads what it needs')
  const log = path.join(folder, 'shop.log')
  writeFileSync(log, LOG)
  held.long = await host.calls('mcp--filesystem--read_text_file', { path: log })
  const [handle] = /res_\w+/.exec(held.long.text) ?? []
  held.readOn = await host.reads(handle, { need: 'why was the payment declined' })

  say('The user asks for something else; the model searches for what it lacks')
  await host.says('Remember in the knowledge graph that Ada is a person who likes tea')
  held.load = await host.searches('mcp--memory--create_entities, mcp--memory--read_graph')
  const entities = [{ name: 'Ada', entityType: 'person', observations: ['likes tea'] }]
  held.created = await host.calls('mcp--memory--create_entities', { entities })

  say('Nothing fits')
  held.nothing = await host.searches('order a pizza with extra cheese')

  say('The user switches to a mode that may not touch files')
  await host.switchesMode('talk')
  held.refused = await host.calls('mcp--filesystem--write_file', { path: note, content: 'x' })
  await host.switchesMode(null)

  say('The model says what is missing, and continues from its checkpoint')
  held.reroute = await host.lacks({
    originalQuery: 'Compare the sums of two numbers with the graph',
    attemptedServers: ['filesystem'],
    completedSteps: ['read the graph'],
    checkpoint: 'the graph is read',
    missingCapability: 'add two numbers and return the sum',
  })

  say('The host condenses its conversation: the set is chosen again, at no extra cost')
  await host.condenses('Ada likes tea; it stands in a file and in the knowledge graph.')
  await host.searches('mcp--memory--read_graph')
  held.again = await host.calls('mcp--memory--read_graph', {})
  return held
}
