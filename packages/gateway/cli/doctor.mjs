// tool-router-gateway doctor: starts each server of a configuration once and says what works, what does not and why, and what
// the tools cost before and after.

import process from 'node:process'

import { cutLine, posingLines, unknownLine, withheldLine } from '../catalogue/catalogue-lines.mjs'
import { readConfigFile } from '../config/read.mjs'
import { plain } from '../base/errors.mjs'
import { Gateway } from '../gateway/gateway.mjs'
import { openStore } from '../store/store.mjs'
import { withheld } from '../clients/environment.mjs'
import { firstList } from './first-list.mjs'

/** Added to the longest time that a server may take to start: its list of tools comes after that. */
const LIST_MS = 60_000

/**
 * @param {{ config: string, workspace?: string, verbose?: boolean }} values
 * @param {(line: string) => void} print
 * @param {(line: string) => void} say what goes beside the report, with `verbose`
 * @param {(gateway: Gateway) => void} [opened] told of the gateway, for a signal that comes meanwhile
 * @returns {Promise<number>} the exit code: 0 when each server works
 */
export async function runDoctor({ config: file, workspace, verbose }, print, say, opened) {
  const config = readConfigFile(file, workspace === undefined ? {} : { workspace })
  // A list that is kept says nothing of whether its server starts.
  config.settings.listDir = undefined
  const store = await openStore(config.settings)
  const gateway = new Gateway(config, verbose ? say : () => {}, { store, verbose, restarts: false })
  opened?.(gateway)
  const begun = Date.now()
  const took = new Map()
  gateway.catalogue.on('ready', (name) => took.set(name, Date.now() - begun))
  try {
    for (const definition of config.servers.values()) gateway.catalogue.add(definition)
    const longest = Math.max(0, ...[...config.servers.values()].map(({ startMs }) => startMs))
    await gateway.ready({ timeoutMs: longest + LIST_MS })
    return await report(gateway, took, print)
  } finally {
    await gateway.close()
  }
}

async function report(gateway, took, print) {
  const { catalogue, config, router, servers } = gateway
  const { off, notes } = config
  const lines = []
  let before = 0
  for (const { name, state, toolCount, scopedCount, reason } of servers) {
    const entry = catalogue.entries.get(name)
    if (state === 'ready') {
      const tokens = await router.countTokens(JSON.stringify([...entry.tools.values()]))
      before += tokens
      const scope = scopedCount === toolCount ? '' : `, ${number(scopedCount)} in scope`
      const seconds = `${(took.get(name) / 1000).toFixed(1)} s`
      lines.push(['ok', name, `${number(toolCount)} tools${scope}, ${number(tokens)} tokens, ${seconds}`])
    } else lines.push([WORDS[state] ?? 'FAIL', name, reason ?? 'it is still starting'])
  }
  for (const { kind, name, reason } of config.leftOut)
    if (kind !== 'server') lines.push(['LEFT', `${kind} ${name}`, reason])
  for (const name of off) lines.push(['off', name, 'switched off'])
  const width = Math.min(40, Math.max(0, ...lines.map(([, name]) => name.length)))
  for (const [word, name, text] of lines) print(`${word.padEnd(5)} ${plain(name, 128).padEnd(width)}  ${text}`)
  // What somebody has switched off, and is on.
  const wrong = [...catalogue.entries.values()].flatMap(({ definition, unknownNames }) =>
    unknownNames.filter(({ key }) => key !== 'alwaysLoad').map((unknown) => unknownLine(definition.name, unknown)),
  )
  for (const line of wrong) print(`WRONG ${line}`)
  for (const line of posingLines(catalogue.entries.values()).values()) print(`note  ${line}`)
  for (const entry of catalogue.entries.values()) {
    const held = withheldLine({ definition: entry.definition, withheld: new Map() }, entry.withheld)
    for (const line of [cutLine(entry, 'tools', entry.list?.cut), held]) if (line !== undefined) print(`note  ${line}`)
  }
  for (const note of notes) print(`note  ${note}`)
  const { names, servers: lacking } = withheld(config.servers.values(), process.env)
  if (names.length > 0) {
    print(`note  set here, and withheld from ${number(lacking)} of the servers: ${names.join(', ')}`)
    print(`note  a server gets them with "inheritEnv": ${JSON.stringify(names)} in its entry, or in "gateway" for all`)
  }
  const works = lines.filter(([word]) => word === 'ok').length
  const wanted = lines.length - off.size
  const after = await router.countTokens(JSON.stringify(await firstList(gateway)))
  print('')
  print(`${number(works)} of ${number(wanted)} work.`)
  if (works > 0) {
    print(`Tokens of tools in each request: ${number(before)} without the gateway, ${number(after)} with it at first.`)
  }
  return works === wanted && wrong.length + config.unsure.length === 0 ? 0 : 1
}

const WORDS = { login: 'LOGIN', 'left-out': 'LEFT' }
const number = (value) => value.toLocaleString('en-US')
