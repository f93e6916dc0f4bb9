// Counts how many definitions with `schemaStyle: 'host'` are byte for byte those of a host.
//
//   node research/measure/ranking/host-definitions.mjs --data <folder>
//
// The folder holds catalogue/tools.jsonl, with a tool and its server per line, and host-definitions.tsv: server, tool,
// provider name, and the SHA-256 of the definition that the host's own function gives. Exits with 1 if any differs.

import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'

import { ToolRouter } from '../../../index.js'

const { values } = parseArgs({ options: { data: { type: 'string' }, show: { type: 'string', default: '10' } } })
if (values.data === undefined) throw new Error('--data: expected a folder with catalogue/ and host-definitions.tsv')
const read = (...name) =>
  fs
    .readFileSync(path.join(values.data, ...name), 'utf8')
    .trim()
    .split('\n')

const expected = read('host-definitions.tsv')
  .slice(1)
  .map((line) => line.split('\t'))
const hashes = new Map(expected.map(([, , name, hash]) => [name, hash]))
const order = [...new Set(expected.map(([server]) => server))]
const servers = new Map()
for (const line of read('catalogue', 'tools.jsonl')) {
  const { server: name, ...tool } = JSON.parse(line)
  if (!servers.has(name)) servers.set(name, { name, tools: [], position: order.indexOf(name) })
  servers.get(name).tools.push(tool)
}

const router = ToolRouter.shared()
router.configure({ schemaStyle: 'host', searchTurns: 0 })
await router.setServers([...servers.values()])
const session = router.openSession()
await session.start('everything')
const definitions = JSON.parse(session.tools())

const differing = []
for (const definition of definitions) {
  const text = JSON.stringify(definition)
  const hash = createHash('sha256').update(text).digest('hex')
  if (hash !== hashes.get(definition.function.name)) differing.push(text)
}
const inOrder = definitions.filter(({ function: { name } }, at) => name === expected[at]?.[2]).length
console.log(`equal: ${definitions.length - differing.length} of ${expected.length} definitions`)
console.log(`at the host's place: ${inOrder} of ${expected.length}`)
for (const text of differing.slice(0, Number(values.show))) console.log(text.slice(0, 400))
process.exitCode = differing.length > 0 || definitions.length !== expected.length ? 1 : 0
