import { existsSync } from 'node:fs';
import type { Attachment } from '@attache/contracts';
import { beforeAll, describe, expect, it } from 'vitest';
import { placeAtWork } from '../agent-folder.ts';
import { callOnce, type Driven, eventsOf, type Suite } from '../driven.ts';
import { png } from '../files.ts';
import { converse, openPlace, takeTurn, uploadSample } from '../take-turn.ts';

async function readOutputs({ stack, place }: Driven): Promise<Attachment[]> {
  const path = `/sessions/${place.session.id}/attachments?origin=tool-output`;
  return (await stack.api.call<{ items: Attachment[] }>('GET', path)).body.items;
}

export const describeGate: Suite = (runtime, use) => {
  describe(`a tool call of ${runtime.key}`, () => {
    let own: Attachment;
    let foreign: Attachment;
    const dataOf = async (kind: string) => (await eventsOf(use(), use().place, kind)).map(({ data }) => data);
    beforeAll(async () => {
      const { stack, place } = use();
      const other = await openPlace(stack.api, runtime.key, runtime.model);
      foreign = await uploadSample(stack.api, other, png);
      own = await uploadSample(stack.api, place, png);
    });

    it('of resource_view brings the picture back natively, and the log says so [SR-06 SR-18 SR-25 BX-17]', async () => {
      const driven = use();
      const call = { name: runtime.nameOwnTool('resource_view'), input: { attachmentId: own.id } };
      const asked = callOnce(driven, runtime.model, call);
      await converse(driven.stack.api, driven.place, 'Look again.', [own.id]);
      const shown = asked[1]?.newAttachments.filter(({ where }) => where === 'tool-result');
      expect(shown).toMatchObject([{ mimeType: 'image/png', sha256: png.sha256 }]);
      expect(await dataOf('resource.viewed')).toMatchObject([{ attachmentId: own.id }]);
    });

    it('with another session’s id never runs: no file, the reason for the model, an event [AT-30 AT-31 BX-08 BX-21 S2 A2 A5]', async () => {
      const driven = use();
      const input = { name: 'stolen.txt', mimeType: 'text/plain', text: `of ${foreign.id}` };
      const asked = callOnce(driven, runtime.model, { name: runtime.nameOwnTool('attachment_save_output'), input });
      await converse(driven.stack.api, driven.place, 'Save that.');
      expect(await readOutputs(driven)).toEqual([]);
      const [blocked] = await dataOf('tool.blocked');
      expect(blocked).toMatchObject({ tool: 'attachment_save_output' });
      expect(asked[1]?.toolResults.map(({ text }) => text).join()).toContain(String(blocked?.reason));
    });

    it('of its own shell with another session’s id never runs either [AT-30 AT-31 BX-21]', async () => {
      const driven = use();
      const file = placeAtWork(driven, 'of-a-foreign-id');
      callOnce(driven, runtime.model, runtime.shell(`touch ${file.inside}; echo ${foreign.id}`));
      await takeTurn(driven.stack.api, driven.place, 'Run that.');
      expect(existsSync(file.outside)).toBe(false);
      expect(await dataOf('tool.blocked')).toHaveLength(2);
    });

    it('of its own shell with an id of its own runs, and the log has the call and its end [AT-29]', async () => {
      const driven = use();
      const file = placeAtWork(driven, 'of-an-own-id');
      callOnce(driven, runtime.model, runtime.shell(`touch ${file.inside}; echo ${own.id}`));
      await converse(driven.stack.api, driven.place, 'Run this.');
      expect(existsSync(file.outside)).toBe(true);
      const [called] = (await dataOf('tool.called')).slice(-1);
      expect(await dataOf('tool.completed')).toContainEqual(
        expect.objectContaining({ callId: called?.callId, status: 'completed' }),
      );
    });
  });
};
