import { hash } from 'node:crypto';
import type { DeliveryContents } from '@attache/agent-process';
import {
  type AttachmentId,
  type ByteReference,
  type EventData,
  idFromUuid,
  type Part,
  type ReplayPolicy,
  uuidFromId,
} from '@attache/contracts';
import {
  type EndEvent,
  findSession,
  readEndEvents,
  readStoredAttachments,
  type StoredAttachment,
} from '@attache/database';
import { type ComposedHistory, composeHistory, measureHeld, measureHistoryRoom, referencesOf } from '@attache/domain';
import { findProgram } from '@attache/programs/find-program';
import type { OwningDeps } from '../gateway-deps.ts';
import type { AgentMemory } from '../host/agent-memory.ts';
import { capabilityOf } from '../host/capability-of.ts';
import { fitsInMemory, keyOf, materialiseParts } from '../materialise/materialise-parts.ts';
import { type EndOfMemory, judgeEnds } from './end-of-memory.ts';
import { type ReadTurns, readTurns, type ToldAgent, type TurnsRequest } from './read-turns.ts';
import { walkBack } from './walk-back.ts';

export type Rebuilt = EventData<'agent.rebuilt'>;

/** The history that goes before a message, to an agent that remembers nothing. */
export type BroughtHistory = {
  parts: readonly Part[];
  contents: DeliveryContents;
  /** Uuids of the files that it mentions: it is valid as long as the agent may read them. */
  attachmentIds: readonly string[];
  /** Pages of the documents in it. */
  pages: number;
  rebuilt: Rebuilt;
};

type Bringing = {
  memory: Pick<AgentMemory, 'isResumeRefused' | 'lack'>;
  /** The contents of the delivery itself. */
  contents: Pick<DeliveryContents, 'text'>;
  /** The folder for files of the history, unless they may stay in memory. */
  folder: string;
  takesFiles: boolean;
};

const noOriginals: ReplayPolicy = { originals: 'none' };

/** Composes the history of an agent as its log has it now, for the target that it has now, within what the delivery leaves (SR-15). */
export async function bringHistory(
  deps: OwningDeps,
  told: ToldAgent,
  { memory, contents, folder, takesFiles }: Bringing,
): Promise<BroughtHistory> {
  const { session, row } = told;
  const { replayPolicy, lastSeq } = await readSession(deps, told);
  const { reason: end = 'no-transcript', setbacks } = await findEnd(deps, told, lastSeq);
  const reason = memory.isResumeRefused ? 'transcript-refused' : (memory.lack ?? end);
  const request = describeRequest(deps, told, contents, { setbacks, replayPolicy, lastSeq });
  const read = await readTurns(deps, told, request);
  const stored = await readOriginals(deps, session.tenantId, read);
  const composed = compose(read, request, stored);
  const { parts } = composed;
  const place = takesFiles || !fitsInMemory(parts) ? folder : undefined;
  const files = { tenantId: session.tenantId, parts, plan: { items: [] }, attachments: stored, folder: place };
  const brought = await materialiseParts(deps, files);
  if (brought.status === 'ready')
    return describeBrought(told, reason, { read, composed, contents: brought.contents, stored });
  // A file that cannot be fetched is described instead, as are all others: the message does not wait for it.
  deps.log.warn({ deliveryId: idFromUuid('delivery', row.id), code: brought.failure.code }, 'agent.originals_not_kept');
  const described = { ...request, policy: noOriginals };
  const words = await readTurns(deps, told, described);
  return describeBrought(told, reason, {
    ...{ read: words, composed: compose(words, described, []), contents: noContents, stored: [] },
  });
}

const noContents: DeliveryContents = {
  embedded: () => {
    throw new Error('a history of texts has no files');
  },
  text: () => '',
};

/** Reads the log backwards until the agent has answered. */
async function findEnd(
  { db }: Pick<OwningDeps, 'db'>,
  { session, agent }: ToldAgent,
  lastSeq: number,
): Promise<EndOfMemory> {
  const agentId = idFromUuid('agent', agent.id);
  const events: EndEvent[] = [];
  for (const { fromSeq, beforeSeq } of walkBack(lastSeq)) {
    const stretch = { sessionId: session.sessionId, agentId, fromSeq, beforeSeq };
    events.push(...(await db.readAsTenant(session.tenantId, (tx) => readEndEvents(tx, stretch))));
    if (judgeEnds(events).isKnown) break;
  }
  return judgeEnds(events);
}

type Session = { replayPolicy: ReplayPolicy; lastSeq: number };

async function readSession({ db }: Pick<OwningDeps, 'db'>, { session }: ToldAgent): Promise<Session> {
  const found = await db.readAsTenant(session.tenantId, (tx) => findSession(tx, session.sessionId));
  return found ?? { replayPolicy: noOriginals, lastSeq: 0 };
}

function describeRequest(
  deps: OwningDeps,
  told: ToldAgent,
  contents: Bringing['contents'],
  { setbacks, replayPolicy, lastSeq }: Session & Pick<EndOfMemory, 'setbacks'>,
): TurnsRequest {
  const { agent, row } = told;
  const capability = capabilityOf(deps, told);
  const parts = row.parts ?? [];
  const command = deps.profiles[agent.profile]?.command ?? [];
  const room = measureHistoryRoom({
    capability,
    own: { plan: row.plan, parts, held: measureHeld(parts, row.plan, contents.text) },
    maxTurnCharacters: findProgram(agent.runtime, command)?.maxTurnCharacters,
    setbacks,
  });
  // Originals that its model found too large, or that its program did not survive, are not sent again.
  return { capability, room, lastSeq, policy: setbacks > 0 ? noOriginals : replayPolicy };
}

function readOriginals(
  { db }: Pick<OwningDeps, 'db'>,
  tenantId: string,
  { turns }: ReadTurns,
): Promise<StoredAttachment[]> {
  const parts = turns.flatMap(({ pieces }) => pieces.map(({ part }) => part));
  const ids = new Set(parts.flatMap(referencesOf).map(({ attachmentId }) => uuidFromId(attachmentId)));
  return ids.size === 0 ? Promise.resolve([]) : readStoredAttachments(db, tenantId, [...ids]);
}

const pagesIn =
  (stored: readonly StoredAttachment[]) =>
  (id: AttachmentId): number | undefined =>
    stored.find(({ attachment }) => attachment.id === id)?.attachment.facts.pages;

function compose(
  { turns, totalMessages }: ReadTurns,
  { room }: TurnsRequest,
  stored: readonly StoredAttachment[],
): ComposedHistory {
  const digest = (text: string) => hash('sha256', text);
  return composeHistory(turns, { room, totalMessages, digest, pagesOf: pagesIn(stored) });
}

type Made = {
  read: ReadTurns;
  composed: ComposedHistory;
  contents: DeliveryContents;
  stored: readonly StoredAttachment[];
};

function describeBrought(
  { agent, row }: ToldAgent,
  reason: Rebuilt['reason'],
  { read, composed, contents, stored }: Made,
): BroughtHistory {
  const { parts, attachmentIds: named, ...facts } = composed;
  const attachmentIds = named.map(uuidFromId).filter((id) => read.permitted.has(id));
  const pagesOf = pagesIn(stored);
  const pages = parts.reduce(
    (sum, part) => sum + (part.type === 'document' ? (pagesOf(part.bytes.attachmentId) ?? 0) : 0),
    0,
  );
  const ids = { agentId: idFromUuid('agent', agent.id), deliveryId: idFromUuid('delivery', row.id) };
  return { parts, contents, attachmentIds, pages, rebuilt: { ...ids, reason, ...facts } };
}

/** The bytes of a history and of the delivery behind it. */
export function joinContents({ parts, contents: earlier }: BroughtHistory, own: DeliveryContents): DeliveryContents {
  const known = new Set(parts.flatMap(referencesOf).map(keyOf));
  const of = (reference: ByteReference) => (known.has(keyOf(reference)) ? earlier : own);
  return {
    embedded: (reference) => of(reference).embedded(reference),
    text: (reference) => of(reference).text(reference),
  };
}
