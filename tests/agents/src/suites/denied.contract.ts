import { randomBytes } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { listCommands } from '@attache/programs/named-commands';
import type { ModelToolCall, TrialPlace } from '@attache/programs/program-trial';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { placeAtWork } from '../agent-folder.ts';
import { type Driven, eventsOf, listen, type Suite } from '../driven.ts';
import { paintNoise, png, type SampleFile } from '../files.ts';
import type { ModelRequest } from '../stub/model-request.ts';
import { converse, openPlace, uploadSample } from '../take-turn.ts';

/** Has the model call one tool after the other within one turn, and returns everything that it was asked. */
async function callAll(driven: Driven, model: string, toolCalls: readonly ModelToolCall[]): Promise<ModelRequest[]> {
  const waiting = [...toolCalls];
  const asked = listen(driven, model, () => {
    const call = waiting.shift();
    return call === undefined ? { text: 'done' } : { toolCalls: [call] };
  });
  await converse(driven.stack.api, driven.place, 'Go on.');
  expect(asked).toHaveLength(toolCalls.length + 1);
  return asked;
}

/** Under `deny`, with an agent of its own: its settings leave it nothing to call but Attaché's tools. */
export const describeDenied: Suite = (runtime, use) => {
  describe(`under deny, ${runtime.key}`, () => {
    const secret = `marker-${randomBytes(12).toString('hex')}`;
    let driven: Driven;
    let trial: TrialPlace;
    let folder: ReturnType<typeof placeAtWork>;
    let picture: SampleFile;
    const before: string[] = [];
    beforeAll(async () => {
      const { stack, startedAt } = use();
      const place = await openPlace(stack.api, `${runtime.key}-deny`, runtime.model);
      driven = { stack, startedAt, place };
      listen(driven, runtime.model);
      await converse(stack.api, place, 'Begin.');
      const [text, painted] = ['a-text.txt', 'a-picture.png'].map((name) => placeAtWork(driven, name));
      if (text === undefined || painted === undefined) throw new Error('there is no place');
      picture = await paintNoise();
      folder = placeAtWork(driven);
      trial = { folder: folder.inside, textFile: text.inside, pictureFile: painted.inside };
      await writeFile(text.outside, `${secret}\n`);
      await writeFile(painted.outside, picture.bytes);
      before.push(...(await readdir(folder.outside)));
    });
    afterAll(() => listen(use(), runtime.model));

    it('runs none of twenty commands and reads with no tool: nothing comes back, nothing is made [BX-21]', async () => {
      const commands = listCommands(trial);
      expect(commands.length).toBeGreaterThanOrEqual(20);
      const shown = [...commands.map(runtime.shell), ...runtime.ownTools(trial)];
      const asked = await callAll(driven, runtime.model, shown);
      const results = asked.slice(1);
      expect(results.filter(({ toolResults }) => toolResults.length === 0)).toEqual([]);
      expect(JSON.stringify(asked)).not.toContain(secret);
      expect(asked.flatMap(({ attachments }) => attachments)).toEqual([]);
      expect(await readdir(folder.outside)).toEqual(before);
      expect(await eventsOf(driven, driven.place, 'tool.called')).toEqual([]);
    });

    it('reads no file that a message names with an @ [BX-21]', async () => {
      const asked = listen(driven, runtime.model);
      for (const file of [trial.textFile, trial.pictureFile, 'a-text.txt'])
        await converse(driven.stack.api, driven.place, `What is in @${file} ?`);
      expect(JSON.stringify(asked)).not.toContain(secret);
      expect(asked.flatMap(({ attachments }) => attachments)).toEqual([]);
    });

    it('still has Attaché’s own tools: a picture comes back natively, a file is kept [SR-06 SR-18]', async () => {
      const { stack, place } = driven;
      const own = await uploadSample(stack.api, place, png);
      listen(driven, runtime.model);
      await converse(stack.api, place, 'Look.', [own.id]);
      const asked = await callAll(driven, runtime.model, [
        { name: runtime.nameOwnTool('resource_view'), input: { attachmentId: own.id } },
        {
          name: runtime.nameOwnTool('attachment_save_output'),
          input: { name: 'kept.txt', mimeType: 'text/plain', text: 'kept' },
        },
      ]);
      const seen = asked.flatMap(({ newAttachments }) => newAttachments);
      expect(seen.filter(({ where }) => where === 'tool-result')).toMatchObject([{ sha256: png.sha256 }]);
      const path = `/sessions/${place.session.id}/attachments?origin=tool-output`;
      expect(await stack.api.call('GET', path)).toMatchObject({ body: { items: [{ name: 'kept.txt' }] } });
      expect(await eventsOf(driven, place, 'tool.blocked')).toEqual([]);
    });
  });
};
