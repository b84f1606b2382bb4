// hosted: every – what an agent reads by tool is handed out by another process than the one that planned it
import { hash } from 'node:crypto';
import type { Attachment, DeliveryPlan } from '@attache/contracts';
import { makeDocx } from '@attache/test-harness';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStack, type Stack } from '../stack/stack.ts';
import { type Place, readAnswer, takeTurn } from '../steps/turns.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await openStack();
});
afterAll(() => stack.stop());

// An archive with nothing in it.
const zip = Uint8Array.from([...Buffer.from('PK\x05\x06'), ...Buffer.alloc(18)]);

const openArmed = () => stack.api.createSession({ profile: 'armed', model: 'm' });

async function upload({ session }: Place, bytes: Uint8Array, name: string, type: string): Promise<Attachment> {
  const { attachment } = await stack.api.upload(session.id, Uint8Array.from(bytes), { name, type });
  return stack.api.inspected(attachment.id);
}

const uploadZip = (place: Place) => upload(place, zip, 'box.zip', 'application/zip');

async function drawMoving(): Promise<Buffer> {
  const frames = Buffer.concat([Buffer.alloc(8 * 8 * 3, 0x20), Buffer.alloc(8 * 8 * 3, 0xd0)]);
  return sharp(frames, { raw: { width: 8, height: 16, channels: 3, pageHeight: 8 } })
    .gif()
    .toBuffer();
}

/** Sends a file with these lines to do; answers the delivery and what came of each line. */
async function runTurn(place: Place, lines: readonly string[], attachmentIds: readonly string[]) {
  const turn = await takeTurn(stack.api, place, lines.map((line) => `do: ${line}`).join('\n'), [...attachmentIds]);
  expect(turn.delivery.status).toBe('responded');
  return { ...turn, outcomes: JSON.parse(turn.answer) as unknown[] };
}

async function viewsOf({ session }: Place, { id }: Attachment) {
  const events = await stack.api.events(session.id);
  return events.filter(({ kind, data }) => kind === 'resource.viewed' && data.attachmentId === id);
}

describe('a file that goes in no form, to an agent whose program has file tools of its own', () => {
  it('is planned by tool, handed out as a verified read-only copy, and the receipt has its digest [BX-03 BX-10 BX-17 BX-19 SR-29]', async () => {
    const place = await openArmed();
    const box = await uploadZip(place);
    expect(box).toMatchObject({ kind: 'unsupported', status: 'ready' });
    const { delivery, outcomes } = await runTurn(place, [`get-file ${box.id}`], [box.id]);
    expect(delivery.plan.items).toMatchObject([{ becomes: 'tool' }]);
    const facts = { attachmentId: box.id, name: 'box.zip', mimeType: 'application/zip', sizeBytes: zip.length };
    const copy = { mode: '400', isInOwnFolder: true, extension: '.zip', sha256: hash('sha256', zip) };
    expect(outcomes).toEqual([{ ...facts, ...copy }]);
    expect(delivery.receipt?.items).toMatchObject([
      {
        ...{ attachmentId: box.id, sha256: box.sha256, sizeBytes: zip.length, form: 'tool' },
        ...{ verdict: 'delivered', proof: 'resource.viewed' },
      },
    ]);
    const views = await viewsOf(place, box);
    expect(views).toMatchObject([{ actor: { id: place.agent.id }, data: { agentId: place.agent.id } }]);
  });

  it('has an item without a digest in the receipt of a turn in which the agent did not ask for it; of a later one it is no part [BX-03 SR-20]', async () => {
    const place = await openArmed();
    const box = await uploadZip(place);
    const { delivery } = await runTurn(place, ['list'], [box.id]);
    const unread = [{ attachmentId: box.id, form: 'tool', verdict: 'unknown' }];
    expect(delivery.receipt?.items).toMatchObject(unread);
    expect(delivery.receipt?.items[0]).not.toHaveProperty('sha256');
    const later = await runTurn(place, [`get-file ${box.id}`], []);
    expect(later.delivery.receipt?.items).toEqual([]);
    expect((await stack.api.settled(delivery.id)).receipt?.items).toEqual(delivery.receipt?.items);
  });

  it('counts as delivered too where a tool of its own takes it from the socket [AT-32 BX-03]', async () => {
    const place = await openArmed();
    const box = await uploadZip(place);
    const { delivery, outcomes } = await runTurn(place, [`file ${box.id}`], [box.id]);
    expect(outcomes).toMatchObject([{ sha256: box.sha256 }]);
    expect(delivery.receipt?.items).toMatchObject([{ sha256: box.sha256, verdict: 'delivered' }]);
  });

  it('is not handed out by any id that this agent may not use: the call is blocked or finds nothing [AT-30 AT-31 BX-08]', async () => {
    const elsewhere = await openArmed();
    const foreign = await uploadZip(elsewhere);
    const place = await openArmed();
    const ungranted = await uploadZip(place);
    const ids = [foreign.id, ungranted.id, 'att_AAAAAAAAQACAAAAAAAAAAA', 'att_x', '../../blobs'];
    const { outcomes } = await runTurn(
      place,
      ids.map((id) => `get-file ${id}`),
      [],
    );
    for (const outcome of outcomes)
      expect(outcome).toEqual({ refusal: expect.stringMatching(/^(FORBIDDEN|ATTACHMENT_NOT_FOUND): /) });
    expect([...(await viewsOf(place, ungranted)), ...(await viewsOf(elsewhere, foreign))]).toEqual([]);
  });

  it('is refused where the profile denies the program its tools, with what a person can do, and there is no such tool [BX-19 DL-12]', async () => {
    const place = await stack.api.createSession({ profile: 'disarmed', model: 'm' });
    const box = await uploadZip(place);
    const body = { to: [place.agent.id], attachmentIds: [box.id] };
    const answer = await stack.api.call<{ plans: DeliveryPlan[] }>('POST', `/sessions/${place.session.id}/plan`, {
      body,
    });
    const [failure] = answer.body.plans[0]?.failures ?? [];
    expect(failure).toMatchObject({ code: 'attachment_type_unsupported' });
    expect(failure?.userMessage).toContain('"permissionMode": "gated"');
    const { outcomes } = await runTurn(place, [`get-file ${box.id}`], []);
    expect(outcomes).toEqual([{ refusal: expect.stringContaining('There is no such tool') }]);
  });
});

it('an agent of the operator’s own gets a document of Word by tool where its profile says that it reads files, and nowhere else [BX-19 BX-03 SR-29]', async () => {
  const docx = makeDocx('words of a contract');
  const type = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
  const place = await stack.api.createSession({ profile: 'reading', model: 'm' });
  const file = await upload(place, docx, 'contract.docx', type);
  const { delivery, outcomes } = await runTurn(place, [`get-file ${file.id}`], [file.id]);
  expect(delivery.plan.items).toMatchObject([{ becomes: 'tool' }]);
  expect(outcomes).toMatchObject([{ sha256: hash('sha256', docx), extension: '.docx', isInOwnFolder: true }]);
  expect(delivery.receipt?.items).toMatchObject([{ sha256: file.sha256, form: 'tool', verdict: 'delivered' }]);
  const elsewhere = await stack.api.createSession({ profile: 'scripted', model: 'm' });
  const other = await upload(elsewhere, docx, 'contract.docx', type);
  const body = { to: [elsewhere.agent.id], attachmentIds: [other.id] };
  const planned = await stack.api.call<{ plans: DeliveryPlan[] }>('POST', `/sessions/${elsewhere.session.id}/plan`, {
    body,
  });
  expect(planned.body.plans[0]?.failures).toMatchObject([{ code: 'attachment_type_unsupported' }]);
});

it('a moving picture that the target does not take goes by tool: a view shows one frame and says so, and the receipt names that [DL-70 BX-03 SR-06]', async () => {
  const place = await openArmed();
  const gif = await upload(place, await drawMoving(), 'wave.gif', 'image/gif');
  expect(gif.facts).toMatchObject({ animated: true, frames: 2 });
  const { delivery, outcomes } = await runTurn(place, [`view ${gif.id}`], [gif.id]);
  expect(delivery.plan.items).toMatchObject([{ becomes: 'tool' }]);
  expect(outcomes).toMatchObject([{ frame: 1, frames: 2, shown: { of: 'variant', mimeType: 'image/png' } }]);
  const [{ shown }] = outcomes as [{ shown: { sha256: string; sizeBytes: number } }];
  expect(delivery.receipt?.items).toMatchObject([
    {
      ...{ attachmentId: gif.id, sha256: shown.sha256, sizeBytes: shown.sizeBytes, form: 'tool' },
      ...{ verdict: 'delivered', proof: 'resource.viewed' },
    },
  ]);
  const whole = await runTurn(place, [`view ${gif.id}`, `get-file ${gif.id}`], [gif.id]);
  expect(whole.delivery.receipt?.items).toMatchObject([{ sha256: gif.sha256, verdict: 'delivered' }]);
});

it('says to the agent that the file is not in the message, and how to get it [AT-28]', async () => {
  const place = await openArmed();
  const box = await uploadZip(place);
  const { delivery } = await takeTurn(stack.api, place, 'do: prompt', [box.id]);
  const answer = await readAnswer(stack.api, place.session.id, delivery.id);
  expect(answer).toContain('not in this message');
  expect(answer).toContain('attachment_file');
});
