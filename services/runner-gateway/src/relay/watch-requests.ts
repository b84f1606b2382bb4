import type { WireRequest } from '@attache/domain';
import type { ModelApi, RefusalCode, RelayAccess, RelayedRequest } from '@attache/model-relay';
import type { Program } from '@attache/programs/program';
import { isTurnRequest } from '@attache/programs/turn-request';
import { type Logger, recordModelRequest, startSpan } from '@attache/telemetry';
import type { TurnSlot } from '../output/turn-slot.ts';

/** Of one agent; the models that it names are its own words. */
const MAX_LOGGED_REFUSALS = 32;

/** These say nothing of the program. */
const notOfProgram: ReadonlySet<RefusalCode> = new Set([
  'relay_provider_failed',
  'relay_provider_timeout',
  'relay_key_missing',
  'relay_key_unreadable',
]);

/** How the OpenTelemetry conventions name the provider of an API. */
const providerNames: Readonly<Record<ModelApi, string>> = {
  anthropic: 'anthropic',
  'openai-responses': 'openai',
  'openai-chat': 'openai',
  google: 'gcp.gemini',
};

export type WatchedAgent = {
  api: ModelApi;
  /** Undefined where its program chooses. */
  model: string | undefined;
  program: Program | undefined;
  turns: Pick<TurnSlot, 'current' | 'noteRequest'>;
};

/** Makes a span, metrics and at times a log line of each request that passes an agent's relay. */
export function watchRequests(log: Logger, agent: WatchedAgent): NonNullable<RelayAccess['watchRequest']> {
  const logRefusal = createRefusalLog(log);
  return () => {
    const span = startSpan({ name: 'relay.request', kind: 'client', parent: agent.turns.current()?.trace ?? 'root' });
    const noteEnd = agent.turns.noteRequest();
    return (record) => {
      noteEnd(toWireRequest(agent, record));
      span.setAttributes(describeRequest(agent.api, record));
      span.end();
      recordModelRequest({ ...record, api: agent.api, outcome: outcomeOf(record), answerBytes: record.responseBytes });
      logRefusal(record);
    };
  };
}

/** What was seen of a turn's own request; undefined of an errand, and of what never left. */
function toWireRequest(
  { model, program }: Pick<WatchedAgent, 'model' | 'program'>,
  { kind, refused, model: asked, content, answer }: RelayedRequest,
): WireRequest | undefined {
  if (kind !== 'generate' || (refused !== undefined && !notOfProgram.has(refused))) return undefined;
  if (model !== undefined && asked !== model) return undefined;
  if (content !== undefined && !isTurnRequest(program, content)) return undefined;
  return { blocks: content?.blocks, answer };
}

function describeRequest(api: ModelApi, record: RelayedRequest): Record<string, string | number> {
  const { agentId, kind, model, status, refused, requestBytes, responseBytes } = record;
  const isFailed = refused !== undefined || status === undefined || status >= 400;
  return {
    'gen_ai.operation.name': kind === 'generate' ? (api === 'google' ? 'generate_content' : 'chat') : kind,
    'gen_ai.provider.name': providerNames[api],
    'gen_ai.agent.id': agentId,
    'http.request.body.size': requestBytes,
    'http.response.body.size': responseBytes,
    ...(model === undefined ? {} : { 'gen_ai.request.model': model }),
    ...(status === undefined ? {} : { 'http.response.status_code': status }),
    ...(isFailed ? { 'error.type': refused ?? String(status ?? 'lost') } : {}),
  };
}

function outcomeOf({ refused, status, isWhole }: RelayedRequest): string {
  if (refused !== undefined) return refused;
  return status === undefined || !isWhole ? 'lost' : `${Math.floor(status / 100)}xx`;
}

/** A program that asks for what it may not have often does so again: each refusal is logged once for a model. */
function createRefusalLog(log: Logger): (record: RelayedRequest) => void {
  const seen = new Set<string>();
  return ({ refused, model, agentId, epoch, kind, method }) => {
    const key = `${refused} ${model}`;
    if (refused === undefined || notOfProgram.has(refused) || seen.has(key) || seen.size === MAX_LOGGED_REFUSALS)
      return;
    seen.add(key);
    log.warn({ agentId, epoch, refused, kind, method, model }, 'relay.refused');
  };
}
