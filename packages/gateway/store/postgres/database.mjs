// The connections to a database: a few for questions and one that hears what other gateways tell. When it is gone they
// come back by themselves.

import { setTimeout as pause } from 'node:timers/promises'

import { inWords, StoreAway } from '../away.mjs'
import { migrate } from './migrations.mjs'

/** Connections of one gateway for its questions: they are short, and a database has a hundred for all. */
const CONNECTIONS = 4
/** How long a connection may take to be made, and one question to be answered. */
const CONNECT_MS = 10_000
const ANSWER_MS = 30_000
/** How often it is asked whether the connection that hears still does: a network that breaks says nothing. */
const PING_MS = 5_000
/** Pauses between two tries to reach a database that is gone. */
const FIRST_PAUSE_MS = 100
const LAST_PAUSE_MS = 1_000
const CHANNEL = 'tool_router'
/** Row-level security, which holds each profile to its servers, does nothing for such a user. */
const UNBOUND = 'select current_user as name from pg_roles where rolname = current_user and (rolsuper or rolbypassrls)'
/** What one transaction may see of the tables. */
const UNLIMITED = `set tool_router.rights = '*'`
const LIMITS = `select set_config('tool_router.rights', $1, true), set_config('tool_router.profile', $2, true)`

/**
 * @typedef {(text: string, values?: unknown[]) => Promise<{ rows: any[], rowCount: number | null }>} Query
 * @typedef {Pick<typeof import('pg'), 'Pool' | 'Client'>} Driver
 * @typedef {Pick<Database, 'query' | 'transaction' | 'away'>} Asked what asks the database
 */

export class Database {
  #pg
  #address
  #pool
  /** @type {Promise<void> | undefined} */
  #migrated
  /** @type {import('pg').Client | undefined} */
  #ear
  #hooks
  /** @type {StoreAway | undefined} */
  #away
  #listens = false
  #warned = false
  #refusals = new Set()
  #closed = false
  #ping

  /**
   * @param {Driver} pg
   * @param {import('../../config/address.mjs').StoreAddress} address
   * @param {{ log: (line: string) => void, hear: (payload: string) => void, back: () => Promise<void>,
   * rights: () => string[] | undefined, profile?: string }} hooks `hear` gets what other gateways tell; `back` is called when
   * the database is there again, or later than the gateway; `rights`: servers of which rows may be read and written, all when
   * undefined; `profile`: the profile whose sessions may be
   */
  constructor(pg, address, hooks) {
    this.#pg = pg
    this.#address = address
    this.#hooks = hooks
    // A gateway of some servers says in each transaction which.
    const onConnect = async (client) => this.#hooks.rights() ?? client.query(UNLIMITED)
    this.#pool = new pg.Pool({ ...this.#options(), max: CONNECTIONS, allowExitOnIdle: true, onConnect })
    // A connection that ends while nobody uses it; who asks next gets another.
    this.#pool.on('error', () => {})
    // One that ends between two questions of its user, who learns it by the next.
    this.#pool.on('connect', (client) => client.on('error', () => {}))
  }

  #options() {
    return {
      connectionString: this.#address.whole,
      application_name: 'zoo-tool-router',
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: ANSWER_MS,
      keepAlive: true,
    }
  }

  /** Why it cannot be reached; undefined while it can, as far as is known. */
  get away() {
    return this.#away?.message
  }

  /** Hears what other gateways tell, from now on or from when the database is there. */
  async listen() {
    this.#listens = true
    await Promise.all([this.#listen(), this.#made()]).catch((error) => this.#lost(error))
  }

  /** @type {Query} */
  query = (text, values) => this.transaction((query) => query(text, values))

  /**
   * Does several things or none of them.
   *
   * @template R
   * @param {(query: Query) => Promise<R>} work
   * @returns {Promise<R>}
   * @throws {StoreAway} when the database is out of reach, which is known without another try
   * @throws {import('../away.mjs').StoreRefusal} when it does not take something; otherwise what `work` throws
   */
  async transaction(work) {
    return this.#transaction(work)
  }

  async #transaction(work, rights, profile) {
    if (this.#away !== undefined) throw this.#away
    await this.#made().catch((error) => {
      throw this.#lost(error)
    })
    return this.#inTransaction(work, rights, profile)
  }

  /**
   * The same connections for who may see less.
   *
   * @param {{ rights: () => string[], profile: string }} limits see the constructor
   * @returns {Asked}
   */
  limited({ rights, profile }) {
    const whole = this
    /** @type {Asked['transaction']} */
    const transaction = (work) => this.#transaction(work, rights(), profile)
    return {
      get away() {
        return whole.away
      },
      transaction,
      query: (text, values) => transaction((query) => query(text, values)),
    }
  }

  /** The tables, as this gateway knows them. */
  #made() {
    this.#migrated ??= this.#inTransaction(async (query) => {
      await this.#warnOfUnbound(query)
      await migrate(query)
    }).catch((error) => {
      this.#migrated = undefined
      throw error
    })
    return this.#migrated
  }

  /** @param {Query} query */
  async #warnOfUnbound(query) {
    const [unbound] = (await query(UNBOUND)).rows
    if (unbound === undefined || this.#warned) return
    this.#warned = true
    this.#hooks.log(
      `the user ${JSON.stringify(unbound.name)} of the database at ${this.#address} is a superuser or has BYPASSRLS: row-level security ` +
        'does not hold profiles to their servers; give the gateway a role with NOSUPERUSER NOBYPASSRLS that owns its database',
    )
  }

  async #inTransaction(work, rights = this.#hooks.rights(), profile = this.#hooks.profile) {
    const client = await this.#pool.connect().catch((error) => {
      throw this.#lost(error)
    })
    let failure
    /** @type {Query} */
    const query = (text, values) =>
      client.query(text, values).catch((error) => {
        failure = error
        throw this.#lost(error)
      })
    try {
      await query('begin')
      if (rights) await query(LIMITS, [JSON.stringify(rights), profile ?? ''])
      const result = await work(query)
      await query('commit')
      client.release()
      return result
    } catch (error) {
      if (failure === undefined) await client.query('rollback').catch((other) => (failure = other))
      // What failed once is not used again: nobody knows in which state it is.
      client.release(failure !== undefined)
      throw error
    }
  }

  /** @returns {Error} in words; from now on it is tried to get the database back */
  #lost(error) {
    const told = inWords(this.#address, error)
    if (this.#closed) return told
    if (!(told instanceof StoreAway)) {
      if (!this.#refusals.has(told.message)) this.#hooks.log(told.message)
      this.#refusals.add(told.message)
    } else if (this.#away === undefined) {
      this.#away = told
      this.#hooks.log(`${told.message}; what is known is served, and changes wait`)
      void this.#return()
    }
    return told
  }

  async #return() {
    for (let waitMs = FIRST_PAUSE_MS; !this.#closed; waitMs = Math.min(LAST_PAUSE_MS, waitMs * 2)) {
      await pause(waitMs, undefined, { ref: false })
      try {
        if (this.#listens) await this.#listen()
        await this.#pool.query('select 1')
        await this.#made()
        break
      } catch {
        // The next try comes after the next pause.
      }
    }
    if (this.#closed) return
    this.#away = undefined
    this.#hooks.log(`the database at ${this.#address} is back`)
    await this.#hooks.back().catch(() => {})
  }

  async #listen() {
    this.#deafen()
    const ear = new this.#pg.Client(this.#options())
    const gone = (error) => {
      if (this.#ear !== ear) return
      this.#deafen()
      this.#lost(error ?? new Error('ended'))
    }
    ear.on('error', gone)
    ear.on('end', gone)
    ear.on('notification', ({ payload }) => this.#hooks.hear(payload ?? ''))
    try {
      await ear.connect()
      await ear.query(`listen ${CHANNEL}`)
    } catch (error) {
      void ear.end().catch(() => {})
      throw error
    }
    if (this.#closed) return void ear.end().catch(() => {})
    this.#ear = ear
    // A gateway that has nothing else to do ends.
    streamOf(ear)?.unref()
    this.#ping = setInterval(() => void ear.query('select 1').catch(gone), PING_MS)
    this.#ping.unref()
  }

  #deafen() {
    clearInterval(this.#ping)
    const ear = this.#ear
    this.#ear = undefined
    void ear?.end().catch(() => {})
  }

  async close() {
    if (this.#closed) return
    this.#closed = true
    this.#deafen()
    await this.#pool.end().catch(() => {})
  }
}

/** Tells other gateways when the transaction is done. @param {Query} query */
export async function tell(query, payload) {
  await query('select pg_notify($1, $2)', [CHANNEL, payload])
}

/** The socket of a connection, which the driver has no public name for. */
function streamOf(client) {
  return /** @type {{ connection?: { stream?: import('node:net').Socket } }} */ (client).connection?.stream
}
