-- Only the owner of a table may count its rows for plans, who is whoever made it: this function stays theirs. Its text is in the functions.sql of connection, which
-- is applied after this.
create function attache_analyze_grown(p_after oid) returns oid language plpgsql security definer set search_path = pg_catalog, pg_temp as
  $$ begin raise exception 'attache: functions.sql was not applied'; end $$;
--> statement-breakpoint
revoke execute on function attache_analyze_grown(oid) from public;
--> statement-breakpoint
grant execute on function attache_analyze_grown(oid) to attache_app, attache_projector_app;
