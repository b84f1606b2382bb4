-- Owners and rights of the functions above. A function gets an owner only if that may create in the schema; it keeps that right no longer than here.
grant create on schema public to attache_owner, attache_pruner, attache_control, attache_teller;
alter function attache_control_backlog(text[]) owner to attache_control;
alter function attache_control_claim(jsonb) owner to attache_control;
alter function attache_control_claim_many(jsonb) owner to attache_control;
alter function attache_control_count_dead() owner to attache_control;
alter function attache_control_keep_lease(jsonb) owner to attache_control;
alter function attache_control_published(jsonb) owner to attache_control;
alter function attache_control_reconcile(jsonb) owner to attache_control;
alter function attache_control_renew_lease(jsonb) owner to attache_control;
alter function attache_control_return(jsonb) owner to attache_control;
alter function attache_control_take_lease(jsonb) owner to attache_control;
alter function attache_count_living(jsonb) owner to attache_owner;
alter function attache_find_named(uuid,text,integer) owner to attache_owner;
alter function attache_find_places(uuid,text) owner to attache_owner;
alter function attache_functions_number() owner to attache_owner;
alter function attache_is_active(text) owner to attache_owner;
alter function attache_is_alive(uuid) owner to attache_owner;
alter function attache_is_origin_known(text) owner to attache_owner;
alter function attache_lease_end(uuid) owner to attache_owner;
alter function attache_live_owner(text) owner to attache_owner;
alter function attache_other_gateways(text) owner to attache_owner;
alter function attache_schema_version() owner to attache_owner;
alter function attache_tenant_ids_after(uuid,integer) owner to attache_owner;
alter function attache_tenant_named(text) owner to attache_owner;
alter function attache_tenant_of_attachment(uuid) owner to attache_owner;
alter function attache_tenant_of_key(uuid) owner to attache_owner;
alter function attache_tenants_after(text,integer) owner to attache_owner;
alter function attache_tenants_with_abandoned_blobs(timestamp with time zone) owner to attache_owner;
alter function attache_tenants_with_ended_reservations() owner to attache_owner;
alter function attache_prune_audit(jsonb) owner to attache_pruner;
alter function attache_prune_sessions(jsonb) owner to attache_pruner;
alter function attache_put_message(jsonb) owner to attache_teller;
revoke create on schema public from attache_owner, attache_pruner, attache_control, attache_teller;

revoke execute on function
  attache_analyze_grown(oid), attache_control_backlog(text[]), attache_control_claim(jsonb), attache_control_claim_many(jsonb),
  attache_control_count_dead(), attache_control_keep_lease(jsonb), attache_control_published(jsonb), attache_control_reconcile(jsonb),
  attache_control_renew_lease(jsonb), attache_control_return(jsonb), attache_control_take_lease(jsonb), attache_count_living(jsonb),
  attache_find_named(uuid,text,integer), attache_find_places(uuid,text), attache_functions_number(), attache_is_active(text), attache_is_alive(uuid),
  attache_is_origin_known(text), attache_lease_end(uuid), attache_live_owner(text), attache_other_gateways(text), attache_prune_audit(jsonb), attache_prune_sessions(jsonb),
  attache_put_message(jsonb), attache_schema_version(), attache_tenant_ids_after(uuid,integer), attache_tenant_named(text),
  attache_tenant_of_attachment(uuid), attache_tenant_of_key(uuid), attache_tenants_after(text,integer),
  attache_tenants_with_abandoned_blobs(timestamp with time zone), attache_tenants_with_ended_reservations()
  from public;
grant execute on function
  attache_analyze_grown(oid), attache_control_backlog(text[]), attache_control_claim(jsonb), attache_control_count_dead(),
  attache_control_keep_lease(jsonb), attache_control_published(jsonb), attache_control_reconcile(jsonb), attache_control_renew_lease(jsonb),
  attache_control_return(jsonb), attache_control_take_lease(jsonb), attache_count_living(jsonb), attache_find_named(uuid,text,integer),
  attache_find_places(uuid,text), attache_functions_number(), attache_is_alive(uuid), attache_is_origin_known(text), attache_live_owner(text),
  attache_put_message(jsonb), attache_schema_version(), attache_tenant_named(text), attache_tenant_of_attachment(uuid), attache_tenant_of_key(uuid)
  to attache_app;
grant execute on function
  attache_other_gateways(text)
  to attache_control;
grant execute on function
  attache_control_backlog(text[]), attache_control_claim(jsonb), attache_control_count_dead(), attache_control_keep_lease(jsonb),
  attache_control_published(jsonb), attache_control_reconcile(jsonb), attache_control_renew_lease(jsonb), attache_control_return(jsonb),
  attache_control_take_lease(jsonb), attache_count_living(jsonb), attache_find_places(uuid,text), attache_functions_number(), attache_is_alive(uuid),
  attache_live_owner(text), attache_put_message(jsonb), attache_schema_version(), attache_tenant_named(text)
  to attache_gateway_app;
grant execute on function
  attache_is_active(text), attache_is_alive(uuid), attache_lease_end(uuid)
  to attache_gateway_worker;
grant execute on function
  attache_control_backlog(text[]), attache_control_claim(jsonb), attache_control_count_dead(), attache_control_published(jsonb),
  attache_control_reconcile(jsonb), attache_control_renew_lease(jsonb), attache_control_return(jsonb), attache_control_take_lease(jsonb),
  attache_count_living(jsonb), attache_find_named(uuid,text,integer), attache_find_places(uuid,text), attache_functions_number(), attache_is_alive(uuid),
  attache_is_origin_known(text), attache_live_owner(text), attache_put_message(jsonb), attache_schema_version(), attache_tenant_named(text),
  attache_tenant_of_attachment(uuid), attache_tenant_of_key(uuid)
  to attache_ingest_app;
grant execute on function
  attache_control_count_dead(), attache_functions_number(), attache_live_owner(text), attache_put_message(jsonb), attache_schema_version(),
  attache_tenant_named(text)
  to attache_operator_app;
grant execute on function
  attache_analyze_grown(oid), attache_control_backlog(text[]), attache_control_claim(jsonb), attache_control_count_dead(),
  attache_control_published(jsonb), attache_control_reconcile(jsonb), attache_control_renew_lease(jsonb), attache_control_return(jsonb),
  attache_control_take_lease(jsonb), attache_functions_number(), attache_is_alive(uuid), attache_live_owner(text), attache_put_message(jsonb),
  attache_schema_version()
  to attache_projector_app;
grant execute on function
  attache_tenant_ids_after(uuid,integer), attache_tenants_with_abandoned_blobs(timestamp with time zone), attache_tenants_with_ended_reservations()
  to attache_projector_worker;
grant execute on function
  attache_live_owner(text)
  to attache_teller;
grant execute on function
  attache_functions_number(), attache_is_active(text), attache_is_alive(uuid), attache_lease_end(uuid), attache_prune_audit(jsonb),
  attache_prune_sessions(jsonb), attache_schema_version(), attache_tenant_ids_after(uuid,integer), attache_tenants_after(text,integer),
  attache_tenants_with_abandoned_blobs(timestamp with time zone), attache_tenants_with_ended_reservations()
  to attache_worker;
