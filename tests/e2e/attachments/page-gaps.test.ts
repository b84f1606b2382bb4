// hosted: every – the gaps of a page pass the database and the bus
import { buildPdfWithNames, buildPdfWithPicture, makeJpeg } from '@attache/media/fixtures/gapped-pdfs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStack, type Stack } from '../stack/stack.ts';
import { takeTurn } from '../steps/turns.ts';

let stack: Stack;
let cutPicture: Buffer;
beforeAll(async () => {
  stack = await openStack();
  cutPicture = (await makeJpeg()).subarray(0, 300);
});
afterAll(() => stack.stop());

async function upload(pdf: Buffer, model = 'example-vision') {
  const place = await stack.api.createSession({ model });
  const options = { name: 'policy.pdf', type: 'application/pdf' };
  const { attachment } = await stack.api.upload(place.session.id, Uint8Array.from(pdf), options);
  return { place, attachment: await stack.api.inspected(attachment.id) };
}

/** The parts of a message that a model gets for a file. */
async function project({ session, agent }: Awaited<ReturnType<typeof upload>>['place'], attachmentId: string) {
  const body = { format: 'anthropic', to: agent.id, text: 'read', attachmentIds: [attachmentId], bytes: 'inline' };
  const projected = await stack.api.call('POST', `/sessions/${session.id}/projections`, { body });
  return JSON.stringify(projected.body);
}

type Warned = readonly { code: string; pages?: readonly number[] | undefined; lacks?: string | undefined }[];
const gapsOf = (warnings: Warned = []) =>
  warnings.filter(({ code }) => code === 'page_incomplete').map(({ pages, lacks }) => ({ pages, lacks }));

describe('a PDF of which a page cannot be drawn whole', () => {
  it('goes as its text where inspection saw that no font draws its words, and the plan says so [BX-29 DL-50]', async () => {
    const { place, attachment } = await upload(buildPdfWithNames(['uni0E01', 'uni0E02'], 'Policy 48213'));
    const gaps = [{ pages: [2], lacks: 'words' }];
    expect(gapsOf(attachment.warnings)).toEqual(gaps);
    const { delivery } = await takeTurn(stack.api, place, 'read', [attachment.id]);
    expect(delivery.plan.items).toMatchObject([{ becomes: 'text' }]);
    expect(gapsOf(delivery.plan.items[0]?.warnings)).toEqual(gaps);
  });

  it('goes as its pages where only drawing shows it, and the receipt names the page [BX-29]', async () => {
    const { place, attachment } = await upload(buildPdfWithPicture({ data: cutPicture, coding: 'DCTDecode' }));
    const { delivery } = await takeTurn(stack.api, place, 'read', [attachment.id]);
    const sent = delivery.receipt?.items ?? [];
    expect(sent.map(({ form, verdict }) => [form, verdict])).toEqual([1, 2, 3].map(() => ['pages', 'delivered']));
    expect(sent.map(({ warnings }) => gapsOf(warnings))).toEqual([[], [{ pages: [2], lacks: 'pictures' }], []]);
    expect(await project(place, attachment.id)).toContain('Page 2 cannot be shown with all of its pictures');
  });

  it('goes without a page of which nothing is drawn: the agent and the receipt get its number, and so does the next plan [BX-29]', async () => {
    const pdf = buildPdfWithPicture({ data: cutPicture, coding: 'DCTDecode', withText: false });
    const { place, attachment } = await upload(pdf);
    expect(gapsOf(attachment.warnings)).toEqual([]);
    const { delivery } = await takeTurn(stack.api, place, 'read', [attachment.id]);
    const sent = delivery.receipt?.items ?? [];
    expect(sent.map(({ verdict, sha256 }) => [verdict, sha256 === undefined])).toEqual([
      ['delivered', false],
      ['delivered', false],
      ['unknown', true],
    ]);
    const gaps = [{ pages: [2], lacks: 'page' }];
    expect(gapsOf(sent[2]?.warnings)).toEqual(gaps);
    expect(await project(place, attachment.id)).toContain('Page 2 cannot be shown at all.');
    const again = await takeTurn(stack.api, place, 'read again', [attachment.id]);
    expect(gapsOf(again.delivery.plan.items[0]?.warnings)).toEqual(gaps);
    expect(again.delivery.receipt?.items).toHaveLength(3);
  });
});
