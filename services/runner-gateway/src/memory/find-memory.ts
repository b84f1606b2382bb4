import { constants } from 'node:fs';
import { open, unlink } from 'node:fs/promises';
import { type MemoryFiles, matchName, type ProgramMemory } from '@attache/programs/program-memory';
import { type PathPattern, walkBeneath } from './walk-beneath.ts';

/** A file that a program needs to continue, as it is in its agent's folder now. */
export type FoundFile = {
  /** Its path, relative to the folder. */
  path: string;
  /** The path to which it is restored. */
  keptPath: string;
  form: MemoryFiles['form'];
  sizeBytes: number;
};

/** The files of a conversation; undefined if one is missing that the conversation needs. */
export async function findMemory(
  folder: string,
  memory: ProgramMemory,
  reference: string,
): Promise<FoundFile[] | undefined> {
  const found: FoundFile[] = [];
  for (const each of memory.files) {
    const files = await findFiles(folder, each, reference);
    if (files.length === 0 && each.isNeeded) return undefined;
    found.push(...files);
  }
  return found;
}

async function findFiles(folder: string, wanted: MemoryFiles, reference: string): Promise<FoundFile[]> {
  const { form, restoredAs } = wanted;
  const found: FoundFile[] = [];
  await walkBeneath(folder, patternOf(wanted.path, reference), async ({ place, name, path }) => {
    const sizeBytes = await measure(`${place}/${name}`);
    if (sizeBytes !== undefined) found.push({ path, keptPath: path, form, sizeBytes });
  });
  if (restoredAs === undefined) return found.toSorted((one, other) => (one.path < other.path ? -1 : 1));
  const [largest] = found.toSorted((one, other) => other.sizeBytes - one.sizeBytes);
  if (largest === undefined) return [];
  const name = restoredAs.replaceAll('{reference8}', reference.slice(0, 8));
  return [{ ...largest, keptPath: [...largest.path.split('/').slice(0, -1), name].join('/') }];
}

/** Undefined for all that is no plain file with one name. */
async function measure(path: string): Promise<number | undefined> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const found = await file.stat();
    return found.isFile() && found.nlink === 1 ? found.size : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the folder still has the conversation. */
export async function hasMemory(folder: string, memory: ProgramMemory, reference: string): Promise<boolean> {
  return (await findMemory(folder, memory, reference)) !== undefined;
}

/** Removes a program's memory of every conversation, and files that would keep another one from coming back. Nothing of the agent runs. */
export async function removeMemory(folder: string, { files, hindrances = [] }: ProgramMemory): Promise<void> {
  for (const path of [...files.map((each) => each.path), ...hindrances])
    await walkBeneath(folder, patternOf(path, '*'), ({ place, name }) => unlink(`${place}/${name}`));
}

const patternOf = (path: string, reference: string): PathPattern =>
  path.split('/').map((name) => (name === '**' ? name : matchName(name, reference)));
