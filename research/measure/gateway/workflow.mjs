#!/usr/bin/env node
// How long labelled tasks take with routing and without, by everything that is not the model. Servers stand in: they list
// what those of examples/servers list, and answer each call after --call-ms.
//
//   node research/measure/gateway/workflow.mjs [--tasks 35] [--call-ms 150] [--model-ms 0] [--lexical]
//
// direct: a client for each server, all tools listed, and calls that go straight there. This is the baseline, and not a
// gateway that lists everything (`mode: static`): that one has a part of the cost, which would then be in both ways.
// routed: a client of the gateway in this process, over the same lines of JSON. For what a message needs and is not in the
// list it calls `mcp_load` once, in the words of searches.jsonl; where that does not bring a tool, once more by its name.
//
// Both ways make one call per need, one after the other, and list when a task begins. Clients that keep the lists of their
// servers over many tasks save that direct, so the share without it is printed too. CPU time is that of this process:
// client, gateway and model of the router, without servers. --model-ms is what a request of the model takes for each 1,000
// tokens of definitions in it, answers of `mcp_load` included; nothing else of a request is counted, and none is waited for.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { PassThrough } from 'node:stream'

import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'

import { listTools } from '../../../examples/demo/servers.mjs'
import { createGateway } from '../../../packages/gateway/gateway/index.mjs'
import { readArguments } from '../../../scripts/arguments.mjs'
import { liveServers } from '../catalogue.mjs'
import { jsonLines } from '../strangers/catalogue.mjs'

const LABELLED = path.join(import.meta.dirname, '..', '..', 'labelled')
const STAND_IN = path.join(import.meta.dirname, 'workflow', 'stand-in.mjs')
const INFO = { name: 'measure', version: '0.0.0' }
/** Of these a text in a call is the first that its schema takes. */
const TEXTS = ['main', '1:2', 'main.png']
const PHASES = ['list', 'find', 'call']

const given = readArguments('usage: workflow.mjs [--tasks 35] [--call-ms 150] [--model-ms 0] [--lexical]\n', {
  tasks: { type: 'integer', default: 35, least: 1 },
  'call-ms': { type: 'integer', default: 150, least: 0 },
  'model-ms': { type: 'number', default: 0, least: 0 },
  lexical: { type: 'boolean' },
})
if (given) await main(given.values)

async function main(values) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'tool-router-workflow-'))
  const servers = standIns(folder, await liveServers(), values['call-ms'])
  const gateway = await createGateway({
    config: {
      mcpServers: Object.fromEntries(servers.map(({ name, command, args }) => [name, { command, args }])),
      gateway: { cacheDir: false, approvalDir: path.join(folder, 'approvals') },
    },
  })
  const clients = new Map()
  try {
    for (const { name, command, args } of servers)
      clients.set(name, await connected(new StdioClientTransport({ command, args })))
    await gateway.ready()
    if (!values.lexical) {
      await gateway.router.loadModel()
      while ((await gateway.router.ready({ timeoutMs: 30_000 })).state === 'loading');
    }
    const schemas = new Map(
      servers.flatMap(({ name, tools }) => tools.map((tool) => [`${name}::${tool.name}`, tool.inputSchema])),
    )
    const ways = { direct: () => directly(clients), routed: () => byGateway(gateway) }
    const played = await playAll(tasksOf(values.tasks), ways, schemas)
    await report(played, gateway.router, values)
  } finally {
    await gateway.close()
    for (const client of clients.values()) await client.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** How each server is started that lists what a real one does. A schema of results would ask for more than a text. */
function standIns(folder, servers, delay) {
  return servers.map(({ name, tools }) => {
    const file = path.join(folder, `${name}.json`)
    writeFileSync(file, JSON.stringify(tools.map(({ outputSchema: _, ...tool }) => tool)))
    return { name, tools, command: process.execPath, args: [STAND_IN, file, String(delay)] }
  })
}

/** Messages of the tuning half, each with its needs and the words that a model asks for them in. */
function tasksOf(count) {
  const words = new Map(jsonLines(path.join(LABELLED, 'searches.jsonl')).map(({ tool, query }) => [tool, query]))
  const needOf = (ids) => ({ ids, words: words.get(ids.find((id) => words.has(id))) })
  return jsonLines(path.join(LABELLED, 'tasks.jsonl'))
    .filter(({ half }) => half === 'tuning')
    .slice(0, count)
    .map(({ needs, steps }) => [needs, ...steps.map((step) => step.needs)].map((all) => all.map(needOf)))
}

/** Each task in both ways, by turns as to which is first. The first task is played once before, so that neither is measured cold. */
async function playAll(tasks, ways, schemas) {
  const played = { direct: [], routed: [] }
  for (const way of Object.values(ways)) await play(await way(), tasks[0], schemas)
  for (const [at, task] of tasks.entries()) {
    const names = Object.keys(ways)
    for (const name of at % 2 === 0 ? names : names.toReversed())
      played[name].push(await play(await ways[name](), task, schemas))
  }
  return played
}

/** One task: what each phase took, the definitions in each request of the model, and requests of the client. */
async function play(way, messages, schemas) {
  const spent = Object.fromEntries(PHASES.map((phase) => [phase, { wall: 0, cpu: 0 }]))
  const result = { spent, model: [], finds: 0, named: 0, calls: 0 }
  const timed = async (phase, work) => {
    const [from, before] = [performance.now(), process.cpuUsage()]
    const done = await work()
    const { user, system } = process.cpuUsage(before)
    spent[phase].wall += performance.now() - from
    spent[phase].cpu += (user + system) / 1_000
    return done
  }
  await timed('list', way.list)
  for (const needs of messages) {
    for (const isByName of [false, true]) {
      const unmet = needs.filter(({ ids }) => !ids.some(way.has))
      if (unmet.length === 0) continue
      result.model.push(way.definitions())
      result.finds += 1
      result.named += isByName ? 1 : 0
      await timed('find', () => way.find(unmet, isByName))
    }
    for (const { ids } of needs) {
      result.model.push(way.definitions())
      result.calls += 1
      const id = ids.find(way.has)
      const { isError, content } = await timed('call', () => way.call(id, argumentsOf(schemas.get(id))))
      if (isError) throw new Error(`${id}: ${content[0].text}`)
    }
    result.model.push(way.definitions())
  }
  await way.close()
  return { ...result, requests: way.requests() }
}

/** A client for each server. */
function directly(clients) {
  let requests = 0
  let lists = []
  const names = new Set()
  return {
    list: async () => {
      lists = await Promise.all(
        [...clients].map(async ([server, client]) => {
          requests += 1
          const tools = await listTools(client)
          for (const { name } of tools) names.add(`${server}::${name}`)
          return tools
        }),
      )
    },
    has: (id) => names.has(id),
    find: ([{ ids }]) => Promise.reject(new Error(`no server has ${ids.join(' or ')}`)),
    call: (id, args) => {
      requests += 1
      const [server, name] = id.split('::')
      return clients.get(server).callTool({ name, arguments: args })
    },
    definitions: () => lists,
    requests: () => requests,
    close: async () => {},
  }
}

/** A client of the gateway, which lists again when tools were attached. */
async function byGateway(gateway) {
  const [toGateway, toClient] = [new PassThrough(), new PassThrough()]
  // This transport reads and writes lines, so that one of them serves as the client's end too.
  const theirs = new StdioServerTransport(toGateway, toClient)
  await gateway.connect(theirs)
  const client = await connected(new StdioServerTransport(toClient, toGateway))
  const nameOf = (id) => {
    const [serverName, toolName] = id.split('::')
    return gateway.catalogue.providerName({ serverName, toolName })
  }
  let requests = 0
  let tools = []
  let names = new Set()
  const answers = []
  const list = async () => {
    requests += 1
    tools = await listTools(client)
    names = new Set(tools.map(({ name }) => name))
  }
  const call = (name, args) => {
    requests += 1
    return client.callTool({ name, arguments: args })
  }
  return {
    list,
    has: (id) => names.has(nameOf(id)),
    find: async (needs, isByName) => {
      const asked = new Set(needs.map(({ ids, words }) => (isByName ? nameOf(ids[0]) : words)))
      const { content } = await call('mcp_load', { query: [...asked].join(isByName ? ', ' : '\n') })
      answers.push(content[0].text)
      await list()
    },
    call: (id, args) => call(nameOf(id), args),
    definitions: () => [tools, ...answers],
    requests: () => requests,
    close: async () => {
      await client.close()
      await theirs.close()
    },
  }
}

async function connected(transport) {
  const client = new Client(INFO)
  await client.connect(transport)
  return client
}

/** The least that a schema takes: a gateway compares arguments before it passes them on. */
function argumentsOf(schema = {}) {
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  const alternative = schema.anyOf?.[0] ?? schema.oneOf?.[0]
  if (alternative) return argumentsOf(alternative)
  const type = [schema.type].flat()[0]
  if (type === 'integer' || type === 'number') return Math.max(1, schema.minimum ?? 1)
  if (type === 'boolean') return false
  if (type === 'array') return [argumentsOf(schema.items)]
  if (type === 'object' || schema.properties)
    return Object.fromEntries((schema.required ?? []).map((key) => [key, argumentsOf(schema.properties?.[key])]))
  return TEXTS.find((text) => new RegExp(schema.pattern ?? '').test(text)) ?? TEXTS[0]
}

/** Means per task, and how much more the gateway takes. */
async function report(played, router, { 'call-ms': callMs, 'model-ms': modelMs }) {
  const sum = (tasks, of) => tasks.reduce((all, task) => all + of(task), 0)
  const [calls, finds, named] = ['calls', 'finds', 'named'].map((key) => sum(played.routed, (task) => task[key]))
  const count = played.routed.length
  console.log(
    `${count} tasks, ${calls} calls of ${callMs} ms, ${finds} of mcp_load, ${named} of them by name; means per task`,
  )
  const rows = {}
  for (const [way, tasks] of Object.entries(played)) {
    const mean = (of) => sum(tasks, of) / count
    const phases = (of) => PHASES.map((phase) => mean(({ spent }) => spent[phase][of]))
    const [wall, cpu] = [phases('wall'), phases('cpu')]
    const tokens = (await definitionTokens(tasks, router)) / count
    const whole = wall.reduce((all, each) => all + each)
    rows[way] = {
      whole,
      afterList: whole - wall[0],
      cpu: cpu.reduce((all, each) => all + each),
      model: mean(({ model }) => model.length),
      withModel: whole + (tokens / 1_000) * modelMs,
    }
    const each = (all) => all.map((one) => one.toFixed(1)).join(' + ')
    console.log(`${way}: ${each([whole])} ms (${PHASES.join(' + ')}: ${each(wall)})`)
    console.log(
      `  CPU ${each([rows[way].cpu])} ms (${each(cpu)}); ${each([mean(({ requests }) => requests)])} requests of the protocol`,
    )
    console.log(
      `  ${each([rows[way].model])} requests of the model, with ${Math.round(tokens)} tokens of definitions together`,
    )
  }
  const more = (key) => `${(100 * (rows.routed[key] / rows.direct[key] - 1)).toFixed(1)} %`
  console.log(`more by routing: time ${more('whole')}, after the first list ${more('afterList')}, CPU ${more('cpu')}`)
  console.log(`  requests of the model ${more('model')}`)
  if (modelMs > 0) console.log(`  time with ${modelMs} ms per 1,000 tokens of definitions ${more('withModel')}`)
}

/** Tokens of definitions in all requests of the model; one text is counted once. */
async function definitionTokens(tasks, router) {
  const counted = new Map()
  let sum = 0
  for (const part of tasks.flatMap(({ model }) => model.flat())) {
    const text = typeof part === 'string' ? part : JSON.stringify(part)
    if (!counted.has(text)) counted.set(text, await router.countTokens(text))
    sum += counted.get(text)
  }
  return sum
}
