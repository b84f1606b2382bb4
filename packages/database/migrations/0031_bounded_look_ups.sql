-- A part of a name is found by an index, within its session.
-- By what a name is found: the three letters at each of its places, and what is left at its end, each behind some of its session's id.
create function attache_name_grams(p_session uuid, p_folded text) returns tsvector language sql immutable strict parallel safe as $$
  select array_to_tsvector(array(select right(p_session::text, 12) || substr(p_folded, n, 3) from generate_series(1, length(p_folded)) n))
$$;
--> statement-breakpoint
-- What the grams of a name must match that holds a part: all of the part's, or where it has fewer than three letters one that begins with it.
create function attache_grams_of_part(p_session uuid, p_part text) returns tsquery language sql immutable strict as $$
  select string_agg('''' || replace(replace(right(p_session::text, 12) || substr(p_part, n, 3), '\', '\\'), '''', '''''') || '''' || case when length(p_part) < 3 then ':*' else '' end,
      ' & ')::tsquery from generate_series(1, greatest(1, length(p_part) - 2)) n
$$;
--> statement-breakpoint
ALTER TABLE "attachment_name" ADD COLUMN "session_id" uuid;
--> statement-breakpoint
ALTER TABLE "attachment_name" ADD COLUMN "folded_name" text;
--> statement-breakpoint
-- The owner of a table sees its rows only while it is not forced.
alter table attachment no force row level security;
--> statement-breakpoint
alter table attachment_name no force row level security;
--> statement-breakpoint
-- As this database folds letters; names from now on are folded before they come here.
update attachment_name n set session_id = a.session_id, folded_name = lower(n.name) from attachment a where a.tenant_id = n.tenant_id and a.id = n.attachment_id;
--> statement-breakpoint
alter table attachment force row level security;
--> statement-breakpoint
alter table attachment_name force row level security;
--> statement-breakpoint
ALTER TABLE "attachment_name" ALTER COLUMN "session_id" SET NOT NULL;
--> statement-breakpoint
ALTER TABLE "attachment_name" ALTER COLUMN "folded_name" SET NOT NULL;
--> statement-breakpoint
CREATE INDEX "attachment_name_grams" ON "attachment_name" USING gin (attache_name_grams(session_id, folded_name)) WITH (fastupdate=false);
--> statement-breakpoint
create policy owner_lookup on attachment_name for select to attache_owner using (true);
--> statement-breakpoint
grant select on attachment_name to attache_owner;
--> statement-breakpoint
-- A function changes its owner only to a role that may create in its schema.
grant create on schema public to attache_owner;
--> statement-breakpoint
-- Attachments of a session whose folded name holds this; null where there are more than `p_limit`. Inside a tenant. It reads as a role whose rows are all
-- of every tenant, since under a tenant's policy no index may answer what a name holds, and so says itself of which tenant.
create function attache_find_named(p_session uuid, p_part text, p_limit int) returns uuid[] language plpgsql stable security definer
  set search_path = public, pg_temp set enable_seqscan = off as $$
declare found uuid[]; the_tenant uuid := attache_tenant_id(); grams tsquery := attache_grams_of_part(p_session, p_part);
begin
  if the_tenant is null then return '{}'; end if;
  found := array(select n.attachment_id from attachment_name n
    where attache_name_grams(n.session_id, n.folded_name) @@ grams and n.tenant_id = the_tenant and n.session_id = p_session and strpos(n.folded_name, p_part) > 0
    limit p_limit + 1);
  return case when cardinality(found) <= p_limit then found end;
end $$;
--> statement-breakpoint
alter function attache_find_named(uuid, text, int) owner to attache_owner;
--> statement-breakpoint
revoke create on schema public from attache_owner;
--> statement-breakpoint
revoke execute on function attache_find_named(uuid, text, int) from public;
--> statement-breakpoint
grant execute on function attache_find_named(uuid, text, int) to attache_app;
--> statement-breakpoint
-- What is ended, freed or swept is found in batches.
CREATE INDEX "blob_abandoned" ON "blob" USING btree ("tenant_id","id") WHERE state in ('reserved', 'condemned') and sha256 is null;
--> statement-breakpoint
CREATE INDEX "blob_holder" ON "blob" USING btree ("tenant_id","holder") WHERE state = 'reserved' and holder is not null;
--> statement-breakpoint
CREATE INDEX "idempotency_open" ON "idempotency" USING btree ("tenant_id","created_at") WHERE state = 'in-progress';
