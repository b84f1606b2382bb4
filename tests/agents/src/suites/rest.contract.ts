import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderOf } from '../agent-folder.ts';
import { type Driven, digestsOf, eventsOf, listen, type Suite } from '../driven.ts';
import { jpeg, png } from '../files.ts';
import { findWords } from '../find-words.ts';
import { spoilPack } from '../spoil-packs.ts';
import { converse, uploadSample } from '../take-turn.ts';
import { readSecrets } from './relay/secrets.contract.ts';

/** Lets the process end by itself. Every one ends once; a slow machine may have let one rest before. */
async function awaitRest(driven: Driven) {
  const { stack, place } = driven;
  const { length: count } = await eventsOf(driven, place, 'agent.started');
  const stops = await stack.api.logged(place.session.id, ({ kind }) => kind === 'agent.stopped', { count });
  return { count, stopped: stops.at(-1) };
}

/** As after a restart on another machine. */
async function loseFolder(driven: Driven): Promise<void> {
  await awaitRest(driven);
  await rm(folderOf(driven), { recursive: true, force: true });
}

/** Changes a byte in each pack of the store. Returns how many there are. */
async function spoilPacks({ stack }: Driven): Promise<number> {
  const folder = join(stack.dataDir, 'blobs');
  let spoiled = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    const bytes = entry.isFile() ? spoilPack(await readFile(file)) : undefined;
    if (!bytes) continue;
    await rm(file);
    await writeFile(file, bytes);
    spoiled += 1;
  }
  return spoiled;
}

export const describeRest: Suite = (runtime, use) => {
  describe(`a conversation with ${runtime.key}, after a rest`, () => {
    it('continues in a later process; the one that ended left no secret on the disk [S27 DL-05 DL-82]', async () => {
      const driven = use();
      const { stack, place } = driven;
      const asked = listen(driven, runtime.model);
      const first = await uploadSample(stack.api, place, png);
      await converse(stack.api, place, 'Before a rest.', [first.id]);
      const secrets = await readSecrets(folderOf(driven));
      const { count, stopped } = await awaitRest(driven);
      expect(stopped?.data).toMatchObject({ reason: 'idle' });
      expect(await findWords(folderOf(driven), secrets, 0)).toEqual([]);

      const second = await uploadSample(stack.api, place, jpeg);
      await converse(stack.api, place, 'After a rest.', [second.id]);
      expect(await eventsOf(driven, place, 'agent.started')).toHaveLength(count + 1);
      expect(digestsOf(asked.at(-1)).toSorted()).toEqual([png.sha256, jpeg.sha256].toSorted());
    });

    it('continues by its checkpoint where its folder is gone: the model reads what it read before, in its own form [BX-26 SR-15]', async () => {
      const driven = use();
      const { stack, place } = driven;
      const asked = listen(driven, runtime.model);
      const [rebuilt, restored] = [
        await eventsOf(driven, place, 'agent.rebuilt'),
        await eventsOf(driven, place, 'agent.restored'),
      ];
      await loseFolder(driven);
      const delivery = await converse(stack.api, place, 'After a loss.');
      expect(delivery.receipt).toMatchObject({ continuedBy: 'checkpoint' });
      expect(digestsOf(asked.at(-1)).toSorted()).toEqual([png.sha256, jpeg.sha256].toSorted());
      const said = asked.at(-1)?.texts.join('\n') ?? '';
      for (const words of ['Before a rest.', 'After a rest.', 'After a loss.']) expect(said).toContain(words);
      expect(said).not.toContain('[end of history');
      expect(await eventsOf(driven, place, 'agent.restored')).toHaveLength(restored.length + 1);
      expect(await eventsOf(driven, place, 'agent.rebuilt')).toEqual(rebuilt);
    });

    it('continues by its history where its checkpoint is spoiled, too: the model reads what was said, the program sends it once [SR-15 BX-26]', async () => {
      const driven = use();
      const { stack, place } = driven;
      const asked = listen(driven, runtime.model);
      const before = await eventsOf(driven, place, 'agent.rebuilt');
      await loseFolder(driven);
      expect(await spoilPacks(driven)).toBeGreaterThan(0);
      const delivery = await converse(stack.api, place, 'After two losses.');
      expect(delivery.receipt).toMatchObject({ continuedBy: 'rebuild' });
      const rebuilt = (await eventsOf(driven, place, 'agent.rebuilt')).slice(before.length);
      expect(rebuilt).toMatchObject([{ data: { reason: 'checkpoint-spoiled', omittedMessages: 0, keptOriginals: 0 } }]);
      const said = asked.at(-1)?.texts.join('\n') ?? '';
      for (const words of ['Before a rest.', 'After a rest.', 'After a loss.', png.sha256, jpeg.sha256])
        expect(said).toContain(words);
      expect(said.split(`[end of history ${rebuilt[0]?.data.historySha256}]`)).toHaveLength(2);
      expect(said.lastIndexOf('After two losses.')).toBeGreaterThan(said.indexOf('[end of history'));
      expect(digestsOf(asked.at(-1))).toEqual([]);
    });
  });
};
