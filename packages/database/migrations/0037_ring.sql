-- The outbox is written by one function alone, which says what a service may tell, and of which tenant.
drop policy app_insert on outbox;
--> statement-breakpoint
revoke insert on outbox from attache_app, attache_ingest_app, attache_projector_app, attache_gateway_app, attache_operator_app;
--> statement-breakpoint
do $$ begin create role attache_teller nologin; exception when duplicate_object or unique_violation then null; end $$;
--> statement-breakpoint
do $$ begin execute format('grant attache_teller to %I', current_user); end $$;
--> statement-breakpoint
grant usage on schema public to attache_teller;
--> statement-breakpoint
create policy teller_insert on outbox for insert to attache_teller with check (tenant_id = (select attache_tenant_id()));
--> statement-breakpoint
grant insert on outbox to attache_teller;
--> statement-breakpoint
create policy owner_lookup on session_owner for select to attache_owner using (true);
--> statement-breakpoint
grant select on session_owner to attache_owner;
--> statement-breakpoint
-- A function changes its owner only to a role that may create in its schema.
grant create on schema public to attache_owner, attache_teller;
--> statement-breakpoint
create function attache_live_owner(p_session text) returns uuid language sql stable security definer set search_path = public, pg_temp as
$$ select o.incarnation from session_owner o join replica r on r.incarnation = o.incarnation and r.lease_until > now()
     where o.tenant_id = (select attache_tenant_id()) and o.session_id = (case when p_session ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then p_session end)::uuid
       and o.released_at is null $$;
--> statement-breakpoint
alter function attache_live_owner(text) owner to attache_owner;
--> statement-breakpoint
create function attache_put_message(p jsonb) returns uuid language plpgsql security definer set search_path = public, pg_temp as $$
declare
  tenant uuid := (select attache_tenant_id());
  told text[] := case session_user
    when 'attache_projector' then array['delivery.prepared', 'delivery.stopped']
    when 'attache_gateway' then array['attachment.added', 'delivery.stopped']
    else array['attachment.added', 'delivery.queued', 'projection.requested', 'delivery.prepared', 'delivery.stopped', 'delivery.interrupted', 'agent.removed',
      'session.ended'] end;
begin
  if tenant is null or p->'data'->>'tenantId' is distinct from tenant::text then
    raise exception 'attache: a message of another tenant' using errcode = '42501';
  end if;
  if not coalesce(p->>'subject' = any(told), false) then raise exception 'attache: a message that this service does not send' using errcode = '42501'; end if;
  insert into outbox (tenant_id, id, subject, data, trace, available_at)
    values (tenant, (p->>'id')::uuid, p->>'subject', p->'data', nullif(p->'trace', 'null'),
      now() + make_interval(secs => least(60000, greatest(0, coalesce((p->>'fallbackMs')::numeric, 0))) / 1000.0));
  if p->>'subject' in ('attachment.added', 'delivery.queued', 'projection.requested') then return null; end if;
  return attache_live_owner(p->'data'->>'sessionId');
end $$;
--> statement-breakpoint
alter function attache_put_message(jsonb) owner to attache_teller;
--> statement-breakpoint
revoke create on schema public from attache_owner, attache_teller;
--> statement-breakpoint
revoke execute on function attache_live_owner(text), attache_put_message(jsonb) from public;
--> statement-breakpoint
grant execute on function attache_live_owner(text), attache_put_message(jsonb)
  to attache_app, attache_ingest_app, attache_projector_app, attache_gateway_app, attache_operator_app, attache_teller;
