// hosted: long – what is taken out of an agent's words is the gateway's own work
import { createHash } from 'node:crypto';
import type { Attachment } from '@attache/contracts';
import { makeNoisePng } from '@attache/test-harness';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStack, type Stack } from '../stack/stack.ts';
import { openLog } from '../steps/follow-log.ts';
import { type Place, readAnswer } from '../steps/turns.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await openStack();
});
afterAll(() => stack.stop());

const PNG_BYTES = 3_000;
const LINE = 76;
const DELTA = 50;

const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const png = Buffer.from(makeNoisePng(PNG_BYTES));
const wrapped = png.toString('base64').replaceAll(new RegExp(`.{${LINE}}`, 'g'), '$&\n');

const openPlace = () => stack.api.createSession({ profile: 'scripted', model: 'script' });
const chunk = (text: string) => ({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });

/** Has an agent say this; what it said as the log has it, and the digests of what was kept of it, each checked against the bytes. */
async function say(place: Place, updates: readonly object[]) {
  const { api } = stack;
  const script = updates.map((update) => `do: update ${JSON.stringify(update)}`).join('\n');
  // The agent is to say what is in its script.
  const sent = { to: [place.agent.id], text: script, textMedia: 'keep' as const };
  const { deliveries } = await api.send(place.session.id, sent);
  const delivery = await api.settled(deliveries[0].id);
  expect(delivery.status).toBe('responded');
  const { body } = await api.call('GET', `/sessions/${place.session.id}/attachments?origin=agent`);
  const kept = body.items as Attachment[];
  const stored = await Promise.all(kept.map(({ id }) => readBytes(id)));
  expect(stored.map(digestOf)).toEqual(kept.map(({ sha256 }) => sha256));
  const items = (await api.events(place.session.id)).flatMap(({ kind, data }) =>
    kind === 'agent.output' ? [data.item as { type: string; text?: string }] : [],
  );
  return { kept, items, text: await readAnswer(api, place.session.id, delivery.id) };
}

async function readBytes(id: string): Promise<Uint8Array> {
  const { body } = await stack.api.call('POST', `/attachments/${id}/urls`, { body: {} });
  return new Uint8Array(await (await fetch(String(body.url))).arrayBuffer());
}

it('a percent data URL is kept as the bytes that it spells [SR-24 AT-34]', async () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><text>ü 100 %</text></svg>';
  const url = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  const { kept, text } = await say(await openPlace(), [chunk(`See ![a](${url}) and metadata: a,b.`)]);
  expect(kept).toMatchObject([{ sha256: digestOf(Buffer.from(svg)), mimeType: 'image/svg+xml', origin: 'agent' }]);
  expect(text).toMatch(/^See !\[a\]\(\[attachment id=att_\S+ type=image\/svg\+xml name="\S+"\]\) and metadata: a,b\./);
});

it('base64 in lines, split over what comes piece by piece, is one file, and no piece of it is told [SR-24 AT-34]', async () => {
  const place = await openPlace();
  const said = `Here it is:\n${wrapped}\nDone\n`;
  const log = await openLog(stack.api, place.session.id);
  const followed = log.readUntil('delivery.responded');
  const { kept, text } = await say(place, (said.match(new RegExp(`[^]{1,${DELTA}}`, 'g')) ?? []).map(chunk));
  expect(kept).toMatchObject([{ sha256: digestOf(png), mimeType: 'image/png' }]);
  expect(text).toMatch(/^Here it is:\n\[attachment id=att_\S+ type=image\/png name="\S+"\]\n{1,2}Done\n/);
  const deltas = (await followed).filter(({ event }) => event === 'agent.delta');
  const told = deltas.map(({ data }) => (JSON.parse(data) as { text: string }).text).join('');
  expect(told).toContain(`[image/png of ${png.length} bytes]`);
  expect(told).toMatch(/\]\n{1,2}Done\n/);
  // But for what came before the run was long enough to be held back.
  const pieces = Array.from({ length: 30 }, (_, index) => wrapped.slice(LINE * (index + 2), LINE * (index + 2) + 20));
  expect(pieces.filter((piece) => told.includes(piece))).toEqual([]);
});

it('a structured result beside text is kept whole, its media with the digest of the file [SR-24 AT-34]', async () => {
  const { kept, items } = await say(await openPlace(), [
    {
      sessionUpdate: 'tool_call',
      toolCallId: 'chart',
      title: 'Draw a chart',
      kind: 'other',
      status: 'completed',
      content: [{ type: 'content', content: { type: 'text', text: 'Drawn.' } }],
      rawOutput: { summary: 'Drawn.', rows: 7, image: { type: 'Buffer', data: [...png] } },
    },
  ]);
  expect(kept).toMatchObject([{ sha256: digestOf(png), mimeType: 'image/png' }]);
  const call = items.find(({ type }) => type === 'tool-call');
  expect(call?.text).toMatch(/^Drawn\.\n\{"rows":7,"image":\{"type":"Buffer","data":\[\[attachment id=att_.*\]\]\}\}$/);
});

it('base64 that is no media moves beyond 16 KiB, and its marker says how it was spelled; other long results stay [SR-24]', async () => {
  const secret = Buffer.from(Array.from({ length: 20_000 }, (_, index) => (index * 7919 + index ** 2) % 251));
  const revisions = Array.from({ length: 600 }, (_, index) =>
    digestOf(Buffer.from([index % 256, index >> 8])).slice(0, 40),
  );
  const { kept, text } = await say(await openPlace(), [
    chunk(`${secret.toString('base64')}\n\n`),
    chunk(`${secret.subarray(0, 9_000).toString('base64')}\n\n${revisions.join('\n')}\n`),
  ]);
  expect(kept).toMatchObject([{ sha256: digestOf(secret), mimeType: 'application/octet-stream' }]);
  expect(text).toMatch(/^\[attachment id=att_\S+ type=application\/octet-stream name="\S+"\]\{base64\}\n/);
  expect(text).toContain(secret.subarray(0, 9_000).toString('base64'));
  expect(text).toContain(revisions.join('\n'));
});
