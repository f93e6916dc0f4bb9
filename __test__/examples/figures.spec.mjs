// The figures that README.md and the gateway's pages begin with, measured over all real servers, as rounded as a page has them.
import { statSync } from 'node:fs'
import path from 'node:path'

import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'

import { DEFAULT_TASK } from '../../examples/demo/story.mjs'
import { createGateway } from '../../packages/gateway/gateway/index.mjs'
import { configuration } from '../../research/measure/gateway/gateway-operations.mjs'
import { read, ROOT } from '../helpers/pages.mjs'
import { where } from '../helpers/skips.mjs'
import { tempDir } from '../helpers/temp.mjs'

const model = path.join(ROOT, 'npm/model/model.onnx')
const isThere = (file) => statSync(file, { throwIfNoEntry: false }) !== undefined
const check = where(
  isThere(path.join(ROOT, 'examples/servers/node_modules')) && isThere(model),
  'servers or model are not there; npm run setup',
)
const number = (text) => Number(text.replaceAll(',', ''))

/** What a page says at a place, as numbers. */
function figures(t, page, pattern) {
  const found = pattern.exec(read(page).replaceAll(/\s+/g, ' '))
  if (!found) t.fail(`${page} has no ${pattern}`)
  return found.slice(1).map(number)
}

/** Whether a page's figure is what was measured, within two hundredths. */
const isNear = (said, measured) => Math.abs(said - measured) <= 0.02 * measured

check('the first figures of README.md and of the gateway are those of the real servers', async (t) => {
  t.timeout(280_000)
  const gateway = await createGateway({ config: configuration(tempDir(t)) })
  t.teardown(() => gateway.close())
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  await Promise.all([gateway.ready(), gateway.connect(theirs)])
  const client = new Client({ name: 'figures', version: '0.0.0' })
  await client.connect(ours)
  const { tools: first } = await client.listTools()
  const listed = [...gateway.catalogue.entries.values()].flatMap(({ tools }) => [...tools.values()])
  const { router } = gateway
  const session = router.openSession()
  const { tokens } = await session.start(DEFAULT_TASK)
  const measured = {
    servers: gateway.servers.filter(({ state }) => state === 'ready').length,
    first: await router.countTokens(JSON.stringify(first)),
    all: await router.countTokens(JSON.stringify(listed)),
    saved: (100 * tokens.saved) / tokens.scoped,
  }

  const [servers, tools, percent] = figures(
    t,
    'README.md',
    /On (\d+) real MCP servers with over ([\d,]+) tools, a task begins with (\d+) % fewer/,
  )
  t.is(servers, measured.servers)
  t.true(listed.length > tools && listed.length < tools + 100, `${listed.length} tools`)
  t.is(percent, Math.round(measured.saved), `${measured.saved} %`)
  for (const [page, pattern] of [
    ['README.md', /about (\d+) tokens instead of ([\d,]+)/],
    ['docs/gateway.md', /about (\d+) tokens instead of ([\d,]+)/],
    ['packages/gateway/README.md', /about (\d+) tokens instead of ([\d,]+)/],
  ]) {
    const [shown, without] = figures(t, page, pattern)
    t.true(isNear(shown, measured.first), `${page}: ${shown}, measured ${measured.first}`)
    t.true(isNear(without, measured.all), `${page}: ${without}, measured ${measured.all}`)
  }
  const [definitions] = figures(t, 'docs/gateway.md', /([\d,]+) as definitions of a model's API/)
  t.true(isNear(definitions, tokens.scoped), `${definitions}, measured ${tokens.scoped}`)
  const [megabytes] = figures(t, 'README.md', /a (\d+) MB embedding model/)
  t.is(megabytes, Math.round(statSync(model).size / 1e6))
})
