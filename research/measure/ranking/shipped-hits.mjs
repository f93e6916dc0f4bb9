#!/usr/bin/env node
// How many tools of other versions of well-known servers find their vectors among those that come with the model.
//
//   node research/measure/ranking/shipped-hits.mjs --servers <folder>
//
// The folder holds one folder per server, named as in examples/servers/servers.json, in which another version of its package
// is installed: `npm install --prefix <folder>/notion @notionhq/notion-mcp-server@2.4.1`.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import process from 'node:process'

import { readDefinitions, RunningServers } from '../../../examples/demo/servers.mjs'
import { readArguments } from '../../../scripts/arguments.mjs'

const { ToolRouter } = createRequire(import.meta.url)('../../../index.js')

const given = readArguments('usage: shipped-hits.mjs --servers <folder>\n', {
  servers: { type: 'string', required: true },
})
if (given) await main(path.resolve(given.values.servers))

/** The version of the package that a program belongs to. */
function versionOf(bin) {
  for (let folder = path.dirname(bin); folder !== path.dirname(folder); folder = path.dirname(folder)) {
    const manifest = path.join(folder, 'package.json')
    const { name, version } = existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')) : {}
    if (version) return `${name} ${version}`
  }
  return 'unknown'
}

async function main(folder) {
  const router = ToolRouter.shared()
  await router.loadModel({ cacheDir: false })
  const definitions = readDefinitions(readdirSync(folder)).map(({ bin, ...rest }) => ({
    ...rest,
    bin: path.join(folder, rest.name, bin),
  }))
  const running = new RunningServers()
  const sum = { tools: 0, hits: 0 }
  console.log('| server | version | tools | with a vector |\n| --- | --- | --- | --- |')
  try {
    await running.startAll(definitions, async ({ name, tools, reason }) => {
      if (!tools) {
        process.stderr.write(`${name} is left out: ${reason}\n`)
        return
      }
      const before = router.status.shippedVectors.used
      await router.setServers([{ name, tools }], { replace: true })
      const hits = router.status.shippedVectors.used - before
      const { bin } = definitions.find((definition) => definition.name === name)
      sum.tools += tools.length
      sum.hits += hits
      console.log(`| ${name} | ${versionOf(bin)} | ${tools.length} | ${hits} |`)
    })
  } finally {
    await running.close()
  }
  console.log(`| all | | ${sum.tools} | ${sum.hits} (${((100 * sum.hits) / sum.tools).toFixed(1)} %) |`)
}
