// The strangers: real servers that no data file of the project names, as capture.mjs kept them.

import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

/** Where definitions are kept: outside the repository, because they are others' work. */
export const defaultCache = path.join(os.homedir(), '.cache', 'tool-router-strangers')

/**
 * @typedef {object} Stranger a line of servers.jsonl
 * @property {string} name as a user would call it in a configuration
 * @property {'npm' | 'pypi'} registry
 * @property {string} package
 * @property {string} version
 * @property {string} [bin] the program in the package, where it is not the obvious one
 * @property {string[]} [args]
 * @property {Record<string, string>} env dummy keys and addresses that nothing answers
 */

const SERVERS = path.join(import.meta.dirname, 'servers.jsonl')
/** Thirty more, with tasks by other authors; the chances are set with their tuning half. */
export const OTHERS = path.join(import.meta.dirname, 'others.jsonl')

/** @returns {Stranger[]} */
export function readStrangers(file = SERVERS) {
  return jsonLines(file)
}

/** The file that keeps what a server in its version listed. */
export const capturedFile = (cache, { name, version }) => path.join(cache, 'tools', `${name}@${version}.json`)

/**
 * The captured tools of all strangers, as labelled tools (research/measure/ranking/eval/sets.mjs).
 *
 * @param {string} [cache]
 * @param {string} [servers] the file that names them
 * @returns {import('../ranking/eval/sets.mjs').LabelledTool[]}
 */
export function strangerTools(cache = defaultCache, servers = SERVERS) {
  return readStrangers(servers).flatMap((server) => {
    const file = capturedFile(cache, server)
    if (!fs.existsSync(file)) {
      throw new Error(
        `${server.name} is not captured: run \`node research/measure/strangers/capture.mjs --servers ${servers}\``,
      )
    }
    const { tools } = JSON.parse(fs.readFileSync(file, 'utf8'))
    return tools.map((tool) => ({ ...tool, id: `${server.name}::${tool.name}`, server: server.name }))
  })
}

/** The objects of a file of JSON lines. */
export function jsonLines(file) {
  const lines = fs.readFileSync(file, 'utf8').split('\n')
  return lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line))
}

const LABELLED = path.join(import.meta.dirname, '..', '..', 'labelled', 'strangers')
/** The files of research/labelled/strangers. */
const LABELLED_FILES = ['tasks', 'searches', 'code', 'late']

/** The half of a line: decided by its id alone, so that nobody chooses. */
export function halfOf(id) {
  return createHash('sha256').update(`even ${id}`).digest()[0] % 2 === 0 ? 'tuning' : 'held-out'
}

/** The first label that names a tool which is not there, as text for an error; nothing where all are right. */
export function unknownLabel(labelled, ids) {
  for (const line of Object.values(labelled).flat()) {
    for (const { needs = [] } of [line, ...(line.steps ?? [])]) {
      const unknown = needs.find((need) => !need.some((id) => ids.has(id)))
      if (unknown) return `${line.id}: no server lists one of ${unknown.join(', ')}`
    }
  }
  return undefined
}

/**
 * The labelled lines of one half. Beside other servers, those tools of theirs that beside.json calls as good count as well,
 * unless the text names the stranger.
 *
 * @param {{ half?: 'tuning' | 'held-out', beside?: boolean }} options
 */
export function readLabelled({ half, beside = false } = {}) {
  const equal = beside ? JSON.parse(fs.readFileSync(path.join(import.meta.dirname, 'beside.json'), 'utf8')) : {}
  const widened = (needs, said) => {
    const asGood = (id) => (said.includes(id.split('::')[0]) ? [] : (equal[id] ?? []))
    return needs.map((need) => [...new Set(need.flatMap((id) => [id, ...asGood(id)]))])
  }
  const read = (line) => {
    const said = (line.text ?? line.query).toLowerCase()
    return {
      ...line,
      ...(line.needs && { needs: widened(line.needs, said) }),
      ...(line.steps && { steps: line.steps.map((step) => ({ ...step, needs: widened(step.needs, said) })) }),
    }
  }
  const lines = (name) => jsonLines(path.join(LABELLED, `${name}.jsonl`))
  const ofHalf = (line) => half === undefined || line.half === half
  return Object.fromEntries(LABELLED_FILES.map((name) => [name, lines(name).filter(ofHalf).map(read)]))
}

/** Tasks over the others. */
export const readOthers = (half) =>
  jsonLines(path.join(LABELLED, 'others.jsonl')).filter((task) => half === undefined || task.half === half)

/** Tasks of the held-out half, said again in a language. */
export function saidAgain(language) {
  const tasks = new Map(readLabelled().tasks.map((task) => [task.id, task]))
  const lines = jsonLines(path.join(LABELLED, 'said-again.jsonl')).filter((line) => line.language === language)
  return lines.map((line) => ({ ...tasks.get(line.id), ...line, steps: [] }))
}
