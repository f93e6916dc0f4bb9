// Labelled sets: tools, requests, and which tools each request needs. Everything is checked when it is read, so that a
// wrong label is an error and not a bad figure.

import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

/** Name of the set that belongs to the project: requests of ours, tools taken live. */
export const OWN = 'own'
const ownFolder = path.join(import.meta.dirname, '..', '..', '..', 'labelled')

/** Digits of a set's hash that are shown: enough to tell versions apart. */
const HASH_DIGITS = 12

/** What is wrong with the caller's input; the message says where, and what to do. */
export class SetError extends Error {
  name = 'SetError'
}

/**
 * @typedef {object} LabelledTool
 * @property {string} id unique in its set, `server::name` by custom
 * @property {string} server may be empty
 * @property {string} name
 * @property {string} [title]
 * @property {string} [description]
 * @property {object} [inputSchema]
 * @property {object} [annotations]
 *
 * @typedef {object} Request
 * @property {string} id
 * @property {string} query
 * @property {string} kind `all` when the set has no kinds
 * @property {string[]} gold ids of the needed tools; empty when no tool is needed
 * @property {Record<string, string[]>} [alts] by id of a needed tool, those that are as good
 *
 * @typedef {object} LabelledSet
 * @property {string} name
 * @property {string} hash of the files of the set, its sessions too
 * @property {LabelledTool[]} tools
 * @property {Request[]} requests
 */

/**
 * Reads the sets that the caller named: `own`, the folder of a set, or a folder of such folders.
 *
 * @param {string[]} sources
 * @param {(line: string) => void} say
 * @returns {Promise<LabelledSet[]>}
 * @throws {SetError}
 */
export async function readSets(sources, say) {
  const sets = []
  for (const source of sources) {
    if (source === OWN) sets.push(await readOwn(say))
    else for (const folder of setFolders(source, say)) sets.push(readFolder(folder))
  }
  const names = sets.map(({ name }) => name)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw new SetError(`two sets are named ${twice}; rename one of the folders`)
  for (const { name, tools, requests } of sets) say(`set ${name}: ${tools.length} tools, ${requests.length} requests`)
  return sets
}

function setFolders(source, say) {
  const has = (folder, file) => fs.existsSync(path.join(folder, file))
  if (!fs.statSync(source, { throwIfNoEntry: false })?.isDirectory()) {
    throw new SetError(`${source}: expected "${OWN}" or a folder with labelled sets, and there is no such folder`)
  }
  const isSet = (folder) => has(folder, 'tools.jsonl') && has(folder, 'queries.jsonl')
  if (isSet(source)) return [source]
  const inside = fs
    .readdirSync(source)
    .sort()
    .map((name) => path.join(source, name))
  const found = inside.filter(isSet)
  for (const folder of inside) {
    if (!found.includes(folder) && has(folder, 'tools.jsonl'))
      say(`skipped ${path.basename(folder)}: it has no queries.jsonl`)
  }
  if (found.length === 0) {
    throw new SetError(
      `${source}: expected tools.jsonl and queries.jsonl, here or in sub-folders, and found neither; see research/labelled/README.md for their format`,
    )
  }
  return found
}

function readFolder(folder) {
  const tools = readLines(folder, 'tools.jsonl').map(({ value, where }) => checkedTool(value, where))
  const bytes = ['tools.jsonl', 'queries.jsonl', 'sessions.jsonl'].map((file) => readIfThere(path.join(folder, file)))
  return labelled(path.basename(path.resolve(folder)), hashOf(bytes), tools, folder)
}

/** Our own requests, over the tools that the servers of examples/servers list now. */
async function readOwn(say) {
  const { readDefinitions, RunningServers } = await import('../../../../examples/demo/servers.mjs')
  const running = new RunningServers()
  const tools = []
  try {
    await running.startAll(readDefinitions(), ({ name, tools: listed, reason }) => {
      if (reason !== undefined)
        throw new SetError(`the server ${name} did not start (${reason}); run \`npm run setup\``)
      say(`${name}: ${listed.length} tools`)
      tools.push(
        ...withoutFolder(listed, running.folder).map((tool) => ({
          ...tool,
          id: `${name}::${tool.name}`,
          server: name,
        })),
      )
    })
  } finally {
    await running.close()
  }
  const files = ['queries.jsonl', 'sessions.jsonl'].map((file) => readIfThere(path.join(ownFolder, file)))
  const listed = tools.map(({ id, title, description, inputSchema }) =>
    JSON.stringify([id, title, description, inputSchema]),
  )
  return labelled(OWN, hashOf([...listed, ...files]), tools, ownFolder)
}

/** Some servers describe tools with the folder that they were started in, which has another name every time. */
function withoutFolder(tools, folder) {
  return JSON.parse(JSON.stringify(tools).replaceAll(JSON.stringify(folder).slice(1, -1), '/srv'))
}

function labelled(name, hash, tools, folder) {
  const ids = new Set()
  for (const { id } of tools) {
    if (ids.has(id)) throw new SetError(`set ${name}: two tools have the id ${id}; ids must be unique`)
    ids.add(id)
  }
  const requests = readLines(folder, 'queries.jsonl').map(({ value, where }) => checkedRequest(value, ids, where))
  return { name, hash, tools, requests }
}

// --- lines and their fields ------------------------------------------------------------------

function readIfThere(file) {
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : ''
}

function hashOf(texts) {
  const hash = createHash('sha256')
  for (const text of texts) hash.update(text).update('\0')
  return hash.digest('hex').slice(0, HASH_DIGITS)
}

/** The objects of a file of JSON lines; none when there is no such file. */
function readLines(folder, file) {
  return readIfThere(path.join(folder, file))
    .split('\n')
    .flatMap((line, at) => {
      if (line.trim() === '') return []
      const where = `${path.join(folder, file)}, line ${at + 1}`
      try {
        return [{ value: JSON.parse(line), where }]
      } catch (error) {
        throw new SetError(`${where}: expected a JSON object, got what cannot be read (${error.message})`)
      }
    })
}

function expectText(value, field, where) {
  if (typeof value !== 'string')
    throw new SetError(`${where}: ${field}: expected text, got ${JSON.stringify(value) ?? 'nothing'}`)
}

function expectIds(value, field, ids, where) {
  if (!Array.isArray(value))
    throw new SetError(`${where}: ${field}: expected a list of tool ids, got ${JSON.stringify(value) ?? 'nothing'}`)
  const unknown = value.find((id) => !ids.has(id))
  if (unknown !== undefined)
    throw new SetError(`${where}: ${field}: ${JSON.stringify(unknown)} is not the id of a tool of this set`)
}

function checkedTool(tool, where) {
  for (const field of ['id', 'name']) expectText(tool[field], field, where)
  return { ...tool, server: tool.server ?? '' }
}

function checkedRequest(request, ids, where) {
  for (const field of ['id', 'query']) expectText(request[field], field, where)
  expectIds(request.gold, 'gold', ids, where)
  for (const [id, others] of Object.entries(request.alts ?? {})) expectIds([id, ...others], 'alts', ids, where)
  return { ...request, kind: request.kind ?? 'all' }
}
