import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { RunningAgent } from '@attache/agent-process';
import { type EventData, idFromUuid, isFault } from '@attache/contracts';
import { type AgentRow, type KeptOutcome, keepCheckpoint, type NewEvent } from '@attache/database';
import { dropUnusedPacks, isScattered } from '@attache/domain';
import { giveUpKey, removeBytes, reserveKey } from '@attache/intake';
import type { ProgramMemory } from '@attache/programs/program-memory';
import type { OwningDeps } from '../gateway-deps.ts';
import type { SessionKey } from '../ownership/session-ownership.ts';
import { copyDatabases } from './copy-databases.ts';
import { type FoundFile, findMemory } from './find-memory.ts';
import { searchSecrets } from './find-secret.ts';
import { type KeptMemory, nothingKept } from './kept-memory.ts';
import { packMemory, SecretFound, TurnBegun } from './pack-memory.ts';
import { writePack } from './write-pack.ts';

export type CheckpointDeps = Pick<OwningDeps, 'db' | 'blobs' | 'doorbells' | 'intake' | 'ownership' | 'log'>;

export type Refused = NonNullable<EventData<'agent.checkpointed'>['refused']>;

/** `left`: a turn began meanwhile, or the agent's memory does not count any more. */
export type TakenCheckpoint =
  | { outcome: 'kept'; kept: KeptMemory }
  | { outcome: 'refused'; why: Refused }
  | { outcome: 'left' };

/** The agent whose memory is kept, with its folder and its process. */
export type MemoryOwner = {
  session: SessionKey;
  row: AgentRow;
  folder: string;
  memory: ProgramMemory;
  running: Pick<RunningAgent, 'resumeReference' | 'programVersion' | 'copyDatabase'>;
  /** The secrets that no checkpoint may hold. They are read for each checkpoint and never kept. */
  readSecrets(): Promise<readonly string[]>;
  maxBytes: number;
};

export type Moment = {
  /** The last message that was brought to the agent (uuid). */
  deliveryId: string;
  /** Whether it has rested since then. */
  isStill(): boolean;
  kept: KeptMemory;
};

/** Stores the files that an agent's program needs to continue. Returns refusals as an outcome; throws if the store or the database does not answer. */
export async function keepMemory(deps: CheckpointDeps, owner: MemoryOwner, moment: Moment): Promise<TakenCheckpoint> {
  const { folder, memory, running, maxBytes } = owner;
  const reference = running.resumeReference;
  if (reference === undefined) return { outcome: 'left' };
  const found = await findMemory(folder, memory, reference);
  if (found === undefined) return { outcome: 'refused', why: 'unreadable' };
  if (sumBytes(found) > maxBytes) return { outcome: 'refused', why: 'too-large' };
  const copies: string[] = [];
  try {
    const files = await copyDatabases(owner, found, copies);
    if (files === undefined) return { outcome: 'refused', why: 'unreadable' };
    if (sumBytes(files) > maxBytes) return { outcome: 'refused', why: 'too-large' };
    if (!moment.isStill()) return { outcome: 'left' };
    return await store(deps, owner, { ...moment, files, reference });
  } finally {
    for (const copy of copies) await rm(path.join(folder, copy), { force: true });
  }
}

const sumBytes = (files: readonly FoundFile[]): number => files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);

type Storing = Moment & { files: readonly FoundFile[]; reference: string };

async function store(deps: CheckpointDeps, owner: MemoryOwner, storing: Storing): Promise<TakenCheckpoint> {
  const { tenantId, sessionId } = owner.session;
  const kept = isScattered(storing.kept.packs, sumBytes(storing.files)) ? nothingKept : storing.kept;
  const expectedBytes = measureNew(storing.files, kept);
  const reserved = await reserveKey(deps.intake, {
    tenantId,
    sessionId,
    sizeBytes: expectedBytes,
    maxBytes: expectedBytes,
  }).catch(refuseReservation);
  if (reserved === 'no-room') return { outcome: 'refused', why: 'no-room' };
  if (reserved === 'left' || reserved.outcome === 'replay') return { outcome: 'left' };
  let outcome: KeptOutcome['outcome'] | undefined;
  try {
    const secrets = searchSecrets(await owner.readSecrets());
    const { bytes, packed } = packMemory({ ...storing, folder: owner.folder, kept, secrets });
    const written = await writePack(deps.blobs, reserved.key, bytes, expectedBytes);
    const packs = [...kept.packs, { blobId: reserved.blobId, rawBytes: packed.rawBytes }];
    const used = dropUnusedPacks({ packs: packs.map(({ blobId }) => blobId), files: packed.files });
    const recorded = await record(deps, owner, {
      ...storing,
      ...used,
      ...written,
      ...reserved,
      rawBytes: packed.rawBytes,
    });
    outcome = recorded.outcome;
    if (recorded.outcome !== 'kept') return { outcome: 'left' };
    for (const blob of recorded.released) void removeBytes(deps, tenantId, blob);
    const present = packs.filter(({ blobId }) => used.packs.includes(blobId));
    return { outcome: 'kept', kept: { packs: present, files: used.files } };
  } catch (error) {
    if (error instanceof SecretFound) return { outcome: 'refused', why: 'secret-found' };
    if (error instanceof TurnBegun) return { outcome: 'left' };
    throw error;
  } finally {
    if (outcome !== 'kept') await giveUpKey(deps.intake, reserved);
  }
}

const SLACK_BYTES = 64 * 1024;

/** The most bytes that are read beyond those that are kept, if none of the kept ones changed. */
function measureNew(files: readonly FoundFile[], { files: kept }: KeptMemory): number {
  const keptBytes = ({ keptPath, form, sizeBytes }: FoundFile) => {
    const former = form === 'database' ? undefined : kept.find(({ path: name }) => name === keptPath);
    return former === undefined || former.sizeBytes > sizeBytes ? 0 : former.sizeBytes;
  };
  return SLACK_BYTES + files.reduce((sum, file) => sum + file.sizeBytes - keptBytes(file), 0);
}

function refuseReservation(error: unknown): 'no-room' | 'left' {
  if (isFault(error, 'QUOTA_EXCEEDED')) return 'no-room';
  if (isFault(error, 'SESSION_ENDED') || isFault(error, 'SESSION_NOT_FOUND')) return 'left';
  throw error;
}

type Recording = Omit<Storing, 'files'> & {
  packs: string[];
  files: Parameters<typeof keepCheckpoint>[1]['files'];
  blobId: string;
  rawBytes: number;
  storedBytes: number;
  sha256: string;
};

/** Counts only while this gateway owns the session, and is in the log with the commit. */
async function record(
  { db, ownership, doorbells }: CheckpointDeps,
  { session, row, running }: MemoryOwner,
  recording: Recording,
): Promise<KeptOutcome> {
  const { deliveryId, files, packs, reference, blobId, rawBytes, storedBytes, sha256 } = recording;
  const sizeBytes = files.reduce((sum, file) => sum + file.sizeBytes, 0);
  const checkpoint = {
    ...{ ...session, agentId: row.id, deliveryId, reference, files, packs },
    ...{ targetVersion: row.targetVersion, memoryVersion: row.memoryVersion, programVersion: running.programVersion },
    ...{ sizeBytes, blobId, rawBytes, storedBytes, sha256 },
    events: [describeCheckpoint(row, { deliveryId, files: files.length, sizeBytes, storedBytes })],
  };
  const kept = await ownership.step(session, (fence) => keepCheckpoint(db, checkpoint, fence));
  doorbells.ring([`log:${session.sessionId}`]);
  return kept;
}

type Noted = { deliveryId: string; files: number; sizeBytes: number; storedBytes: number; refused?: Refused };

/** The event of the session log for a checkpoint. */
export function describeCheckpoint(row: AgentRow, { deliveryId, ...facts }: Noted): NewEvent {
  const actor = { type: 'service', id: 'runner-gateway' } as const;
  const data = { agentId: idFromUuid('agent', row.id), deliveryId: idFromUuid('delivery', deliveryId), ...facts };
  return { kind: 'agent.checkpointed', actor, data };
}
