import type { AttachmentStatus } from '@attache/contracts';
import type { Logger } from 'pino';
import { instruments } from './instruments.ts';

// One function per business event: the only place that decides what is logged and counted for it. Ids, counts and codes; never names, texts or bytes. Ids are
// in log lines alone, never in labels.

export type Stage = 'store' | 'inspect' | 'prepare' | 'agent-start' | 'materialise' | 'turn';

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const DENIALS: ReadonlySet<string> = new Set(['UNAUTHENTICATED', 'INVALID_SIGNATURE', 'FORBIDDEN']);
const LIMITS: ReadonlySet<string> = new Set(['RATE_LIMITED', 'QUOTA_EXCEEDED', 'BACKLOG_FULL']);

/** Counts an answered request. `route` is its template, never its path; `code` is that of a refusal. */
export function recordRequest(request: {
  route: string;
  method: string;
  status: number;
  durationMs: number;
  code?: string | undefined;
}): void {
  const { route, status, code } = request;
  const method = METHODS.has(request.method) ? request.method : 'other';
  const labels = { route, method, status: `${Math.floor(status / 100)}xx` };
  instruments.requestSeconds().record(request.durationMs / 1000, labels);
  if (code === undefined) return;
  if (DENIALS.has(code)) instruments.denials().add(1, { code });
  if (LIMITS.has(code)) instruments.rateLimited().add(1, { code });
}

/** Records how long one stage took. */
export function recordStage(stage: Stage, durationMs: number): void {
  instruments.stageSeconds().record(durationMs / 1000, { stage });
}

export function logUploadAccepted(
  log: Logger,
  event: {
    attachmentId: string;
    sessionId: string;
    mimeType: string;
    sizeBytes: number;
    durationMs: number;
    isReplay?: boolean;
    /** `ready` if its bytes showed everything that inspection would. */
    status: AttachmentStatus;
  },
): void {
  log.info(event, 'attachment.added');
  instruments.uploads().add(1, { outcome: event.isReplay ? 'replayed' : 'accepted', code: '' });
  if (event.isReplay) return;
  instruments.uploadBytes().add(event.sizeBytes);
  recordStage('store', event.durationMs);
}

/** Counts an upload by how its key was reserved: in advance, or by a commit of its own. */
export function recordReservation(way: 'pool' | 'commit'): void {
  instruments.uploadReservations().add(1, { way });
}

export function logUploadRefused(log: Logger, event: { sessionId: string; code: string; sizeBytes: number }): void {
  log.info(event, 'upload.refused');
  instruments.uploads().add(1, { outcome: 'refused', code: event.code });
}

export function logAttachmentInspected(
  log: Logger,
  event: {
    attachmentId: string;
    status: 'ready' | 'rejected';
    kind: string;
    code?: string | undefined;
    durationMs: number;
  },
): void {
  const { status, kind, code = '' } = event;
  log.info(event, `attachment.${status}`);
  countInspection({ status, kind, code });
  recordStage('inspect', event.durationMs);
}

/** Counts an attachment that was found ready as its bytes came in. */
export function countInspectedInPassing({ kind }: { kind: string }): void {
  countInspection({ status: 'ready', kind, code: '' });
}

function countInspection(labels: { status: string; kind: string; code: string }): void {
  instruments.inspections().add(1, labels);
}

export function logMessageAccepted(
  log: Logger,
  event: {
    messageId: string;
    sessionId: string;
    deliveries: number;
    attachments: number;
    textBytes: number;
    textMedia?: 'keep';
  },
): void {
  log.info(event, 'message.accepted');
  instruments.messages().add(1, { outcome: 'accepted', code: '' });
}

export function logMessageBlocked(log: Logger, event: { sessionId: string; codes: readonly string[] }): void {
  log.info(event, 'message.blocked');
  for (const code of event.codes) instruments.messages().add(1, { outcome: 'blocked', code });
}

/** How long ago the message of a delivery was accepted. Of a later attempt that says nothing: a person may have waited a day. */
export function sinceAccepted(delivery: { createdAt: Date; attempts: number }): number | undefined {
  return delivery.attempts === 1 ? Math.max(0, Date.now() - delivery.createdAt.getTime()) : undefined;
}

const ENDS: ReadonlySet<string> = new Set(['responded', 'failed', 'cancelled']);

export function logDeliveryMoved(
  log: Logger,
  event: {
    deliveryId: string;
    status: string;
    runtime?: string;
    model?: string;
    epoch?: number;
    code?: string | undefined;
    /** Since the message was accepted; only where this is the first attempt. */
    sinceAcceptedMs?: number | undefined;
  },
): void {
  const { status, code = '', sinceAcceptedMs } = event;
  log.info(event, `delivery.${status}`);
  instruments.deliveries().add(1, { status, code });
  if (sinceAcceptedMs === undefined) return;
  if (ENDS.has(status)) instruments.deliverySeconds().record(sinceAcceptedMs / 1000, { status });
  if (status === 'written') instruments.dispatchSeconds().record(sinceAcceptedMs / 1000);
}

export function logAgentStarted(
  log: Logger,
  event: { agentId: string; runtime: string; epoch: number; durationMs: number },
): void {
  log.info(event, 'agent.started');
  instruments.agents().add(1, { event: 'started', reason: '' });
  recordStage('agent-start', event.durationMs);
}

export function logAgentStopped(
  log: Logger,
  event: { agentId: string; reason: string; exitCode?: number | undefined },
): void {
  log.info(event, 'agent.stopped');
  instruments.agents().add(1, { event: 'stopped', reason: event.reason });
}

/** Inline media that was taken out of an agent's output. */
export function recordStripped(stripped: { count: number; bytes: number }): void {
  instruments.stripped().add(stripped.count);
  instruments.strippedBytes().add(stripped.bytes);
}

export function logSessionsRecovered(log: Logger, event: { sessions: number }): void {
  if (event.sessions === 0) return;
  log.info(event, 'sessions.recovered');
  instruments.takeovers().add(event.sessions);
}

/** `goneMs`: for how long a session had no living owner. */
export function recordTakeover({ goneMs }: { goneMs: number }): void {
  instruments.takeoverSeconds().record(goneMs / 1000);
}

/** Counts a session that a gateway lost, or gave up because its lease could not be renewed. */
export function recordOwnershipLost(): void {
  instruments.ownershipLost().add(1);
}

/** Counts a message that a consumer was given; one that came before counts as redelivered. */
export function recordReceived(message: { subject: string; attempt: number }): void {
  if (message.attempt > 1) instruments.redeliveries().add(1, { subject: message.subject });
}

/** Counts what the relay gave to the broker, or could not. */
export function recordPublished(publish: { subject: string; outcome: 'published' | 'failed'; count?: number }): void {
  const { subject, outcome, count = 1 } = publish;
  instruments.publishes().add(count, { subject, outcome });
}

/**
 * Counts a ring by its outcome. The sender counts it as rung, or as not rung if nobody could receive it; the receiver counts it as taken, dropped for want of
 * room, or passed on.
 */
export function recordRing(ring: { subject: string; outcome: RingOutcome }): void {
  instruments.rings().add(1, ring);
}

export type RingOutcome = 'rung' | 'not-rung' | 'taken' | 'dropped' | 'passed-on';

export function logMessageDead(
  log: Logger,
  event: { subject: string; eventId: string; reason: string; attempts: number },
): void {
  log.error(event, 'bus.message_dead');
  instruments.deadLetters().add(1, { subject: event.subject });
}

/** Counts a request of an agent to its model API. `outcome`: the class of its status, a code of the relay, or `lost` where nobody took the answer. */
export function recordModelRequest(request: {
  api: string;
  kind: string;
  outcome: string;
  requestBytes: number;
  answerBytes: number;
  firstByteMs: number | undefined;
}): void {
  const { api, kind, outcome, requestBytes, answerBytes, firstByteMs } = request;
  instruments.modelRequests().add(1, { api, kind, outcome });
  instruments.modelRequestBytes().add(requestBytes, { api });
  instruments.modelAnswerBytes().add(answerBytes, { api });
  if (firstByteMs !== undefined) instruments.modelFirstByteSeconds().record(firstByteMs / 1000, { api });
}

/** Counts what a provider counted for a request, and what that sent again of what was sent before. */
export function recordModelUse(use: {
  api: string;
  inputTokens?: number;
  cachedInputTokens?: number;
  outputTokens?: number;
  resentBytes: number;
}): void {
  const { api, inputTokens = 0, cachedInputTokens = 0, outputTokens = 0, resentBytes } = use;
  const byKind = { input: inputTokens - cachedInputTokens, cached: cachedInputTokens, output: outputTokens };
  for (const [kind, tokens] of Object.entries(byKind))
    if (tokens > 0) instruments.modelTokens().add(tokens, { api, kind });
  if (resentBytes > 0) instruments.modelResentBytes().add(resentBytes, { api });
}

/** Counts the items of a receipt that the wire has proven. */
export function recordProvenItems(
  items: readonly { verdict: string; proof?: string | undefined; wire?: { altered: boolean } | undefined }[],
): void {
  for (const { verdict, proof, wire } of items)
    if (proof === 'wire') instruments.wireItems().add(1, { verdict, altered: wire?.altered === true });
}

/** Counts a request that waits, since the provider takes no more under its key. */
export function recordHeldRequest({ api }: { api: string }): void {
  instruments.modelHeldRequests().add(1, { api });
}
