import { hash } from 'node:crypto';
import type { DeliveryPlan } from '@attache/contracts';
import type { ModelToolCall } from '@attache/programs/program-trial';
import { makeDocx } from '@attache/test-harness';
import { describe, expect, it } from 'vitest';
import { type Driven, eventsOf, listen, type Suite } from '../driven.ts';
import type { SampleFile } from '../files.ts';
import type { ModelRequest } from '../stub/model-request.ts';
import type { ModelReply } from '../stub/model-stub.ts';
import { converse, openPlace, takeTurn, uploadSample } from '../take-turn.ts';

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const WORD = 'quillwort';
const bytes = makeDocx(`The plant of the report is ${WORD}.`);
const report: SampleFile = {
  ...{ kind: 'docx', name: 'report.docx', type: DOCX, bytes, word: WORD },
  sha256: hash('sha256', bytes),
};

const svg = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><title>butterwort</title></svg>\n',
);
const drawing: SampleFile = {
  ...{ kind: 'SVG', name: 'drawing.svg', type: 'image/svg+xml', bytes: svg, word: 'butterwort' },
  sha256: hash('sha256', svg),
};

const unpack = (path: string) =>
  `sha256sum ${path}; python3 -c "import zipfile; print(zipfile.ZipFile('${path}').read('word/document.xml').decode())"`;

const textOf = ({ toolResults }: ModelRequest) => toolResults.map(({ text }) => text).join('\n');
const pathIn = (text: string) => /[^"\\\s]+\/files\/att_[\w-]{22}\.\w+/.exec(text)?.[0];

/** A model that gets the file, then has the program's own shell look into it; the third request shows what that saw. */
function readByTool(
  driven: Driven,
  model: string,
  getFile: ModelToolCall,
  look: (path: string) => ModelToolCall,
): ModelRequest[] {
  const asked: ModelRequest[] = listen(driven, model, (): ModelReply => {
    const [last] = asked.slice(-1);
    if (asked.length === 1) return { toolCalls: [getFile] };
    const path = last && asked.length === 2 ? pathIn(textOf(last)) : undefined;
    return path === undefined ? { text: 'done' } : { toolCalls: [look(path)] };
  });
  return asked;
}

/** A file that no message carries and no view shows: whether a program reads it with tools of its own. */
export const describeByTool: Suite = (runtime, use) => {
  describe(`a .docx for ${runtime.key}`, () => {
    it('goes by tool: its program reads the copy that attachment_file made, and the receipt has its digest [DL-36 DL-103 BX-03 BX-10 BX-17 BX-19 SR-29]', async () => {
      const driven = use();
      const { stack, place } = driven;
      const { id } = await uploadSample(stack.api, place, report);
      const getFile = { name: runtime.nameOwnTool('attachment_file'), input: { attachmentId: id } };
      const asked = readByTool(driven, runtime.model, getFile, (path) => runtime.shell(unpack(path)));
      const { plan, receipt } = await converse(stack.api, place, 'What plant is in the report?', [id]);
      expect(plan.items).toMatchObject([{ becomes: 'tool' }]);
      expect(asked[0]?.texts.join('\n')).toContain(`[attachment id=${id} `);
      expect(asked[0]?.texts.join('\n')).not.toContain(WORD);
      const seen = asked.map(textOf);
      expect(seen[2], seen.join('\n---\n')).toContain(WORD);
      expect(seen[2]).toContain(report.sha256);
      const { sha256, bytes } = report;
      expect(receipt?.items).toMatchObject([
        {
          ...{ attachmentId: id, sha256, sizeBytes: bytes.length, form: 'tool' },
          ...{ verdict: 'delivered', proof: 'resource.viewed' },
        },
      ]);
      const viewed = await eventsOf(driven, place, 'resource.viewed');
      expect(viewed.filter(({ data }) => data.attachmentId === id)).toHaveLength(1);
    });

    const { readFile } = runtime;
    if (readFile !== undefined)
      it('has a way beside the shell: its own reader takes the path of an SVG [BX-10 BX-19]', async () => {
        const driven = use();
        const { stack, place } = driven;
        const { id } = await uploadSample(stack.api, place, drawing);
        const getFile = { name: runtime.nameOwnTool('attachment_file'), input: { attachmentId: id } };
        const asked = readByTool(driven, runtime.model, getFile, readFile);
        const { receipt } = await converse(stack.api, place, 'What is drawn?', [id]);
        const seen = asked.map(textOf);
        expect(seen[2], seen.join('\n---\n')).toContain(drawing.word);
        expect(receipt?.items).toMatchObject([{ sha256: drawing.sha256, form: 'tool', verdict: 'delivered' }]);
      });

    it('is not said to be delivered where nothing asked for it [BX-03 SR-20]', async () => {
      const driven = use();
      const { stack, place } = driven;
      const { id } = await uploadSample(stack.api, place, report);
      listen(driven, runtime.model);
      const { receipt } = await converse(stack.api, place, 'Keep this.', [id]);
      expect(receipt?.items).toMatchObject([{ attachmentId: id, form: 'tool', verdict: 'unknown' }]);
      expect(receipt?.items[0]).not.toHaveProperty('sha256');
    });

    it('is refused where its profile denies it tools of its own, with what a person can do [BX-19 DL-12]', async () => {
      const { api } = use().stack;
      const place = await openPlace(api, `${runtime.key}-deny`, runtime.model);
      const { id } = await uploadSample(api, place, report);
      expect(await takeTurn(api, place, 'Read it.', [id])).toEqual({
        status: 'blocked',
        codes: ['attachment_type_unsupported'],
      });
      const body = { to: [place.agent.id], attachmentIds: [id] };
      const answer = await api.call<{ plans: DeliveryPlan[] }>('POST', `/sessions/${place.session.id}/plan`, { body });
      expect(answer.body.plans[0]?.failures[0]?.userMessage).toContain('"permissionMode": "gated"');
    });
  });
};
