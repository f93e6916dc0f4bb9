// The tables of a shared store, which are made and changed here alone, one gateway at a time.

import { readFileSync } from 'node:fs'

import { commandLine } from '../../base/command-line.mjs'
import { StoreAway } from '../away.mjs'

/** Of the lock that one gateway holds while it changes tables: any number that nothing else in a database uses. */
const LOCK = 7_316_402_113
/** PostgreSQL 15. */
const MIN_SERVER = 150_000

/** SQL by version, from 1. What has been published is never edited, only followed by more. */
const MIGRATIONS = [readFileSync(new URL('schema.sql', import.meta.url), 'utf8')]

/**
 * Brings the tables to the version that this gateway knows.
 *
 * @param {(text: string, values?: unknown[]) => Promise<{ rows: any[] }>} query of one connection, in a transaction
 */
export async function migrate(query) {
  const { rows: server } = await query(
    `select current_setting('server_version_num')::int as version, to_regclass('tool_router.migrations') is not null as made`,
  )
  const [{ version, made }] = server
  if (version < MIN_SERVER)
    throw new StoreAway(`the database is PostgreSQL ${Math.floor(version / 10_000)}; 15 or later is needed`)
  // Who may only use the tables is not asked to make them.
  const found = made ? await versionOf(query) : 0
  if (found === MIGRATIONS.length) return
  if (!(await mayChange(query)))
    throw new StoreAway(
      `the tables of the database have version ${found} of ${MIGRATIONS.length}, and this user may not change them; whoever ` +
        `owns them runs: ${commandLine(['prepare-store'])}`,
    )
  await query('select pg_advisory_xact_lock($1)', [LOCK])
  await query('create schema if not exists tool_router')
  await query(`create table if not exists tool_router.migrations (
    version integer primary key, applied_at timestamptz not null default now())`)
  for (let next = (await versionOf(query)) + 1; next <= MIGRATIONS.length; next++) {
    await query(MIGRATIONS[next - 1])
    await query('insert into tool_router.migrations (version) values ($1)', [next])
  }
}

/** Whether the user owns the schema, or may make it. */
async function mayChange(query) {
  const { rows } = await query(
    `select coalesce(pg_has_role(current_user, (select nspowner from pg_namespace where nspname = 'tool_router'), 'usage'),
       has_database_privilege(current_database(), 'create')) as may`,
  )
  return rows[0].may
}

/** @param {(text: string) => Promise<{ rows: any[] }>} query @returns {Promise<number>} */
export async function versionOf(query) {
  const { rows } = await query('select coalesce(max(version), 0) as version from tool_router.migrations')
  const [{ version }] = rows
  if (version > MIGRATIONS.length)
    throw new StoreAway(
      `the tables of the database have version ${version}, and this gateway knows ${MIGRATIONS.length}; upgrade the gateway`,
    )
  return version
}

/**
 * Lets a user who owns nothing use the tables, and change none of them.
 *
 * @param {(text: string, values?: unknown[]) => Promise<{ rows: any[] }>} query of one connection, in a transaction
 * @param {string} role
 * @returns {Promise<number>} the version of the tables
 */
export async function grant(query, role) {
  const { rows } = await query(
    `select format(text, $1::text) as text from unnest(array[
       'grant usage on schema tool_router to %I',
       'grant select, insert, update, delete on all tables in schema tool_router to %I',
       'revoke insert, update, delete on tool_router.migrations from %I']) as text`,
    [role],
  )
  for (const { text } of rows) await query(text)
  return versionOf(query)
}
