#!/bin/sh
# The role of the gateways: plain, so that row-level security holds each profile to its servers.
set -eu
psql --set=ON_ERROR_STOP=1 --username="${POSTGRES_USER:-postgres}" --dbname=postgres <<'SQL'
\getenv password ROUTER_PASSWORD
create role router login nosuperuser nobypassrls password :'password';
create database router owner router;
SQL
