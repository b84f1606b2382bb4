// hosted: long – pages are made by the same worker; the store has a contract suite on S3
import { hash } from 'node:crypto';
import { buildPdf } from '@attache/media/fixtures/pdfs';
import { makePng } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStack, type Stack } from '../stack/stack.ts';
import { takeTurn } from '../steps/turns.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await openStack();
});
afterAll(() => stack.stop());

const report = Uint8Array.from(buildPdf([['Quarterly report', 'Revenue grew.'], ['Page two', 'Costs fell.'], ['End']]));
const scan = Uint8Array.from(buildPdf([[], []]));

async function upload(bytes: Uint8Array<ArrayBuffer>, model: string) {
  const place = await stack.api.createSession({ model });
  const options = { name: 'report.pdf', type: 'application/pdf' };
  const { attachment } = await stack.api.upload(place.session.id, bytes, options);
  return { place, attachment: await stack.api.inspected(attachment.id) };
}

describe('a PDF', () => {
  it('is inspected: its pages are counted, its text is measured [SR-14]', async () => {
    const { attachment } = await upload(report, 'example-vision');
    expect(attachment).toMatchObject({ status: 'ready', kind: 'document', facts: { pages: 3 } });
    expect(attachment.facts.textBytes).toBeGreaterThan(40);
    const { attachment: blank } = await upload(scan, 'example-vision');
    expect(blank.facts).toMatchObject({ pages: 2, textBytes: 0 });
  });

  it('reaches a model that takes it as it is [SR-04 RP-07]', async () => {
    const { place, attachment } = await upload(report, 'example-omni');
    const { delivery, answer } = await takeTurn(stack.api, place, 'read', [attachment.id]);
    expect(delivery).toMatchObject({
      status: 'responded',
      plan: { items: [{ becomes: 'native' }] },
      receipt: { items: [{ form: 'native', sha256: hash('sha256', report), verdict: 'delivered' }] },
    });
    expect(answer).toContain(hash('sha256', report));
  });

  it('reaches it byte by byte behind the header of a mail, too [SR-04 SR-14]', async () => {
    const mailed = Uint8Array.from([...Buffer.from('Content-Type: application/pdf\r\n\r\n'), ...report]);
    const { place, attachment } = await upload(mailed, 'example-omni');
    expect(attachment).toMatchObject({ mimeType: 'application/pdf', facts: { pages: 3 } });
    const { delivery } = await takeTurn(stack.api, place, 'read', [attachment.id]);
    const item = { form: 'native', sha256: hash('sha256', mailed), verdict: 'delivered' };
    expect(delivery).toMatchObject({ status: 'responded', receipt: { items: [item] } });
  });

  it('reaches a model that takes only images as its pages, as the plan said before and the receipt says after [BX-19 DL-50 SR-04]', async () => {
    const { place, attachment } = await upload(report, 'example-vision');
    const draft = { to: [place.agent.id], text: 'read', attachmentIds: [attachment.id] };
    const { body } = await stack.api.call('POST', `/sessions/${place.session.id}/plan`, { body: draft });
    expect(body).toMatchObject({ plans: [{ items: [{ becomes: 'pages', recipe: { pages: 3 } }] }] });
    const { delivery, answer } = await takeTurn(stack.api, place, 'read', [attachment.id]);
    const sent = delivery.receipt?.items ?? [];
    expect(sent.map(({ form, verdict }) => [form, verdict])).toEqual([1, 2, 3].map(() => ['pages', 'delivered']));
    for (const { sha256 } of sent) expect(answer).toContain(sha256);
    const { variants } = await stack.api.inspected(attachment.id);
    const pages = variants.filter(({ purpose }) => purpose === 'page-image');
    expect(pages.map(({ page }) => page).toSorted()).toEqual([1, 2, 3]);
    expect(new Set(sent.map(({ variantId }) => variantId))).toEqual(new Set(pages.map(({ id }) => id)));
    expect(pages.every(({ scale, width }) => (scale ?? 0) > 1 && (width ?? 0) > 600)).toBe(true);
  });

  it('stays as it was uploaded, whatever was made of it [SR-17 SR-02]', async () => {
    const { place, attachment } = await upload(report, 'example-vision');
    await takeTurn(stack.api, place, 'read', [attachment.id]);
    const { body } = await stack.api.call('POST', `/attachments/${attachment.id}/urls`, { body: {} });
    const bytes = await fetch(body.url as string).then((response) => response.arrayBuffer());
    expect(Buffer.from(bytes).equals(report)).toBe(true);
  });

  it('reaches a model that takes only text as its text [BX-19 RP-08 SR-20]', async () => {
    const { place, attachment } = await upload(report, 'example-text');
    const { delivery, answer } = await takeTurn(stack.api, place, 'read', [attachment.id]);
    const [item] = delivery.plan.items;
    expect(item).toMatchObject({ becomes: 'text', recipe: { purpose: 'document-text' } });
    expect(item?.warnings.map(({ code }) => code)).toContain('text_extracted');
    const [sent] = delivery.receipt?.items ?? [];
    expect(sent).toMatchObject({ form: 'text', verdict: 'delivered', sizeBytes: attachment.facts.textBytes });
    expect(answer).toContain(String(sent?.sha256));
  });

  it('that is a scan is refused for a model without eyes, with what to do [SR-20 DL-12]', async () => {
    const { place, attachment } = await upload(scan, 'example-text');
    const draft = { to: [place.agent.id], text: 'read', attachmentIds: [attachment.id] };
    const answer = await stack.api.call('POST', `/sessions/${place.session.id}/messages`, { body: draft });
    expect(answer).toMatchObject({
      status: 422,
      body: { code: 'DELIVERY_BLOCKED', failures: [{ code: 'attachment_model_unsupported' }] },
    });
  });

  it('is made once for a tenant: a second session sends the same pages [DL-07 DL-45]', async () => {
    const first = await upload(report, 'example-vision');
    const second = await upload(report, 'example-vision');
    const [a, b] = [
      await takeTurn(stack.api, first.place, 'read', [first.attachment.id]),
      await takeTurn(stack.api, second.place, 'read', [second.attachment.id]),
    ];
    const variantsOf = ({ delivery }: typeof a) => delivery.receipt?.items.map(({ variantId }) => variantId);
    expect(variantsOf(a)).toEqual(variantsOf(b));
  });

  it('beside images shares the count of images with them [BX-01]', async () => {
    const { place, attachment } = await upload(report, 'example-vision');
    const images = await Promise.all(
      Array.from({ length: 18 }, (_, index) => stack.api.upload(place.session.id, makePng(20 + index, 20))),
    );
    const ids = images.map(({ attachment: { id } }) => id);
    for (const id of ids) await stack.api.inspected(id);
    const draft = { to: [place.agent.id], text: 'read', attachmentIds: [attachment.id, ...ids] };
    const { body } = await stack.api.call('POST', `/sessions/${place.session.id}/plan`, { body: draft });
    const [plan] = body.plans as { items: { becomes: string }[]; budget: object }[];
    expect(plan?.items[0]?.becomes).toBe('text');
    expect(plan?.budget).toMatchObject({ images: { used: 18, limit: 20 } });
  });
});

describe('what an agent holds', () => {
  it('counts: a conversation never grows beyond what its model takes [BX-01 SR-05]', async () => {
    const place = await stack.api.createSession();
    const upload = async (index: number) => {
      const { attachment } = await stack.api.upload(place.session.id, makePng(40 + index, 30));
      return (await stack.api.inspected(attachment.id)).id;
    };
    const ids = await Promise.all(Array.from({ length: 20 }, (_, index) => upload(index)));
    const { delivery } = await takeTurn(stack.api, place, 'look', ids.slice(0, 19));
    expect(delivery.status).toBe('responded');
    const plan = async (attachmentIds: string[]) => {
      const body = { to: [place.agent.id], text: 'more', attachmentIds };
      const answer = await stack.api.call('POST', `/sessions/${place.session.id}/plan`, { body });
      return (answer.body.plans as { decision: string; budget: object; failures: object[] }[])[0];
    };
    expect(await plan([ids[19] as string])).toMatchObject({
      decision: 'deliver',
      budget: { images: { used: 1, resident: 19 } },
    });
    expect(await plan(ids.slice(18))).toMatchObject({
      decision: 'blocked',
      failures: [{ code: 'attachment_serialized_payload_too_large', safeDetails: { resident: 19 } }],
    });
    const target = { profile: 'example', model: 'example-omni' };
    await stack.api.call('PATCH', `/sessions/${place.session.id}/agents/${place.agent.id}`, { body: { target } });
    expect(await plan(ids.slice(18))).toMatchObject({ decision: 'deliver', budget: { images: { resident: 0 } } });
  });
});
