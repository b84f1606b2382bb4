-- Which release of the SQL functions a database has, for the services, whose logins see nothing of the schema `drizzle`.
grant create on schema public to attache_owner;
--> statement-breakpoint
grant select on drizzle.__attache_functions to attache_owner;
--> statement-breakpoint
create function attache_functions_number() returns int language sql stable security definer set search_path = pg_catalog, pg_temp as
$$ select coalesce(max(number), 0) from drizzle.__attache_functions $$;
--> statement-breakpoint
alter function attache_functions_number() owner to attache_owner;
--> statement-breakpoint
revoke create on schema public from attache_owner;
--> statement-breakpoint
revoke execute on function attache_functions_number() from public;
--> statement-breakpoint
grant execute on function attache_functions_number() to attache_app, attache_worker;
