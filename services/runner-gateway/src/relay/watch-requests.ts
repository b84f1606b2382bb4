import { isRefusedForContent, type NotedRequest, type WireRequest } from '@attache/domain';
import type { ModelApi, RefusalCode, RelayAccess, RelayedContent, RelayedRequest } from '@attache/model-relay';
import type { Program } from '@attache/programs/program';
import { isTurnRequest } from '@attache/programs/turn-request';
import { type Logger, recordModelRequest, recordModelUse, startSpan } from '@attache/telemetry';
import type { RequestUse, TurnSlot } from '../output/turn-slot.ts';
import type { AgentQuarantine } from '../quarantine/agent-quarantine.ts';
import { describeEnd } from './describe-end.ts';

/** The limit for one agent: the program chooses the names of the models. */
const MAX_LOGGED_REFUSALS = 32;

/** Limits of tenant and provider: they say nothing about the program either, and a request that meets one has not left. */
const limits: ReadonlySet<RefusalCode> = new Set(['relay_tenant_quota', 'relay_provider_limited']);

/** These say nothing about the program. */
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
  /** Undefined if its program chooses. */
  model: string | undefined;
  program: Program | undefined;
  turns: Pick<TurnSlot, 'current' | 'noteRequest' | 'nameWire' | 'noteRefusal' | 'noteLastEnd'>;
  quarantine?: Pick<AgentQuarantine, 'learn' | 'isStrange' | 'noteRequest'> | undefined;
  /** The gateway's attributes of its spans. */
  attributes?: Readonly<Record<string, string | number>> | undefined;
  /** Records the use of a request. */
  noteUse: ((record: RelayedRequest) => void) | undefined;
};

/** Makes a span, metrics and at times a log line of each request that passes an agent's relay. */
export function watchRequests(log: Logger, agent: WatchedAgent): NonNullable<RelayAccess['watchRequest']> {
  const logRefusal = createRefusalLog(log);
  return () => {
    const span = startSpan({ name: 'relay.request', kind: 'client', parent: agent.turns.current()?.trace ?? 'root' });
    const noteEnd = agent.turns.noteRequest();
    const earlier = agent.turns.current()?.earlier;
    return (record) => {
      const request = toWireRequest(agent, record);
      const resentBytes = noteEnd(request, toUse(record));
      const end = isOwn(agent, record) ? describeEnd(agent.api, record) : undefined;
      if (end !== undefined) agent.turns.noteLastEnd(end);
      if (request !== undefined) noteAnswer(agent, { ...request, refusal: record.answer?.refusal, earlier });
      agent.noteUse?.(record);
      span.setAttributes({ ...agent.attributes, ...describeRequest(agent.api, record) });
      span.end();
      recordModelRequest({ ...record, api: agent.api, outcome: outcomeOf(record), answerBytes: record.responseBytes });
      recordModelUse({ ...record.usage, api: agent.api, resentBytes });
      logRefusal(record);
    };
  };
}

/** The content of a turn's own request; undefined for an errand, and for a request that never left. */
function toWireRequest(agent: OwnRequests, record: RelayedRequest): WireRequest | undefined {
  const { refused, content, answer } = record;
  if (refused !== undefined && !notOfProgram.has(refused)) return undefined;
  return isOwn(agent, record) ? { blocks: content?.blocks, answer } : undefined;
}

const isOwn = (agent: OwnRequests, { kind, model, content }: RelayedRequest): boolean =>
  kind === 'generate' && isOwnRequest(agent, model, content);

/** The facts by which a turn's own request is known from an errand. */
export type OwnRequests = Pick<WatchedAgent, 'model' | 'program'>;

/** Whether a generating request is a turn's own, as far as it was read. */
export const isOwnRequest = (
  { model, program }: OwnRequests,
  asked: string | undefined,
  content: RelayedContent | undefined,
): boolean => (model === undefined || asked === model) && (content === undefined || isTurnRequest(program, content));

/** Keeps a provider's refusal together with the attachment that it is about. */
function noteAnswer({ turns, quarantine }: WatchedAgent, request: Omit<NotedRequest, 'api'>): void {
  // A refusal for the key, the rate or the provider's trouble is not noted.
  if (request.refusal !== undefined && isRefusedForContent(request)) turns.noteRefusal(request.refusal);
  if (quarantine === undefined) return;
  if (quarantine.isStrange(request))
    for (const [wireSha256, attachmentId] of turns.nameWire(request)) quarantine.learn(wireSha256, attachmentId);
  quarantine.noteRequest(request);
}

/** The use of a generating request that left, including errands. */
const toUse = ({ kind, hasLeft, content, usage }: RelayedRequest): RequestUse | undefined =>
  kind === 'generate' && hasLeft ? { blocks: content?.blocks ?? [], counted: usage } : undefined;

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

/** A program often repeats a request that is refused: each refusal is logged once for a model and field. */
function createRefusalLog(log: Logger): (record: RelayedRequest) => void {
  const seen = new Set<string>();
  return ({ refused, refusedField: field, model, agentId, epoch, kind, method }) => {
    const key = `${refused} ${field ?? ''} ${model}`;
    if (refused === undefined || notOfProgram.has(refused) || limits.has(refused)) return;
    if (seen.has(key) || seen.size === MAX_LOGGED_REFUSALS) return;
    seen.add(key);
    log.warn({ agentId, epoch, refused, field, kind, method, model }, 'relay.refused');
  };
}
