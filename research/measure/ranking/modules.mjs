#!/usr/bin/env node
// How servers of more than 30 tools are divided: sizes of modules, and how many other tools move when one comes, goes or is
// renamed. Over the live servers of examples/servers, or with --data over the recorded ones.
//
//   node research/measure/ranking/modules.mjs [--data <folder of sets>] [--most <changes per server>] [--list <server>]

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

import { readArguments } from '../../../scripts/arguments.mjs'
import { catalogueOf, liveServers } from '../catalogue.mjs'

const { ToolRouter } = createRequire(import.meta.url)('../../../index.js')

const USAGE = 'usage: modules.mjs [--data <folder of sets>] [--most <changes per server>] [--list <server>]\n'
const MOST = 25
const DIVIDED_FROM = 30

const given = readArguments(USAGE, {
  data: { type: 'string' },
  most: { type: 'integer', default: 12, least: 1 },
  list: { type: 'string' },
})
if (given) await main(given.values)

function recorded(data) {
  const lines = readFileSync(path.join(data, 'catalogue', 'tools.jsonl'), 'utf8')
    .split('\n')
    .filter(Boolean)
  return catalogueOf(lines.map((line) => JSON.parse(line))).servers
}

async function main({ data, most, list }) {
  const servers = (data ? recorded(data) : await liveServers()).filter(({ tools }) => tools.length > DIVIDED_FROM)
  const router = ToolRouter.shared()
  const divide = async (server) => {
    await router.setServers([server], { replace: true })
    return router.listModules()
  }
  const placesOf = (modules) =>
    new Map(modules.flatMap(({ name, tools }) => tools.map(({ toolName }) => [toolName, name])))
  let worst = { moved: 0 }
  const all = []
  let moduleCount = 0
  let sum = 0
  for (const server of servers) {
    const modules = await divide(server)
    if (server.name === list) for (const { name, description } of modules) console.log(`${name}: ${description}`)
    const names = new Set(modules.map(({ name }) => name))
    const sizes = modules.map(({ toolCount }) => toolCount)
    const places = placesOf(modules)
    if (names.size !== modules.length) throw new Error(`${server.name}: names are not unique`)
    if (places.size !== new Set(server.tools.map(({ name }) => name)).size)
      throw new Error(`${server.name}: not all tools`)
    if (sizes.some((size) => size < 1 || size > MOST)) throw new Error(`${server.name}: sizes ${sizes}`)
    moduleCount += modules.length
    sum += places.size
    const turned = placesOf(await divide({ ...server, tools: server.tools.toReversed() }))
    for (const [tool, module] of turned)
      if (places.get(tool) !== module) throw new Error(`${server.name}: order matters`)
    const step = Math.max(1, Math.floor(server.tools.length / most))
    for (let at = 0; at < server.tools.length; at += step) {
      const { name } = server.tools[at]
      const others = server.tools.filter((_, other) => other !== at)
      const renamed = server.tools.map((tool, other) => (other === at ? { ...tool, name: `${name}_again` } : tool))
      const more = [...server.tools, { ...server.tools[at], name: `${name}_again` }]
      for (const [change, tools] of Object.entries({ gone: others, renamed, added: more })) {
        // From 31 tools to 30 a server is one again: that is the rule, not a move.
        if (tools.length <= DIVIDED_FROM) continue
        const now = placesOf(await divide({ ...server, tools }))
        const moved = [...now].filter(
          ([tool, module]) => places.has(tool) && tool !== name && places.get(tool) !== module,
        )
        all.push(moved.length)
        if (moved.length > worst.moved) worst = { moved: moved.length, server: server.name, tool: name, change }
      }
    }
  }
  all.sort((a, b) => a - b)
  const mean = all.reduce((a, b) => a + b, 0) / all.length
  const quiet = all.filter((moved) => moved === 0).length
  console.log(`| servers of more than ${DIVIDED_FROM} tools | ${servers.length}, with ${sum} tools |`)
  console.log(`| modules | ${moduleCount}, of ${(sum / moduleCount).toFixed(1)} tools on average |`)
  console.log(`| changes of one tool that move no other | ${quiet} of ${all.length} |`)
  console.log(
    `| other tools moved | ${mean.toFixed(2)} on average, 99 of 100 times at most ${all[Math.floor(0.99 * all.length)]}, at most ${worst.moved} (${worst.server}) |`,
  )
}
