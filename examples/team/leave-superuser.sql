-- Once, for a database whose gateways used a superuser, as the compose file had it before 0.2: its role becomes a plain one that
-- owns its tables, so that row-level security holds profiles to their servers. Run as that role in that database, with the
-- gateways stopped and ROUTER_PASSWORD set: psql --username=router --dbname=router --file=leave-superuser.sql
\set ON_ERROR_STOP on
\getenv password ROUTER_PASSWORD
\set role :USER
-- The session's own role cannot be renamed: another superuser does it, and stays for whoever looks after the database.
select format('create role postgres superuser login password %L', :'password')
  where not exists (select from pg_roles where rolname = 'postgres') \gexec
\connect :DBNAME postgres
begin;
select format('alter role %I rename to %I', :'role', 'former_' || :'role') \gexec
select format('alter role %I nologin', 'former_' || :'role') \gexec
select format('create role %I login nosuperuser nobypassrls password %L', :'role', :'password') \gexec
alter database :"DBNAME" owner to :"role";
alter schema tool_router owner to :"role";
select format('alter table tool_router.%I owner to %I', relname, :'role') from pg_class
  where relnamespace = 'tool_router'::regnamespace and relkind = 'r' \gexec
select format('alter function %s owner to %I', oid::regprocedure, :'role') from pg_proc
  where pronamespace = 'tool_router'::regnamespace \gexec
commit;
