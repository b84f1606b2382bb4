import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { open, rename, rmdir, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Holds the resume reference: the id by which a runtime reopens its conversation. It is kept next to the transcripts, and gone with them. */
const FILE = 'resume.json';
const MAX_BYTES = 4096;

// It becomes an argument of a program: only characters of ids, and never a flag.
const REFERENCE = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,127}$/;

type AgentTarget = { profile: string; runtime: string; provider: string; model: string; memoryVersion: number };

/** `outdated`: the conversation is of another target, or a file that it may hold is deleted. */
export type LeftReference =
  | { status: 'found'; reference: string }
  | { status: 'outdated'; isOfDeleted: boolean }
  | { status: 'none' };

/** The target of an agent and the version of its memory: an agent with another one does not continue its conversation. */
export const targetOf = ({ profile, runtime, provider, model, memoryVersion }: AgentTarget): string =>
  [profile, runtime, provider, model, ...(memoryVersion === 0 ? [] : [String(memoryVersion)])].join(' ');

/** Reads the reference that the folder holds. */
export async function readResumeReference(folder: string, agent: AgentTarget): Promise<LeftReference> {
  const stored = await readJson(join(folder, FILE));
  if (typeof stored !== 'object' || stored === null) return { status: 'none' };
  const { target, reference } = stored as { target?: unknown; reference?: unknown };
  if (typeof target !== 'string' || typeof reference !== 'string' || !REFERENCE.test(reference))
    return { status: 'none' };
  if (target === targetOf(agent)) return { status: 'found', reference };
  const former = targetOf({ ...agent, memoryVersion: 0 });
  return { status: 'outdated', isOfDeleted: target === former || target.startsWith(`${former} `) };
}

/** Keeps the reference of one agent's process: each change is written, one write after the other. */
export type ReferenceKeeper = {
  keep(reference: string): Promise<void>;
  /** Removes the reference, and keeps none any more. */
  drop(): Promise<void>;
};

export function createReferenceKeeper(folder: string, agent: AgentTarget): ReferenceKeeper {
  let kept: string | undefined;
  let last = Promise.resolve();
  let isDropped = false;
  const next = (work: () => Promise<void>) => {
    last = last.catch(() => undefined).then(work);
    return last;
  };
  return {
    keep(reference) {
      return next(async () => {
        if (isDropped || kept === reference) return;
        await saveReference(folder, agent, reference);
        kept = reference;
      });
    },
    drop() {
      isDropped = true;
      return next(() => dropReference(folder));
    },
  };
}

/** Removes the reference from the folder of an agent whose process has ended. */
export const dropReference = (folder: string): Promise<void> => takeAway(join(folder, FILE));

// A link that the agent put there before is not followed.
async function saveReference(folder: string, agent: AgentTarget, reference: string): Promise<void> {
  const draft = join(folder, `${FILE}.${randomUUID()}`);
  try {
    await writeFile(draft, JSON.stringify({ target: targetOf(agent), reference }), { mode: 0o600, flag: 'wx' });
    await rename(draft, join(folder, FILE)).catch(async () => {
      await takeAway(join(folder, FILE));
      await rename(draft, join(folder, FILE));
    });
  } finally {
    await unlink(draft).catch(() => undefined);
  }
}

/**
 * Never what is in a folder of this name: the agent lives, and could put a link in the place of any folder in it while its files are removed.
 * Such a folder is moved aside, and goes with the agent's own.
 */
async function takeAway(path: string): Promise<void> {
  const isGone = await unlink(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  );
  if (isGone) return;
  await rmdir(path).catch(() => rename(path, `${path}.${randomUUID()}`));
}

// The agent may write to its folder: a link is not followed, and nothing large is read.
async function readJson(path: string): Promise<unknown> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0);
    return JSON.parse(buffer.toString('utf8', 0, bytesRead));
  } catch {
    return undefined;
  }
}
