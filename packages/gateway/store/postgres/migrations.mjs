// The tables of a shared store. They are made and changed here alone, one gateway at a time; what stands below is never
// edited, only followed by more.

import { StoreAway } from '../away.mjs'

/** Of the lock that one gateway holds while it changes tables: any number that nothing else in a database uses. */
const LOCK = 7_316_402_113
/** PostgreSQL 15. */
const LEAST_SERVER = 150_000

/** SQL by version, from 1. Names of tools are text of JSON without its quotes: a name may hold what no column takes. */
const MIGRATIONS = [
  `
  create table tool_router.catalogues (
    identity text primary key,
    server text not null,
    instructions text,
    digest text not null,
    updated_at timestamptz not null default now()
  );
  create table tool_router.catalogue_tools (
    identity text not null references tool_router.catalogues on delete cascade,
    position integer not null,
    server text not null,
    tool text not null,
    definition json not null,
    primary key (identity, position)
  );
  create table tool_router.approvals (
    identity text not null,
    position bigint generated always as identity,
    server text not null,
    tool text not null,
    accepted_hash text,
    accepted_description text,
    changed_hash text,
    changed_description text,
    updated_at timestamptz not null default now(),
    primary key (identity, tool)
  );
  `,
  `
  create table tool_router.keys (
    name text primary key,
    hash text not null unique,
    profile text,
    created_at timestamptz not null default now(),
    expires_at timestamptz,
    revoked_at timestamptz,
    used_on date
  );
  create function tool_router.has_all_rights() returns boolean language sql stable as
    $$ select coalesce(current_setting('tool_router.rights', true), '') = '' $$;
  create function tool_router.has_right_to(server text) returns boolean language sql stable as
    $$ select tool_router.has_all_rights() or current_setting('tool_router.rights', true)::jsonb ? server $$;
  alter table tool_router.catalogues enable row level security, force row level security;
  alter table tool_router.catalogue_tools enable row level security, force row level security;
  alter table tool_router.approvals enable row level security, force row level security;
  alter table tool_router.keys enable row level security, force row level security;
  create policy rights on tool_router.catalogues using (tool_router.has_right_to(server));
  create policy rights on tool_router.catalogue_tools using (tool_router.has_right_to(server));
  create policy rights on tool_router.approvals using (tool_router.has_right_to(server));
  create policy rights on tool_router.keys using (tool_router.has_all_rights());
  `,
  `
  create table tool_router.calls (
    at timestamptz not null,
    profile text,
    client text not null,
    server text not null,
    tool text not null,
    outcome text not null,
    ms integer not null,
    sent bigint not null,
    received bigint not null
  );
  create index calls_at on tool_router.calls (at);
  alter table tool_router.calls enable row level security, force row level security;
  create policy rights on tool_router.calls using (tool_router.has_right_to(server));
  `,
  `
  alter table tool_router.catalogues add column extensions json;
  create table tool_router.sessions (
    id uuid primary key,
    profile text,
    state json not null,
    version bigint not null default 1,
    listener uuid,
    created_at timestamptz not null default now(),
    used_at timestamptz not null default now()
  );
  create index sessions_used_at on tool_router.sessions (used_at);
  create unlogged table tool_router.session_messages (
    id bigint generated always as identity primary key,
    session uuid not null references tool_router.sessions on delete cascade,
    profile text,
    replica uuid not null,
    message json not null,
    at timestamptz not null default now()
  );
  create index session_messages_replica on tool_router.session_messages (replica);
  create index session_messages_session on tool_router.session_messages (session);
  create function tool_router.serves(profile text) returns boolean language sql stable as
    $$ select tool_router.has_all_rights() or profile = current_setting('tool_router.profile', true) $$;
  alter table tool_router.sessions enable row level security, force row level security;
  alter table tool_router.session_messages enable row level security, force row level security;
  create policy rights on tool_router.sessions using (tool_router.serves(profile));
  create policy rights on tool_router.session_messages using (tool_router.serves(profile));
  `,
  `
  create table tool_router.leases (
    identity text primary key,
    server text not null,
    holder uuid not null,
    capabilities json,
    expires_at timestamptz not null
  );
  create unlogged table tool_router.server_calls (
    id uuid primary key,
    identity text not null,
    server text not null,
    asker uuid not null,
    request json not null,
    taken_by uuid,
    outcome json,
    at timestamptz not null default now()
  );
  create index server_calls_waiting on tool_router.server_calls (identity, at) where taken_by is null;
  create index server_calls_asker on tool_router.server_calls (asker);
  alter table tool_router.leases enable row level security, force row level security;
  alter table tool_router.server_calls enable row level security, force row level security;
  create policy rights on tool_router.leases using (tool_router.has_right_to(server));
  create policy rights on tool_router.server_calls using (tool_router.has_right_to(server));
  `,
  `
  create table tool_router.vectors (
    key bytea not null,
    server text not null,
    numbers bytea not null,
    used_on date not null default current_date,
    primary key (key, server)
  );
  create index vectors_used_on on tool_router.vectors (used_on);
  alter table tool_router.vectors enable row level security, force row level security;
  create policy rights on tool_router.vectors using (tool_router.has_right_to(server));
  `,
  // Gateways themselves have leases too, without a server, and are called by those of the same profile.
  `
  alter table tool_router.leases add column profile text;
  alter table tool_router.server_calls add column profile text;
  drop policy rights on tool_router.leases;
  drop policy rights on tool_router.server_calls;
  create policy rights on tool_router.leases using
    (case when server = '' then tool_router.serves(profile) else tool_router.has_right_to(server) end);
  create policy rights on tool_router.server_calls using
    (case when server = '' then tool_router.serves(profile) else tool_router.has_right_to(server) end);
  `,
  `
  create table tool_router.uses (
    identity text not null,
    server text not null,
    tool text not null,
    definition text not null,
    count bigint not null,
    used_on date not null default current_date,
    primary key (identity, tool, definition)
  );
  alter table tool_router.uses enable row level security, force row level security;
  create policy rights on tool_router.uses using (tool_router.has_right_to(server));
  `,
  `
  create table tool_router.registry (
    server text primary key,
    start text not null,
    said json not null,
    changed_at timestamptz not null default now()
  );
  alter table tool_router.registry enable row level security, force row level security;
  create policy rights on tool_router.registry using (tool_router.has_right_to(server));
  `,
  `
  create table tool_router.compared (
    comparison text not null,
    session text not null,
    profile text,
    arm text not null,
    list_tokens float8 not null,
    answer_tokens float8 not null,
    steps float8 not null,
    searches float8 not null,
    refusals float8 not null,
    ms float8 not null,
    used_at timestamptz not null default now(),
    primary key (comparison, session)
  );
  create index compared_used_at on tool_router.compared (used_at);
  alter table tool_router.compared enable row level security, force row level security;
  create policy rights on tool_router.compared using (tool_router.serves(profile));
  `,
  // Whole definitions, and what tells a key that was made from one that was written. A row of before has none, and counts for what it has.
  `
  alter table tool_router.approvals add column accepted_definition text, add column changed_definition text;
  alter table tool_router.keys add column seal text;
  `,
  // Who, where, and a row before a call that does not only read. What is refused is of no server.
  `
  alter table tool_router.calls add column id uuid unique, add column person text, add column replica text,
    add column session text;
  create policy refused on tool_router.calls using (server = '' and tool_router.serves(profile));
  `,
  // Whoever says nothing has no rights.
  `
  create or replace function tool_router.has_all_rights() returns boolean language sql stable as
    $$ select coalesce(current_setting('tool_router.rights', true), '') = '*' $$;
  create or replace function tool_router.has_right_to(server text) returns boolean language sql stable as
    $$ select case coalesce(current_setting('tool_router.rights', true), '') when '*' then true when '' then false
         else current_setting('tool_router.rights', true)::jsonb ? server end $$;
  `,
]

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
  if (version < LEAST_SERVER)
    throw new StoreAway(`the database is PostgreSQL ${Math.floor(version / 10_000)}; 15 or later is needed`)
  // Who may only use the tables is not asked to make them.
  const found = made ? await versionOf(query) : 0
  if (found === MIGRATIONS.length) return
  if (!(await mayChange(query)))
    throw new StoreAway(
      `the tables of the database have version ${found} of ${MIGRATIONS.length}, and this user may not change them; whoever ` +
        'owns them runs: npx @zoo-code/tool-router-gateway prepare-store',
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
