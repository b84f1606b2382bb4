import { rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { folderOf } from '../agent-folder.ts';
import { digestsOf, eventsOf, listen, type Suite } from '../driven.ts';
import { jpeg, png } from '../files.ts';
import { findWords } from '../find-words.ts';
import { converse, uploadSample } from '../take-turn.ts';
import { readSecrets } from './relay/secrets.contract.ts';

export const describeRest: Suite = (runtime, use) => {
  describe(`a conversation with ${runtime.key}, after a rest`, () => {
    it('goes on in a later process where the runtime can; the one that ended left no secret on the disk [S27 DL-02 DL-05 DL-82 DL-83]', async () => {
      const driven = use();
      const { stack, place } = driven;
      const asked = listen(driven, runtime.model);
      const first = await uploadSample(stack.api, place, png);
      await converse(stack.api, place, 'Before a rest.', [first.id]);
      const secrets = await readSecrets(folderOf(driven));
      // A slow machine may have let it rest before; every process ends once.
      const { length: count } = await eventsOf(driven, place, 'agent.started');
      const stops = await stack.api.logged(place.session.id, ({ kind }) => kind === 'agent.stopped', { count });
      expect(stops.at(-1)?.data).toMatchObject({ reason: 'idle' });
      expect(await findWords(folderOf(driven), secrets, 0)).toEqual([]);

      const second = await uploadSample(stack.api, place, jpeg);
      await converse(stack.api, place, 'After a rest.', [second.id]);
      expect(await eventsOf(driven, place, 'agent.started')).toHaveLength(count + 1);
      const remembered = runtime.isResumable ? [png.sha256, jpeg.sha256] : [jpeg.sha256];
      expect(digestsOf(asked.at(-1)).toSorted()).toEqual(remembered.toSorted());
    });

    it('goes on by its history where its folder is gone: the model reads what was said, the program sends it once [SR-15 BX-26]', async () => {
      const driven = use();
      const { stack, place } = driven;
      const asked = listen(driven, runtime.model);
      const before = await eventsOf(driven, place, 'agent.rebuilt');
      const { length: count } = await eventsOf(driven, place, 'agent.started');
      await stack.api.logged(place.session.id, ({ kind }) => kind === 'agent.stopped', { count });
      await rm(folderOf(driven), { recursive: true, force: true });
      const delivery = await converse(stack.api, place, 'After a loss.');
      expect(delivery.receipt).toMatchObject({ continuedBy: 'rebuild' });
      const rebuilt = (await eventsOf(driven, place, 'agent.rebuilt')).slice(before.length);
      expect(rebuilt).toMatchObject([{ data: { reason: 'no-transcript', omittedMessages: 0, keptOriginals: 0 } }]);
      const said = asked.at(-1)?.texts.join('\n') ?? '';
      for (const words of ['Before a rest.', 'After a rest.', png.sha256, jpeg.sha256]) expect(said).toContain(words);
      expect(said.split(`[end of history ${rebuilt[0]?.data.historySha256}]`)).toHaveLength(2);
      expect(said.lastIndexOf('After a loss.')).toBeGreaterThan(said.indexOf('[end of history'));
      expect(digestsOf(asked.at(-1))).toEqual([]);
    });
  });
};
