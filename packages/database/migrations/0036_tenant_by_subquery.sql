-- In a subquery the tenant is unknown when a statement is planned. A plan is kept for all tenants of a connection.
do $$
declare content_table name;
begin
  for content_table in select tablename from pg_policies where schemaname = current_schema() and policyname = 'tenant_only' loop
    execute format('alter policy tenant_only on %I using (tenant_id = (select attache_tenant_id())) with check (tenant_id = (select attache_tenant_id()))', content_table);
  end loop;
end $$;
--> statement-breakpoint
alter policy waiting_only on message_text using (tenant_id = (select attache_tenant_id()) and exists (
  select 1 from delivery d where d.tenant_id = message_text.tenant_id and d.message_id = message_text.message_id and d.status = 'queued'));
