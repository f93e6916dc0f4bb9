#!/bin/sh
# Two users: one owns the tables and changes them for a new version, the gateways use them. Both are plain, so that row-level
# security holds each profile to its servers.
set -eu
psql --set=ON_ERROR_STOP=1 --username="${POSTGRES_USER:-postgres}" --dbname=postgres <<'SQL'
\getenv password ROUTER_PASSWORD
\getenv owner ROUTER_OWNER_PASSWORD
create role router_owner login nosuperuser nobypassrls password :'owner';
create role router login nosuperuser nobypassrls password :'password';
create database router owner router_owner;
SQL
