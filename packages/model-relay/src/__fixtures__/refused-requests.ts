import { readdirSync, readlinkSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { makePng, sha256Of } from './wire-media.ts';

export const inTime = { timeout: 60_000 };
export const bad = makePng(40, 30, 3_000);
export const text = '[attachment id=att_1 was refused by the model: file_refused]';
export const replacements = () => new Map([[sha256Of(bad), { text }]]);
export const image = (bytes: Buffer) => {
  return { type: 'image', source: { type: 'base64', media_type: 'image/png', data: bytes.toString('base64') } };
};
export const toBody = (content: unknown, more: object = {}) =>
  JSON.stringify({ model: 'm', messages: [{ role: 'user', content }], ...more });
export const hi = { type: 'text', text: 'hi' };
export const body = toBody([image(bad), hi]);
export const replaced = toBody([{ type: 'text', text }, hi]);

/** A folder for bodies that wait, and what is in it. */
export async function makeSpoolFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'attache-spool-'));
  const isInside = (fd: string): boolean => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder);
    } catch {
      return false;
    }
  };
  /** Files without a name that this process has open there. */
  const countOpen = (): number => readdirSync('/proc/self/fd').filter(isInside).length;
  return {
    folder,
    countOpen,
    listNames: () => readdirSync(folder),
    async expectNothingLeft(): Promise<void> {
      await vi.waitFor(() => expect(countOpen()).toBe(0), inTime);
      expect(readdirSync(folder)).toEqual([]);
    },
    remove: () => rm(folder, { recursive: true }),
  };
}
