import { randomBytes } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProcessesIn } from '@attache/test-harness';
import { describe, expect, it } from 'vitest';
import { folderOf } from '../agent-folder.ts';
import { listen, type Suite } from '../driven.ts';
import { paintNoise } from '../files.ts';
import { findWords } from '../find-words.ts';
import { converse, uploadSample } from '../take-turn.ts';

const timeout = 60_000;

/** Folders into which the programs write by default. */
async function listOwnPlaces(): Promise<string[]> {
  const besideStack = (await readdir(tmpdir())).map((name) => join(tmpdir(), name));
  const atHome = ['.claude', '.codex', '.gemini', '.config', '.local', '.cache/opencode'].map((name) =>
    join(homedir(), name),
  );
  return [...besideStack.filter((path) => !path.startsWith(join(tmpdir(), 'attache-'))), ...atHome];
}

/** The last of all: it ends the session that carried the other cells. */
export const describeLeftovers: Suite = (runtime, use) => {
  describe(`after a session with ${runtime.key}`, () => {
    it('nothing of it is left: no folder, no transcript, no copy of a picture, no process [BX-10 BX-20]', async () => {
      const driven = use();
      const { stack, place, startedAt } = driven;
      const canary = `canary-${randomBytes(12).toString('hex')}`;
      // A picture of its own: the other sessions of this stack hold the pictures that all send.
      const picture = await paintNoise();
      listen(driven, runtime.model);
      const file = await uploadSample(stack.api, place, picture);
      await converse(stack.api, place, `Remember ${canary}.`, [file.id]);
      const folder = folderOf(driven);
      const words = [canary, picture.bytes.toString('base64').slice(240, 360), picture.bytes.subarray(180, 270)];
      const find = (below: string) => findWords(below, words, startedAt);
      // Some write their transcript a moment later.
      await expect.poll(() => find(folder), { timeout }).not.toEqual([]);
      const processes = await findProcessesIn(folder);
      expect(await processes.list()).not.toEqual([]);

      expect((await stack.api.call('POST', `/sessions/${place.session.id}/end`)).status).toBe(202);
      await expect.poll(() => stat(folder).catch(() => 'gone'), { timeout }).toBe('gone');
      expect(await processes.list()).toEqual([]);
      for (const own of await listOwnPlaces()) expect(await find(own), own).toEqual([]);
      expect(await find(join(stack.dataDir, 'agents'))).toEqual([]);
    });
  });
};
