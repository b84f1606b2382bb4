import { randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The incarnation that wrote this file last. Undefined: none did, or not to the end. */
export async function readFormerIncarnation(path: string): Promise<string | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return UUID.test(text) ? text : undefined;
}

/** Notes which incarnation works in this folder, for the next one that does. */
export async function writeIncarnation(path: string, incarnation: string): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, incarnation, { mode: 0o600, flag: 'wx' });
  await rename(draft, path);
}
