-- The gateway tells an agent that remembers nothing what it was told before. Of what people write it reads what was brought to an agent.
alter policy tenant_only on message_text to attache_app, attache_ingest_app;
--> statement-breakpoint
create policy brought_only on message_text for select to attache_gateway_app using (tenant_id = (select attache_tenant_id()) and exists (
  select 1 from delivery d where d.tenant_id = message_text.tenant_id and d.message_id = message_text.message_id and d.writing_at is not null));
--> statement-breakpoint
grant select on message_text to attache_gateway_app;
