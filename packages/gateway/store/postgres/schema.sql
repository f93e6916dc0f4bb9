-- The tables of a shared store, version 1. Names of tools are text of JSON without its quotes: a name may hold what no column takes.

-- What a transaction may see: who says nothing of its rights sees no row, `*` is all of them, otherwise they are names of servers.
create function tool_router.has_all_rights() returns boolean language sql stable as
  $$ select coalesce(current_setting('tool_router.rights', true), '') = '*' $$;
create function tool_router.has_right_to(server text) returns boolean language sql stable as
  $$ select case coalesce(current_setting('tool_router.rights', true), '') when '*' then true when '' then false
       else current_setting('tool_router.rights', true)::jsonb ? server end $$;
create function tool_router.serves(profile text) returns boolean language sql stable as
  $$ select tool_router.has_all_rights() or profile = current_setting('tool_router.profile', true) $$;

create table tool_router.catalogues (
  identity text primary key,
  server text not null,
  instructions text,
  extensions json,
  digest text not null,
  updated_at timestamptz not null default now()
);
alter table tool_router.catalogues enable row level security, force row level security;
create policy rights on tool_router.catalogues using (tool_router.has_right_to(server));

create table tool_router.catalogue_tools (
  identity text not null references tool_router.catalogues on delete cascade,
  position integer not null,
  server text not null,
  tool text not null,
  definition json not null,
  primary key (identity, position)
);
alter table tool_router.catalogue_tools enable row level security, force row level security;
create policy rights on tool_router.catalogue_tools using (tool_router.has_right_to(server));

create table tool_router.approvals (
  identity text not null,
  position bigint generated always as identity,
  server text not null,
  tool text not null,
  accepted_hash text,
  accepted_definition text,
  changed_hash text,
  changed_definition text,
  updated_at timestamptz not null default now(),
  primary key (identity, tool)
);
alter table tool_router.approvals enable row level security, force row level security;
create policy rights on tool_router.approvals using (tool_router.has_right_to(server));

-- The seal tells a key that was made from one that was written.
create table tool_router.keys (
  name text primary key,
  hash text not null unique,
  seal text,
  profile text,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  used_on date
);
alter table tool_router.keys enable row level security, force row level security;
create policy rights on tool_router.keys using (tool_router.has_all_rights());

-- A call that does not only read has its row before it is made. What is refused is of no server.
create table tool_router.calls (
  id uuid unique,
  at timestamptz not null,
  person text,
  profile text,
  replica text,
  session text,
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
create policy refused on tool_router.calls using (server = '' and tool_router.serves(profile));

-- What sessions have loaded. `missed_at`: when its client was told that the session is gone.
create table tool_router.loaded (
  session text primary key,
  profile text,
  person text not null,
  client text not null,
  tools json not null,
  used_at timestamptz not null default now(),
  missed_at timestamptz
);
create index loaded_used_at on tool_router.loaded (used_at);
create index loaded_missed on tool_router.loaded (person, client) where missed_at is not null;
alter table tool_router.loaded enable row level security, force row level security;
create policy rights on tool_router.loaded using (tool_router.serves(profile));
