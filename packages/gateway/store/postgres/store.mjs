// A store in PostgreSQL, which several gateways share. What one of them changes the others are told.

import { createHash, randomUUID } from 'node:crypto'

import { parse, stringify } from '@zoo-code/tool-router/exact-json'

import { passedExtensions } from '../../base/extensions.mjs'
import { StoreRefusal } from '../away.mjs'
import { identityOf } from '../identity.mjs'
import { PostgresCalls } from './calls.mjs'
import { Database, tell } from './database.mjs'
import { PostgresKeys } from './keys.mjs'
import { PostgresLoaded } from './loaded.mjs'
import { grant, versionOf } from './migrations.mjs'

/** Bytes of one list: what is larger is not read, as in files. */
const MAX_LIST_BYTES = 64 * 1024 * 1024
/** Columns of an approval, without its names. */
const OF_APPROVALS = ['accepted', 'changed'].flatMap((kind) => [`${kind}_hash`, `${kind}_definition`])

/**
 * @typedef {import('../store.mjs').Store} Store
 * @typedef {import('../store.mjs').ServerDefinition} ServerDefinition
 * @typedef {import('./database.mjs').Query} Query
 * @typedef {import('./database.mjs').Driver} Driver
 */

/** @implements {Store} */
export class PostgresStore {
  isShared = true
  /** Tells what this gateway has told itself from what others tell. */
  #id = randomUUID()
  #database
  #keepsLists
  /** Lists that wait until the database is back, by identity. */
  #waiting = new Map()
  /** Those that watch, by identity: approvals. */
  #watchers = new Map()
  #listWatchers = new Set()
  /** Those of profiles, which ask over the same connections. @type {Set<PostgresStore>} */
  #views = new Set()
  #of
  #connections

  /**
   * @param {Driver} pg
   * @param {import('../../config/address.mjs').StoreAddress} address
   * @param {{ keepsLists?: boolean, log?: (line: string) => void, servers?: () => string[], profile?: string, of?: PostgresStore }} [options]
   * `servers`: names of those that alone are read and written; `profile`: what is served, if not all; `of`: whose connections
   * are asked
   */
  constructor(pg, address, { keepsLists = true, log = () => {}, servers, profile, of } = {}) {
    this.#keepsLists = keepsLists
    const rights = () => servers?.().map(escaped)
    this.#of = of
    if (of) of.#views.add(this)
    const [hear, back] = [(payload) => this.#heard(payload), () => this.#back()]
    this.#connections = of ? of.#connections : new Database(pg, address, { log, hear, back, rights, profile })
    this.#database = of ? this.#connections.limited({ rights, profile }) : this.#connections
    /** @type {Store['of']} over the same connections */
    this.of = (limits) => new PostgresStore(pg, address, { ...limits, keepsLists, of: this })
    this.keys = new PostgresKeys(this.#database)
    this.calls = new PostgresCalls(this.#database, { escaped, unescaped }, profile)
    this.loaded = new PostgresLoaded(this.#database, profile)
  }

  /** Why the database cannot be reached; undefined while it can. */
  get away() {
    return this.#database.away
  }

  /** Makes the tables, or brings them to this version, and lets a user use them. @param {string} [role] @returns {Promise<number>} */
  prepare(role) {
    return this.#database.transaction((query) => (role === undefined ? versionOf(query) : grant(query, role)))
  }

  /** Hears what other gateways change. */
  listen() {
    return this.#connections.listen()
  }

  /** @param {ServerDefinition} definition */
  async readList(definition) {
    const identity = identityOf(definition)
    const waiting = this.#waiting.get(identity)
    if (waiting !== undefined) return waiting.list
    if (!this.#keepsLists) return undefined
    try {
      return await this.#database.transaction((query) => readList(query, identity))
    } catch {
      return undefined
    }
  }

  /** @param {ServerDefinition} definition @param {import('../store.mjs').ServerList} list */
  async writeList(definition, list) {
    if (!this.#keepsLists) return
    const identity = identityOf(definition)
    this.#waiting.set(identity, { definition, list })
    try {
      await this.#database.transaction((query) => this.#writeList(query, { definition, list }))
      this.#isKept(identity, list)
    } catch (error) {
      // Otherwise it waits for the database.
      if (error instanceof StoreRefusal) this.#isKept(identity, list)
    }
  }

  /** Unless a newer one waits by now. */
  #isKept(identity, list) {
    if (this.#waiting.get(identity)?.list === list) this.#waiting.delete(identity)
  }

  /** @param {Query} query */
  async #writeList(query, { definition, list }) {
    const identity = identityOf(definition)
    const { tools, instructions, extensions } = list
    const texts = tools.map((tool) => stringify(tool))
    const digest = createHash('sha256')
      .update(JSON.stringify([instructions ?? null, texts, ...(extensions === undefined ? [] : [extensions])]))
      .digest('base64url')
    const said = instructions === undefined ? null : escaped(instructions)
    const { rowCount } = await query(
      `insert into tool_router.catalogues as c (identity, server, instructions, digest, extensions)
       values ($1, $2, $3, $4, $5::json) on conflict (identity) do update
       set instructions = $3, digest = $4, extensions = $5::json, updated_at = now() where c.digest <> $4`,
      [identity, escaped(definition.name), said, digest, extensions === undefined ? null : JSON.stringify(extensions)],
    )
    if (rowCount === 0) return
    await query('delete from tool_router.catalogue_tools where identity = $1', [identity])
    await query(
      `insert into tool_router.catalogue_tools (identity, position, server, tool, definition)
       select $1, position, $2, tool, definition::json
       from unnest($3::text[], $4::text[]) with ordinality as t (tool, definition, position)`,
      [identity, escaped(definition.name), tools.map(({ name }) => escaped(String(name ?? ''))), texts],
    )
    await this.#tell(query, 'list', identity)
  }

  /** @param {ServerDefinition} definition */
  readApprovals(definition) {
    return this.#database.transaction((query) => readApprovals(query, identityOf(definition)))
  }

  /**
   * @template R
   * @param {ServerDefinition} definition
   * @param {(before: import('../store.mjs').Approved) => { after: import('../store.mjs').Approved, result: R }} change
   */
  changeApprovals(definition, change) {
    const identity = identityOf(definition)
    return this.#database.transaction(async (query) => {
      // One gateway at a time, also where nothing stands yet.
      await query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`tool_router approvals ${identity}`])
      const before = await readApprovals(query, identity)
      const [accepted, changed] = [new Map(before.accepted), new Map(before.changed)]
      const { after, result } = change(before)
      const isTold = await writeApprovals(query, definition, { accepted, changed }, after)
      if (isTold) await this.#tell(query, 'approvals', identity)
      return result
    })
  }

  /** @param {ServerDefinition} definition @param {() => void} told */
  async watchApprovals(definition, told) {
    const identity = identityOf(definition)
    const watchers = this.#watchers.get(identity) ?? new Set()
    this.#watchers.set(identity, watchers)
    watchers.add(told)
    return () => {
      watchers.delete(told)
      if (watchers.size === 0 && this.#watchers.get(identity) === watchers) this.#watchers.delete(identity)
    }
  }

  /** @param {(identity?: string) => void} told */
  watchLists(told) {
    this.#listWatchers.add(told)
    return () => this.#listWatchers.delete(told)
  }

  /** @param {Query} query */
  #tell(query, kind, identity) {
    return tell(query, `${this.#id} ${kind} ${identity}`)
  }

  #heard(payload) {
    for (const view of [...this.#views]) view.#heard(payload)
    const [by, kind, identity] = payload.split(' ')
    if (by === this.#id) return
    if (kind === 'keys') this.keys.heard()
    if (kind === 'list') for (const told of [...this.#listWatchers]) told(identity)
    if (kind === 'approvals') for (const told of [...(this.#watchers.get(identity) ?? [])]) told()
  }

  /** What waited is kept, and then everybody looks: what others told meanwhile was not heard. */
  async #back() {
    for (const { definition, list } of [...this.#waiting.values()]) await this.writeList(definition, list)
    this.keys.heard()
    await this.calls.flush()
    for (const view of [...this.#views]) await view.#back()
    for (const told of [...this.#listWatchers]) told()
    for (const watchers of [...this.#watchers.values()]) for (const told of [...watchers]) told()
  }

  async close() {
    await this.calls.flush()
    if (this.#of) this.#of.#views.delete(this)
    else await this.#connections.close()
  }
}

/** @param {Query} query */
async function readList(query, identity) {
  const { rows } = await query(
    `select c.instructions, c.extensions::text, (select sum(octet_length(t.definition::text)) from tool_router.catalogue_tools t
     where t.identity = c.identity) as bytes from tool_router.catalogues c where c.identity = $1`,
    [identity],
  )
  const [catalogue] = rows
  if (catalogue === undefined || Number(catalogue.bytes ?? 0) > MAX_LIST_BYTES) return undefined
  const { rows: tools } = await query(
    'select definition::text from tool_router.catalogue_tools where identity = $1 order by position',
    [identity],
  )
  const extensions = catalogue.extensions === null ? undefined : passedExtensions(JSON.parse(catalogue.extensions))
  return {
    tools: tools.map(({ definition }) => parse(definition)),
    instructions: catalogue.instructions === null ? undefined : unescaped(catalogue.instructions),
    ...(extensions && { extensions }),
  }
}

/** @param {Query} query */
async function readApprovals(query, identity) {
  const { rows } = await query(
    `select tool, ${OF_APPROVALS.join(', ')} from tool_router.approvals where identity = $1 order by position`,
    [identity],
  )
  const seen = (kind) =>
    new Map(
      rows
        .filter((row) => row[`${kind}_hash`] !== null)
        .map((row) => [
          unescaped(row.tool),
          { hash: row[`${kind}_hash`], definition: row[`${kind}_definition`] ?? '' },
        ]),
    )
  return { accepted: seen('accepted'), changed: seen('changed') }
}

/**
 * Writes the rows that differ.
 *
 * @param {Query} query
 * @returns {Promise<boolean>} whether something else is accepted now, or waits no more: a gateway whose server differs says
 * again that it waits. What only waits is told to nobody, since two such gateways would tell each other for ever.
 */
async function writeApprovals(query, definition, before, after) {
  const names = new Set([before, after].flatMap(({ accepted, changed }) => [...accepted.keys(), ...changed.keys()]))
  const rowOf = ({ accepted, changed }, name) => {
    const [is, waits] = [accepted.get(name), changed.get(name)]
    // A definition is JSON, which a column takes as it is.
    const textsOf = (seen) => [seen?.hash, seen?.definition]
    return [...textsOf(is), ...textsOf(waits)].map((text) => text ?? null)
  }
  const textOf = (approved, name) => JSON.stringify(rowOf(approved, name))
  const differing = [...names].filter((name) => textOf(before, name) !== textOf(after, name))
  if (differing.length === 0) return false
  const rows = differing.map((name) => rowOf(after, name))
  const column = (at) => rows.map((row) => row[at])
  await query(
    `insert into tool_router.approvals
       (identity, server, tool, ${OF_APPROVALS.join(', ')})
     select $1, $2, * from unnest($3::text[], ${OF_APPROVALS.map((_, at) => `$${at + 4}::text[]`).join(', ')})
     on conflict (identity, tool) do update set
       ${OF_APPROVALS.map((name) => `${name} = excluded.${name}`).join(', ')}, updated_at = now()`,
    [
      identityOf(definition),
      escaped(definition.name),
      differing.map(escaped),
      ...OF_APPROVALS.map((_, at) => column(at)),
    ],
  )
  const isDropped = (name) => before.changed.has(name) && !after.changed.has(name)
  return differing.some((name) => before.accepted.get(name)?.hash !== after.accepted.get(name)?.hash || isDropped(name))
}

/** Any text as a column takes it: without NUL and without half characters. */
function escaped(text) {
  return JSON.stringify(text).slice(1, -1)
}

function unescaped(text) {
  return JSON.parse(`"${text}"`)
}
