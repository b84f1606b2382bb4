-- What of a delivery its agent's runtime holds, or will hold once it is written: bytes, pixels, images and pages, and bytes of images alone. A plan knows upper
-- bounds, and none of the last: they count until the first byte is written, and from then on what was measured. What attempts before the present one left in a conversation that still goes on
-- counts too.
create or replace function attache_held_of(d delivery, p_since timestamptz) returns numeric[] language plpgsql stable as $$
declare
  counts boolean := coalesce(d.status in ('queued', 'prepared', 'claimed', 'written') or (d.status in ('responded', 'failed') and d.writing_at >= p_since), false);
  has_left boolean := coalesce((d.left_before->>'at')::timestamptz >= p_since, false);
begin
  return array(select coalesce(case when counts then coalesce(d.held->b.name, d.plan->'budget'->b.name->'used')::numeric end, 0)
      + coalesce(case when has_left then (d.left_before->b.name)::numeric end, 0)
    from unnest(array['bytes', 'pixels', 'images', 'pages', 'imageBytes']) with ordinality as b(name, position) order by b.position);
end $$;

create or replace function attache_add_held(p_resident jsonb, p_added numeric[]) returns jsonb language plpgsql immutable as $$
begin
  return jsonb_build_object('bytes', coalesce((p_resident->'bytes')::numeric, 0) + p_added[1], 'pixels', coalesce((p_resident->'pixels')::numeric, 0) + p_added[2],
    'images', coalesce((p_resident->'images')::numeric, 0) + p_added[3], 'pages', coalesce((p_resident->'pages')::numeric, 0) + p_added[4],
    'imageBytes', coalesce((p_resident->'imageBytes')::numeric, 0) + p_added[5]);
end $$;

-- What an agent's runtime holds whose context began then, summed over what waits for it and what came since. Null: nothing is counted.
create or replace function attache_sum_held(p_tenant uuid, p_agent uuid, p_since timestamptz) returns jsonb language plpgsql as $$
declare
  summed jsonb; one delivery%rowtype;
  -- As it is written in `left_before`.
  since_text text := to_char(p_since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
begin
  for one in
    select d.* from delivery d where d.tenant_id = p_tenant and d.id in (
      select w.id from delivery w where w.tenant_id = p_tenant and w.agent_id = p_agent and w.status in ('queued', 'prepared', 'claimed', 'written')
      union select w.id from delivery w where w.tenant_id = p_tenant and w.agent_id = p_agent and w.writing_at is not null and w.writing_at >= p_since
      union select w.id from delivery w where w.tenant_id = p_tenant and w.agent_id = p_agent and w.left_before is not null and w.left_before->>'at' >= since_text)
  loop
    summed := attache_add_held(summed, attache_held_of(one, p_since));
  end loop;
  return summed;
end $$;

-- Keeps the sum of an agent in the statement that changes one of its deliveries. The agent's row is locked before its context is read: who begins
-- another one counts anew under the same lock.
create or replace function attache_keep_held() returns trigger language plpgsql as $$
declare since timestamptz; added numeric[] := array[0, 0, 0, 0, 0]; the_tenant uuid := coalesce(new.tenant_id, old.tenant_id); the_agent uuid := coalesce(new.agent_id, old.agent_id);
begin
  if tg_op = 'UPDATE' and old.status in ('queued', 'prepared', 'claimed', 'written') and new.status in ('queued', 'prepared', 'claimed', 'written')
      and old.held is not distinct from new.held and old.left_before is not distinct from new.left_before
      and old.plan->'budget' is not distinct from new.plan->'budget' then
    return null;
  end if;
  select a.context_since into since from agent a where a.tenant_id = the_tenant and a.id = the_agent for no key update;
  if not found then return null; end if;
  if tg_op <> 'DELETE' then added := attache_held_of(new, since); end if;
  if tg_op <> 'INSERT' then
    added := array(select n.amount - o.amount from unnest(added) with ordinality as n(amount, position)
      join unnest(attache_held_of(old, since)) with ordinality as o(amount, position) using (position) order by position);
  end if;
  if tg_op = 'INSERT' or array[0, 0, 0, 0, 0]::numeric[] <> added then
    update agent a set resident = attache_add_held(a.resident, added) where a.tenant_id = the_tenant and a.id = the_agent;
  end if;
  return null;
end $$;

-- A runtime that starts anew holds nothing of what was written before. The agent's row is locked by now.
create or replace function attache_recount_held() returns trigger language plpgsql as $$
begin
  if new.context_since is distinct from old.context_since then
    new.resident := coalesce(attache_sum_held(new.tenant_id, new.id, new.context_since),
      case when old.resident is not null then attache_add_held(null, array[0, 0, 0, 0, 0]) end);
  end if;
  return new;
end $$;

-- What the runtime of each agent holds, or will hold once what waits for it is written. Inside a tenant.
create or replace function attache_resident(p_agents uuid[]) returns jsonb language plpgsql stable as $$
begin
  return (select coalesce(jsonb_object_agg(a.id, a.resident), '{}'::jsonb) from agent a
    where a.tenant_id = (select attache_tenant_id()) and a.id = any(p_agents) and a.resident is not null);
end $$;

-- A delivery that an agent is to get, with all that is needed to bring it. Inside a tenant.
create or replace function attache_describe_next(d delivery) returns jsonb language plpgsql as $$
declare the_agent agent%rowtype; session_status text; named uuid[];
begin
  select * into the_agent from agent where tenant_id = (select attache_tenant_id()) and id = d.agent_id;
  select status into session_status from session where tenant_id = (select attache_tenant_id()) and id = d.session_id;
  named := array(select attachment_id from message_attachment where tenant_id = (select attache_tenant_id()) and message_id = d.message_id);
  return jsonb_build_object('row', to_jsonb(d), 'agent', to_jsonb(the_agent), 'sessionStatus', session_status,
    'quarantined', attache_quarantined(the_agent), 'probes', attache_newest_probes(array[the_agent.profile]), 'attachments', attache_stored_attachments(named),
    'notGranted', to_jsonb(attache_not_granted(d.agent_id, named)));
end $$;

-- A delivery with what its message says and names. `text` is null where it was erased. Inside a tenant.
create or replace function attache_describe_draft(d delivery) returns jsonb language plpgsql stable as $$
begin
  return jsonb_build_object('row', to_jsonb(d),
    'text', (select text from message_text where tenant_id = (select attache_tenant_id()) and message_id = d.message_id),
    'attachments', attache_stored_attachments(array(
      select attachment_id from message_attachment where tenant_id = (select attache_tenant_id()) and message_id = d.message_id)));
end $$;

-- The drafts of these deliveries, in no particular order. Inside a tenant.
create or replace function attache_drafts(p_deliveries uuid[]) returns jsonb language plpgsql stable as $$
begin
  return (select coalesce(jsonb_agg(attache_describe_draft(d)), '[]'::jsonb) from delivery d where d.tenant_id = (select attache_tenant_id()) and d.id = any(p_deliveries));
end $$;

-- The draft of a queued delivery; null where it is no longer queued.
create or replace function attache_read_draft(p_tenant uuid, p_delivery uuid) returns jsonb language plpgsql as $$
declare d delivery%rowtype;
begin
  perform attache_enter(p_tenant);
  select * into d from delivery where tenant_id = (select attache_tenant_id()) and id = p_delivery and status = 'queued';
  if not found then return null; end if;
  return attache_describe_draft(d);
end $$;

-- Whether nothing of a session is delivered now. Inside a tenant.
create or replace function attache_is_parked(p_session uuid) returns boolean language plpgsql stable as $$
begin
  return exists (select 1 from session where tenant_id = (select attache_tenant_id()) and id = p_session and parked_at is not null and status = 'active');
end $$;

-- The first delivery in an agent's line that has not come to its end, with all that is needed to bring it and what of it the agent may not read any
-- more; null where it is not `prepared`. Inside a tenant.
create or replace function attache_head_of(p_agent uuid) returns jsonb language plpgsql as $$
declare d delivery%rowtype;
begin
  select * into d from delivery where tenant_id = (select attache_tenant_id()) and agent_id = p_agent and status in ('queued', 'prepared', 'claimed', 'written')
    order by message_seq, id limit 1;
  if not found or d.status <> 'prepared' or attache_is_parked(d.session_id) then return null; end if;
  return attache_describe_next(d);
end $$;

create or replace function attache_read_head(p_tenant uuid, p_agent uuid) returns jsonb language plpgsql set plan_cache_mode = force_generic_plan as $$
begin
  perform attache_enter(p_tenant);
  return attache_head_of(p_agent);
end $$;

-- What a delivery waits for that its agent has not taken: `agent`, which has others to take before; `slot`, since no gateway with its program has room for another
-- agent, or its tenant runs as many as it may; `program`, which no gateway has; `owner`, since no gateway has the session, or another one is to have it. Null:
-- for none of them. Inside a tenant.
create or replace function attache_waits_for(p_delivery uuid) returns text language plpgsql as $$
declare tenant uuid := (select attache_tenant_id()); d delivery%rowtype; a agent%rowtype; places jsonb;
begin
  select * into d from delivery where tenant_id = tenant and id = p_delivery and status in ('queued', 'prepared');
  if not found then return null; end if;
  if exists (select 1 from delivery e where e.tenant_id = tenant and e.agent_id = d.agent_id and e.status in ('queued', 'prepared', 'claimed', 'written')
      and (e.message_seq, e.id) < (d.message_seq, d.id)) then return 'agent'; end if;
  if d.status = 'queued' or attache_is_parked(d.session_id) then return null; end if;
  select * into a from agent where tenant_id = tenant and id = d.agent_id;
  places := attache_find_places(d.session_id, a.profile);
  if a.live_by::text = places->>'owner' then return null; end if;
  if (places->>'withProgram')::int = 0 then return case when (places->>'count')::int = 0 then 'owner' else 'program' end; end if;
  if (places->>'withRoom')::int = 0 or attache_is_at_limit(a.id) then return 'slot'; end if;
  return case when not (places->>'ownerTakesIt')::boolean then 'owner' end;
end $$;

-- What may enter the turn that an agent is in: the first of its deliveries that is not written yet, where it is prepared.
create or replace function attache_read_steered(p_tenant uuid, p_agent uuid) returns jsonb language plpgsql as $$
declare d delivery%rowtype;
begin
  perform attache_enter(p_tenant);
  select * into d from delivery where tenant_id = (select attache_tenant_id()) and agent_id = p_agent and status in ('queued', 'prepared', 'claimed')
    order by message_seq, id limit 1;
  if not found or d.status <> 'prepared' then return null; end if;
  return attache_describe_next(d);
end $$;

-- Why the first byte of a delivery may not be written, or null: an attachment was deleted or its grant ended until now, or the delivery was planned for
-- another target than that of the process that takes it. Inside a tenant.
create or replace function attache_refuse_writing(p_delivery uuid, p_target_version int, p_attachments jsonb) returns jsonb language plpgsql stable as $$
declare named uuid[]; gone uuid; withheld uuid;
begin
  if exists (select 1 from delivery d where d.tenant_id = (select attache_tenant_id()) and d.id = p_delivery and d.target_version <> p_target_version) then
    return jsonb_build_object('outcome', 'target-changed');
  end if;
  if jsonb_array_length(p_attachments) = 0 then return null; end if;
  named := array(select jsonb_array_elements_text(p_attachments)::uuid);
  select n.id into gone from unnest(named) as n(id)
    where not exists (select 1 from attachment a where a.tenant_id = (select attache_tenant_id()) and a.id = n.id and a.deleted_at is null) limit 1;
  if gone is not null then return jsonb_build_object('outcome', 'attachment-gone', 'attachmentId', gone); end if;
  select (attache_not_granted(d.agent_id, named))[1] into withheld from delivery d where d.tenant_id = (select attache_tenant_id()) and d.id = p_delivery;
  if withheld is not null then return jsonb_build_object('outcome', 'not-granted', 'attachmentId', withheld); end if;
  return null;
end $$;

-- Notes that the first byte is about to be written, under the fence, and what was measured of it. Asked again after a lost answer it says the same.
-- `status` is 'written' for one that was written into a turn which would not have it, and is written again.
create or replace function attache_mark_writing(p jsonb) returns jsonb language plpgsql as $$
declare marked boolean; refused jsonb;
begin
  perform attache_enter((p->>'tenantId')::uuid);
  if not attache_hold_epoch((p->>'sessionId')::uuid, (p->'fence'->>'incarnation')::uuid, (p->'fence'->>'epoch')::bigint) then
    return jsonb_build_object('outcome', 'ownership-lost');
  end if;
  refused := attache_refuse_writing((p->>'deliveryId')::uuid, (p->>'targetVersion')::int, p->'attachmentIds');
  if refused is not null then return refused; end if;
  update delivery set writing_at = coalesce(writing_at, now()), held = p->'held',
      forwarding = case when (p->>'isWatched')::boolean then coalesce(forwarding, 'watched') end
    where tenant_id = (select attache_tenant_id()) and id = (p->>'deliveryId')::uuid and status = coalesce(p->>'status', 'claimed') and attempts = (p->>'attempts')::int
      and epoch = (p->'fence'->>'epoch')::bigint
    returning true into marked;
  return jsonb_build_object('outcome', case when marked then 'marked' else 'stale' end);
end $$;

-- Whether a request of an agent may go to its model now: while the fence holds. With `isFirst` it is the first one since a delivery's first byte was written, and
-- it is noted that a model may see that delivery.
create or replace function attache_allow_forward(p jsonb) returns jsonb language plpgsql as $$
begin
  perform attache_enter((p->>'tenantId')::uuid);
  if not attache_hold_epoch((p->>'sessionId')::uuid, (p->'fence'->>'incarnation')::uuid, (p->'fence'->>'epoch')::bigint) then return to_jsonb(false); end if;
  if (p->>'isFirst')::boolean then
    update delivery set forwarding = 'forwarded' where tenant_id = (select attache_tenant_id()) and agent_id = (p->>'agentId')::uuid
      and status in ('claimed', 'written') and forwarding = 'watched';
  end if;
  return to_jsonb(true);
end $$;

-- Puts what a move says into the outbox. Inside a tenant.
create or replace function attache_put_messages_of(p_move jsonb) returns void language plpgsql as $$
begin
  perform attache_put_message(m) from jsonb_array_elements(coalesce(p_move->'messages', '[]'::jsonb)) m;
  -- As processes of the release before name their one message.
  if p_move ? 'outbox' then
    perform attache_put_message((p_move->'outbox') || jsonb_build_object('data', jsonb_build_object('tenantId', p_move->>'tenantId',
      'sessionId', p_move->>'sessionId', 'deliveryId', p_move->>'deliveryId', 'agentId', p_move->>'agentId')));
  end if;
end $$;

-- Moves a delivery with what follows from it: timeline, agent, outbox. Inside a tenant. False: someone moved it first. `set` names columns and what they
-- become. An agent's status may depend on what it was.
create or replace function attache_move_delivery(p jsonb) returns boolean language plpgsql as $$
declare
  the_delivery uuid := (p->>'deliveryId')::uuid; the_attempt int;
  -- Processes of the release before name `parts` and `receipt` beside the rest; their `attempts` is not one that is to come.
  changes jsonb := coalesce(p->'set', p - 'attempts');
begin
  update delivery d set status = p->>'to', epoch = coalesce((p->'fence'->>'epoch')::bigint, d.epoch), attempts = coalesce((changes->>'attempts')::int, d.attempts),
      plan = coalesce(changes->'plan', d.plan), target_version = coalesce((changes->>'target_version')::int, d.target_version),
      receipt = coalesce(changes->'receipt', d.receipt),
      parts = case when changes ? 'parts' then nullif(changes->'parts', 'null') else d.parts end,
      failure = case when changes ? 'failure' then nullif(changes->'failure', 'null') else d.failure end,
      held = case when changes ? 'held' then nullif(changes->'held', 'null') else d.held end,
      left_before = case when changes ? 'left_before' then nullif(changes->'left_before', 'null') else d.left_before end,
      -- Begun in the same step as it is claimed, else only ever taken back.
      writing_at = case when p ? 'writing' then now() when changes ? 'writing_at' or p->>'to' = 'claimed' then null else d.writing_at end,
      forwarding = case when p ? 'writing' then case when (p->'writing'->>'isWatched')::boolean then 'watched' end
        when p->>'to' in ('queued', 'prepared', 'claimed') then null else d.forwarding end
    where d.tenant_id = (select attache_tenant_id()) and d.id = the_delivery and d.status = p->>'from' and d.attempts = (p->>'attempts')::int
      and (not p ? 'onlyUnwritten' or d.writing_at is null) and (not p ? 'onlyUnforwarded' or d.forwarding = 'watched')
    returning d.attempts into the_attempt;
  if the_attempt is null then return false; end if;
  insert into delivery_transition (tenant_id, delivery_id, position, at, status, actor, epoch, attempt, trace_id, code)
    select attache_tenant_id(), the_delivery, coalesce(max(position), 0) + 1, coalesce((p->>'at')::timestamptz, now()), p->>'to', p->'actor',
        (p->'fence'->>'epoch')::bigint, the_attempt, p->>'traceId', p->>'code'
      from delivery_transition where tenant_id = (select attache_tenant_id()) and delivery_id = the_delivery;
  if p ? 'agentStatus' then
    update agent set status = p->>'agentStatus' where tenant_id = (select attache_tenant_id()) and id = (p->>'agentId')::uuid
      and (p->>'agentWas' is null or status = p->>'agentWas');
  end if;
  perform attache_put_messages_of(p);
  return true;
end $$;

-- Moves a delivery step by step, as one. False: someone moved it first.
create or replace function attache_move_in_turn(p_moves jsonb) returns boolean language plpgsql as $$
declare move jsonb;
begin
  for move in select value from jsonb_array_elements(p_moves) with ordinality order by ordinality loop
    if not attache_move_delivery(move) then return false; end if;
  end loop;
  return true;
end $$;

-- Moves a delivery with all that belongs to the move, in one round trip: fence, inbox, status, timeline, agent, outbox, events. Asked again after a
-- lost answer it changes nothing and says the same (W4). 'stale': someone moved it first. `settles` is the message that asked for it: what is done of it
-- is done with the move. Its row is locked after that of the delivery, as whoever gives it up does. `owner`: the living one of the session.
create or replace function attache_step_delivery(p jsonb) returns jsonb language plpgsql as $$
declare is_repeated boolean;
begin
  perform attache_enter((p->>'tenantId')::uuid);
  if p ? 'fence' and not attache_hold_epoch((p->>'sessionId')::uuid, (p->'fence'->>'incarnation')::uuid, (p->'fence'->>'epoch')::bigint) then
    return jsonb_build_object('outcome', 'ownership-lost');
  end if;
  if p ? 'handled' and not attache_mark_handled((p->'handled'->>'eventId')::uuid, p->'handled'->>'consumer') then
    return jsonb_build_object('outcome', 'stale');
  end if;
  if not attache_move_delivery(p) then
    select true into is_repeated from delivery where tenant_id = (select attache_tenant_id()) and id = (p->>'deliveryId')::uuid and status = p->>'to'
      and attempts = (p->>'attempts')::int and p ? 'fence' and epoch = (p->'fence'->>'epoch')::bigint;
    return jsonb_build_object('outcome', case when is_repeated then 'moved' else 'stale' end);
  end if;
  if p ? 'settles' then perform attache_settle_message((p->>'settles')::uuid); end if;
  perform attache_append_events((p->>'sessionId')::uuid, p->'events');
  return jsonb_build_object('outcome', 'moved') || case when jsonb_array_length(coalesce(p->'messages', '[]'::jsonb)) > 0
    then jsonb_build_object('owner', attache_live_owner(p->>'sessionId')) else '{}'::jsonb end;
end $$;

-- Adds a row of unchanged status to the timeline of a delivery that is under way. False: it is not, or has another owner by now.
create or replace function attache_note_delivery(p jsonb) returns jsonb language plpgsql as $$
declare d delivery%rowtype;
begin
  perform attache_enter((p->>'tenantId')::uuid);
  if not attache_hold_epoch((p->>'sessionId')::uuid, (p->'fence'->>'incarnation')::uuid, (p->'fence'->>'epoch')::bigint) then return to_jsonb(false); end if;
  -- Its moves take the next position under the same lock.
  select * into d from delivery where tenant_id = (select attache_tenant_id()) and id = (p->>'deliveryId')::uuid and status in ('claimed', 'written') for no key update;
  if not found then return to_jsonb(false); end if;
  insert into delivery_transition (tenant_id, delivery_id, position, status, actor, epoch, attempt, trace_id, code)
    select d.tenant_id, d.id, coalesce(max(position), 0) + 1, d.status, p->'actor', (p->'fence'->>'epoch')::bigint, d.attempts, d.trace_id, p->>'code'
      from delivery_transition where tenant_id = d.tenant_id and delivery_id = d.id;
  return to_jsonb(true);
end $$;

-- What became of the writes of an owner whose answer was lost, by the events in the log; null where none of them was committed. Inside a tenant.
create or replace function attache_find_owner_writes(p_session uuid, p_writes jsonb) returns jsonb language plpgsql stable as $$
declare written uuid[]; outcomes jsonb;
begin
  written := array(select l.id from session_log l where l.tenant_id = (select attache_tenant_id()) and l.session_id = p_session
    and l.id in (select (w->'events'->0->>'id')::uuid from jsonb_array_elements(p_writes) w));
  if cardinality(written) = 0 then return null; end if;
  select jsonb_agg(case when (w.value->'events'->0->>'id')::uuid = any(written) then jsonb_build_object('outcome', 'written')
      else coalesce(case when w.value ? 'writing' then
          attache_refuse_writing((w.value->>'deliveryId')::uuid, (w.value->'writing'->>'targetVersion')::int, w.value->'writing'->'attachmentIds') end,
        jsonb_build_object('outcome', 'stale')) end order by w.position)
    into outcomes from jsonb_array_elements(p_writes) with ordinality as w(value, position);
  return outcomes;
end $$;

-- Whether a delivery has the plan and the parts that a ring brought, and no file was deleted since that its agent's process may remember. Inside a tenant.
create or replace function attache_is_as_seen(p_delivery uuid, p_seen jsonb) returns boolean language plpgsql stable as $$
begin
  return exists (select 1 from delivery d join agent a on a.tenant_id = d.tenant_id and a.id = d.agent_id
    where d.tenant_id = (select attache_tenant_id()) and d.id = p_delivery and d.plan = p_seen->'plan' and d.parts = p_seen->'parts'
      and a.memory_version = (p_seen->>'memoryVersion')::int);
end $$;

-- What the owner of a session did and heard, in this order and in one transaction: moves of deliveries with what follows from them, and events alone.
-- `agesMs` says how long ago each of them happened. Answers an outcome for each; for a move with `answersNext` also the head of its agent's line behind it. It
-- moves all deliveries before it takes the log's turn. Asked again after a lost answer it changes nothing and says the same (W4), but no head. With `answersLog`
-- it answers beside the outcomes where its events came to stand in the log, and when, unless it was asked again.
create or replace function attache_write_as_owner(p jsonb, p_writes jsonb) returns jsonb language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  -- As the log keeps times: what is answered is what will be read.
  at timestamptz(3);
  the_session uuid := (p->>'sessionId')::uuid; w record; outcome jsonb; outcomes jsonb := '[]'; events jsonb := '[]'; last bigint;
  present timestamptz := clock_timestamp();
  moved uuid[] := array(select (m->>'deliveryId')::uuid from jsonb_array_elements(p_writes) m where m ? 'to');
begin
  perform attache_enter((p->>'tenantId')::uuid);
  if not attache_hold_epoch(the_session, (p->'fence'->>'incarnation')::uuid, (p->'fence'->>'epoch')::bigint) then return to_jsonb('ownership-lost'::text); end if;
  if (p->>'isRepeated')::boolean then
    outcome := attache_find_owner_writes(the_session, p_writes);
    if outcome is not null then return outcome; end if;
  end if;
  if cardinality(moved) > 1 then
    perform 1 from delivery d where d.tenant_id = (select attache_tenant_id()) and d.id = any(moved) order by d.id for no key update;
    perform 1 from agent a where a.tenant_id = (select attache_tenant_id())
      and a.id in (select d.agent_id from delivery d where d.tenant_id = (select attache_tenant_id()) and d.id = any(moved)) order by a.id for no key update;
  end if;
  for w in select e.value, (p->'agesMs'->>(e.position::int - 1))::float8 as age_ms from jsonb_array_elements(p_writes) with ordinality as e(value, position) loop
    at := present - make_interval(secs => w.age_ms / 1000);
    outcome := null;
    if w.value ? 'seen' and not attache_is_as_seen((w.value->>'deliveryId')::uuid, w.value->'seen') then outcome := jsonb_build_object('outcome', 'stale'); end if;
    if outcome is null and w.value ? 'writing' then
      outcome := attache_refuse_writing((w.value->>'deliveryId')::uuid, (w.value->'writing'->>'targetVersion')::int, w.value->'writing'->'attachmentIds');
    end if;
    if outcome is null and w.value ? 'to' and not attache_move_delivery(w.value || jsonb_build_object('fence', p->'fence', 'at', at)) then
      outcome := jsonb_build_object('outcome', 'stale');
    end if;
    if outcome is null then
      if w.value ? 'settles' then perform attache_settle_message((w.value->>'settles')::uuid); end if;
      outcome := jsonb_build_object('outcome', 'written')
        || case when w.value ? 'answersNext' then jsonb_build_object('next', attache_head_of((w.value->>'agentId')::uuid)) else '{}' end;
      events := events || (select coalesce(jsonb_agg(e || jsonb_build_object('at', at)), '[]'::jsonb) from jsonb_array_elements(w.value->'events') e);
    end if;
    outcomes := outcomes || outcome;
  end loop;
  if jsonb_array_length(events) > 0 then last := attache_append_events(the_session, events); end if;
  if p ? 'answersLog' then
    return jsonb_build_object('outcomes', outcomes, 'lastSeq', last,
      'times', (select coalesce(jsonb_agg(e.value->'at' order by e.position), '[]'::jsonb) from jsonb_array_elements(events) with ordinality as e(value, position)));
  end if;
  return outcomes;
end $$;

-- For processes of the release before, whose writes carry their own ages.
create or replace function attache_write_as_owner(p jsonb) returns jsonb language sql as $$
  select attache_write_as_owner(
    p || jsonb_build_object('agesMs', (select jsonb_agg(value->'ageMs' order by position) from jsonb_array_elements(p->'writes') with ordinality as e(value, position))),
    p->'writes')
$$;
