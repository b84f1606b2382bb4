-- What holds against rows of the catalog, for this tenant and for all. Inside a tenant.
create or replace function attache_contradictions() returns jsonb language plpgsql stable as $$
begin
  return (select coalesce(jsonb_agg(jsonb_build_object('row', c.row_name, 'kind', c.kind, 'programVersion', c.program_version, 'note', c.note,
      'date', to_char(c.created_at at time zone 'UTC', 'YYYY-MM-DD'), 'isForAll', c.is_for_all)
      || case when c.settings_sha256 = '' then '{}'::jsonb else jsonb_build_object('settingsSha256', c.settings_sha256) end order by c.row_name, c.kind, c.created_at), '[]'::jsonb)
    from (
      select row_name, kind, program_version, settings_sha256, note, created_at, false as is_for_all from capability_contradiction where tenant_id = (select attache_tenant_id())
      union all select row_name, kind, program_version, '', note, created_at, true from catalog_contradiction) c);
end $$;

-- A program runs in this version: what was seen, or said, of another version of it counts no more. Answers what held and ended.
create or replace function attache_end_contradictions(p jsonb) returns jsonb language plpgsql as $$
declare the_row text := p->>'row'; version text := p->>'programVersion'; ended jsonb; ended_for_all jsonb;
begin
  perform attache_enter((p->>'tenantId')::uuid);
  delete from wire_finding f where f.tenant_id = (select attache_tenant_id()) and f.row_name = the_row and f.program_version <> version;
  with gone as (
    delete from capability_contradiction c where c.tenant_id = (select attache_tenant_id()) and c.row_name = the_row and c.program_version <> version
      returning c.kind, c.program_version
  ) select coalesce(jsonb_agg(jsonb_build_object('kind', g.kind, 'programVersion', g.program_version, 'isForAll', false)), '[]'::jsonb) into ended from gone g;
  insert into audit_log (tenant_id, id, actor, action, data)
    select attache_tenant_id(), gen_random_uuid(), p->'actor', 'capability.restored', jsonb_build_object('row', the_row, 'kind', e->>'kind',
        'programVersion', e->>'programVersion', 'newProgramVersion', version)
      from jsonb_array_elements(ended) e;
  if exists (select 1 from catalog_contradiction c where c.row_name = the_row and c.program_version <> version) then
    perform attache_enter_worker();
    with gone as (
      delete from catalog_contradiction c where c.row_name = the_row and c.program_version <> version returning c.kind, c.program_version
    ) select jsonb_agg(jsonb_build_object('kind', g.kind, 'programVersion', g.program_version, 'isForAll', true)) into ended_for_all from gone g;
  end if;
  return ended || coalesce(ended_for_all, '[]'::jsonb);
end $$;
