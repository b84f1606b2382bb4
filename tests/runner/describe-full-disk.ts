import { statfsSync } from 'node:fs';

export const MIB = 1024 * 1024;

/** Says what to do if a folder's disk has less room than is needed; undefined if it has enough. */
export function describeFullDisk(folder: string, neededBytes: number): string | undefined {
  const { bavail, bsize } = statfsSync(folder);
  const freeBytes = bavail * bsize;
  if (freeBytes >= neededBytes) return undefined;
  const [free, needed] = [freeBytes, neededBytes].map((bytes) => Math.floor(bytes / MIB));
  return `The disk of ${folder}, where tests keep their files, has ${free} MiB free of the ${needed} that are needed. Free some of it, or name another folder by TMPDIR.`;
}
