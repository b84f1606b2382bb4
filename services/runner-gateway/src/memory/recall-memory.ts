import path from 'node:path';
import { agentFolders } from '@attache/agent-process';
import { idFromUuid, isFault, type Profile } from '@attache/contracts';
import { type AgentRow, readCheckpoint, type StoredCheckpoint } from '@attache/database';
import { findProgram } from '@attache/programs/find-program';
import type { ProgramMemory } from '@attache/programs/program-memory';
import type { LeftFolders } from '../files/left-folders.ts';
import type { OwningDeps } from '../gateway-deps.ts';
import type { SessionKey } from '../ownership/session-ownership.ts';
import { hasMemory, removeMemory } from './find-memory.ts';
import { forgetMemory } from './forget-memory.ts';
import type { KeptMemory } from './kept-memory.ts';
import { restoreFiles } from './restore-files.ts';
import { readResumeReference } from './resume-reference.ts';

/** The default of `limits.checkpointBytes`. */
export const DEFAULT_CHECKPOINT_BYTES = 256 * 1024 * 1024;

/** The memory with which the next process of an agent begins. */
export type RecalledMemory = {
  /** The files from which its program continues; undefined if nobody knows them. */
  memory: ProgramMemory | undefined;
  resumeReference?: string | undefined;
  /** The files are in a folder next to the agent's, under their paths, and are moved into it before the program starts. */
  restored?: { folder: string; files: string[]; sizeBytes: number };
  kept?: KeptMemory;
  /** Why there is nothing, if the reason is known. */
  lack?: 'checkpoint-spoiled' | 'attachment-deleted';
};

type RecallDeps = Pick<OwningDeps, 'db' | 'blobs' | 'log' | 'ownership' | 'settings' | 'leftFolders'>;

/** Looks for an agent's memory in its folder, then in its latest checkpoint. Nothing of the agent runs. */
export async function recallMemory(
  deps: RecallDeps,
  session: SessionKey,
  row: AgentRow,
  { profile, folder }: { profile: Profile; folder: string },
): Promise<RecalledMemory> {
  const memory = findProgram(profile.runtime, profile.command)?.memory;
  const left = await readResumeReference(folder, row);
  if (left.status === 'outdated') {
    await forgetOutdated(deps, row, { memory, folder });
    if (left.isOfDeleted) await removeCopies(deps.leftFolders, folder);
    return { memory, ...(left.isOfDeleted && { lack: 'attachment-deleted' }) };
  }
  if (memory === undefined) return { memory, ...(left.status === 'found' && { resumeReference: left.reference }) };
  const checkpoint = await findCheckpoint(deps, session, row, profile);
  const isLeft = left.status === 'found' && !memory.isOnlyRestored;
  if (isLeft && (await hasMemory(folder, memory, left.reference)))
    return { memory, resumeReference: left.reference, ...(checkpoint && { kept: checkpoint }) };
  return checkpoint?.isCurrent ? restore(deps, row, { checkpoint, memory, folder }) : { memory };
}

/** Removes the memory that another target, or a deleted file, left behind. */
async function forgetOutdated(
  deps: RecallDeps,
  row: AgentRow,
  { memory, folder }: { memory: ProgramMemory | undefined; folder: string },
): Promise<void> {
  if (memory === undefined) return;
  await removeMemory(folder, memory);
  await forgetMemory(deps, row.tenantId, row.id);
}

/** Removes files that the agent was sent or looked at: programs put copies of pictures there, too. No link is followed; the start makes the folders again. */
async function removeCopies(leftFolders: LeftFolders, folder: string): Promise<void> {
  const { files, temporary } = agentFolders(folder);
  for (const place of [files, temporary]) await leftFolders.leave(place);
}

async function findCheckpoint(
  { db }: RecallDeps,
  { tenantId }: SessionKey,
  row: AgentRow,
  { limits }: Profile,
): Promise<StoredCheckpoint | undefined> {
  return limits.checkpointBytes === 0 ? undefined : readCheckpoint(db, { tenantId, agentId: row.id });
}

/** The folder of an agent's files on their way back, until its program starts. */
export const restoredFolderOf = (agentsFolder: string, agentId: string): string =>
  path.join(agentsFolder, `restored-${idFromUuid('agent', agentId)}`);

type Restoring = { checkpoint: StoredCheckpoint; memory: ProgramMemory; folder: string };

async function restore(
  { blobs, log, settings }: RecallDeps,
  row: AgentRow,
  { checkpoint, memory, folder }: Restoring,
): Promise<RecalledMemory> {
  const { files, packs, reference, sizeBytes } = checkpoint;
  const agentId = idFromUuid('agent', row.id);
  const place = restoredFolderOf(settings.agentsFolder, row.id);
  try {
    await restoreFiles(blobs, checkpoint, { folder: place, memory });
  } catch (error) {
    log.warn({ err: error, agentId }, 'agent.checkpoint_not_restored');
    // A store that does not answer says nothing about its content; the message does not wait for it.
    return isFault(error, 'STORAGE_UNAVAILABLE') ? { memory } : { memory, lack: 'checkpoint-spoiled' };
  }
  await removeMemory(folder, memory);
  return {
    memory,
    resumeReference: reference,
    restored: { folder: place, files: files.map((file) => file.path), sizeBytes },
    kept: { packs, files },
  };
}
