-- What a tenant has used of a day's tokens, and how many it may use; `tokensPerDay` is null where there is no limit. Inside a tenant.
create or replace function attache_day_tokens(p_day date) returns jsonb language plpgsql stable as $$
begin
  return jsonb_build_object('day', p_day,
    'tokensPerDay', (select tokens_per_day from tenant where tenant_id = (select attache_tenant_id())),
    'usedTokens', coalesce((select input_tokens + output_tokens from day_use where tenant_id = (select attache_tenant_id()) and day = p_day), 0));
end $$;

create or replace function attache_read_day_tokens(p_tenant uuid, p_day date) returns jsonb language plpgsql as $$
begin
  perform attache_enter(p_tenant);
  return attache_day_tokens(p_day);
end $$;

-- Adds what agents have used. It adds: the caller finds out by `transactionId` whether a write whose answer was lost is committed. Inside a tenant.
create or replace function attache_add_use(p jsonb) returns jsonb language plpgsql as $$
begin
  insert into model_use as kept (tenant_id, day, session_id, agent_id, provider, model, requests, uncounted_requests, input_tokens, cached_input_tokens, output_tokens)
    select attache_tenant_id(), u.day, u."sessionId", u."agentId", u.provider, u.model, u.requests, u."uncountedRequests", u."inputTokens", u."cachedInputTokens", u."outputTokens"
      from jsonb_to_recordset(p->'uses') as u(day date, "sessionId" uuid, "agentId" uuid, provider text, model text, requests bigint, "uncountedRequests" bigint,
        "inputTokens" bigint, "cachedInputTokens" bigint, "outputTokens" bigint)
      order by u.day, u."sessionId", u."agentId", u.provider, u.model
    on conflict (tenant_id, day, session_id, agent_id, provider, model) do update set requests = kept.requests + excluded.requests,
      uncounted_requests = kept.uncounted_requests + excluded.uncounted_requests, input_tokens = kept.input_tokens + excluded.input_tokens,
      cached_input_tokens = kept.cached_input_tokens + excluded.cached_input_tokens, output_tokens = kept.output_tokens + excluded.output_tokens;
  -- Last, since this row is shared by all gateways.
  insert into day_use as kept (tenant_id, day, requests, uncounted_requests, input_tokens, cached_input_tokens, output_tokens)
    select attache_tenant_id(), u.day, sum(u.requests), sum(u."uncountedRequests"), sum(u."inputTokens"), sum(u."cachedInputTokens"), sum(u."outputTokens")
      from jsonb_to_recordset(p->'uses') as u(day date, requests bigint, "uncountedRequests" bigint, "inputTokens" bigint, "cachedInputTokens" bigint, "outputTokens" bigint)
      group by u.day order by u.day
    on conflict (tenant_id, day) do update set requests = kept.requests + excluded.requests,
      uncounted_requests = kept.uncounted_requests + excluded.uncounted_requests, input_tokens = kept.input_tokens + excluded.input_tokens,
      cached_input_tokens = kept.cached_input_tokens + excluded.cached_input_tokens, output_tokens = kept.output_tokens + excluded.output_tokens;
  return jsonb_build_object('transactionId', pg_current_xact_id()::text, 'tokens', attache_day_tokens((p->>'today')::date));
end $$;
