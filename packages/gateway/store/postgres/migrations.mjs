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
  // Words of the registry, and what finds entries by them. Row-level security keeps an index of words from being used, so the function
  // reads the words as their owner, and answers with names that the asker has a right to.
  String.raw`
  create function tool_router.words_of(server text, said json) returns tsvector language sql immutable as $$
    select case when octet_length(said::text) > 131072 then '' else
      to_tsvector('english', regexp_replace(server, '[^[:alnum:]]+', ' ', 'g')) || to_tsvector('english', said) || to_tsvector('english',
        regexp_replace(coalesce(said ->> 'tools', ''), '([[:lower:]])([[:upper:]])', '\1 \2', 'g')) end $$;
  create table tool_router.registry_words (
    server text primary key references tool_router.registry on delete cascade,
    words tsvector not null
  );
  create index registry_words_words on tool_router.registry_words using gin (words);
  alter table tool_router.registry_words enable row level security;
  create policy rights on tool_router.registry_words using (tool_router.has_right_to(server));
  insert into tool_router.registry_words select server, tool_router.words_of(server, said) from tool_router.registry;
  create function tool_router.note_words() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
    begin
      insert into tool_router.registry_words values (new.server, tool_router.words_of(new.server, new.said))
        on conflict (server) do update set words = excluded.words;
      return null;
    end $$;
  create trigger words after insert or update on tool_router.registry for each row execute function tool_router.note_words();
  create function tool_router.near_words(asked text, most integer) returns table (server text, score float8)
    language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    with asked_words as materialized (
      select quote_literal(lexeme)::tsquery as word from unnest(to_tsvector('english', asked)) limit 64),
    found as materialized (
      select r.server, length(r.words) as words, a.word from asked_words a join tool_router.registry_words r on r.words @@ a.word),
    rarity as (
      select word, ln(1 + (select count(*) from tool_router.registry_words)::float8 / count(*)) as weight from found group by word)
    select found.server, sum(weight) / (3 + sqrt(found.words)) from found join rarity using (word)
      where tool_router.has_right_to(found.server)
      group by found.server, found.words order by 2 desc, 1 limit most $$;
  `,
  'drop table tool_router.compared;',
]

/** Lengths of vectors that are searched by an index, which has one length: those of usual models. */
export const INDEXED_DIMENSIONS = [384, 512, 768, 1024]
const indexOf = (dimensions) => `create index on tool_router.registry_vectors
  using hnsw ((vector::vector(${dimensions})) vector_cosine_ops) where vector_dims(vector) = ${dimensions};`
/** Vectors of the registry's entries, where the database has pgvector, which may come later. */
const VECTORS = `
  create table tool_router.registry_vectors (
    server text not null references tool_router.registry on delete cascade,
    model text not null,
    part integer not null,
    vector vector not null,
    changed_at timestamptz not null,
    primary key (server, model, part)
  );
  ${INDEXED_DIMENSIONS.map(indexOf).join('\n')}
  alter table tool_router.registry_vectors enable row level security, force row level security;
  create policy rights on tool_router.registry_vectors using (tool_router.has_right_to(server));
`

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
  if (found === MIGRATIONS.length && !(await lacksVectors(query))) return
  if (!(await mayChange(query))) {
    if (found === MIGRATIONS.length) return
    throw new StoreAway(
      `the tables of the database have version ${found} of ${MIGRATIONS.length}, and this user may not change them; whoever ` +
        'owns them runs: npx @zoo-code/tool-router-gateway prepare-store',
    )
  }
  await query('select pg_advisory_xact_lock($1)', [LOCK])
  await query('create schema if not exists tool_router')
  await query(`create table if not exists tool_router.migrations (
    version integer primary key, applied_at timestamptz not null default now())`)
  for (let next = (await versionOf(query)) + 1; next <= MIGRATIONS.length; next++) {
    await query(MIGRATIONS[next - 1])
    await query('insert into tool_router.migrations (version) values ($1)', [next])
  }
  if (await lacksVectors(query)) await query(VECTORS)
}

async function lacksVectors(query) {
  const { rows } = await query(
    `select to_regtype('vector') is not null and to_regclass('tool_router.registry_vectors') is null as lacks`,
  )
  return rows[0].lacks
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
