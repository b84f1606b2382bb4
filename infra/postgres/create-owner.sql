-- Run once by the superuser of an empty server, by psql 14 or newer: the login that owns the database and that `attache migrate`
-- uses. It may make the logins of the services; it is no superuser and does not bypass row-level security.
\set ON_ERROR_STOP on
\getenv password POSTGRES_MIGRATOR_PASSWORD
\if :{?password}
\else
  \warn POSTGRES_MIGRATOR_PASSWORD is not set: it becomes the password of attache_migrator.
  select 1 / 0;
\endif
create role attache_migrator login createrole nosuperuser nobypassrls password :'password';
create database attache owner attache_migrator encoding 'UTF8' template template0;
