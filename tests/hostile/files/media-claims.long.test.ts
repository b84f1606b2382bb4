import { randomBytes } from 'node:crypto';
import type { Attachment } from '@attache/contracts';
import { hostileRecordings } from '@attache/media/fixtures/hostile-recordings';
import { cutRecordings, readRecordingSample, recordingSamples } from '@attache/media/fixtures/recordings';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HostileStack, startHostile } from '../fixtures/hostile-stack.ts';

let stack: HostileStack;
beforeAll(async () => {
  stack = await startHostile();
});
afterAll(() => stack.stop());

type Bytes = Uint8Array<ArrayBuffer>;
const bytes = (content: Uint8Array): Bytes => Uint8Array.from(content);

const declaredTypes = [
  ...['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/heic', 'image/tiff', 'image/bmp'],
  ...['application/pdf', 'application/zip', 'application/json', 'text/plain', 'text/markdown', 'text/html'],
  ...['audio/wav', 'audio/mpeg', 'audio/mp4', 'audio/aac', 'audio/ogg', 'audio/flac', 'audio/aiff', 'audio/amr'],
  ...['video/mp4', 'video/webm', 'video/quicktime', 'video/x-matroska', 'video/x-msvideo', 'video/mpeg', 'video/3gpp'],
];

// A run of random bytes may look like a known format by chance: two bytes in a few thousand.
function makeNoise(): Bytes {
  const noise = randomBytes(5000);
  noise[0] = 0x07;
  return bytes(noise);
}

/** Undefined if the file is refused and nothing of it is kept. */
type Way = { name: string; store(content: Bytes, type: string, name: string): Promise<Attachment | undefined> };

const ways: Way[] = [
  {
    name: 'a raw body',
    store: async (content, type, name) =>
      (await stack.api.upload(stack.session.id, content, { name, type })).attachment,
  },
  {
    name: 'a form',
    async store(content, type, name) {
      const head = `--edge\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n`;
      const raw = bytes(Buffer.concat([Buffer.from(head), content, Buffer.from('\r\n--edge--\r\n')]));
      const headers = { 'content-type': 'multipart/form-data; boundary=edge' };
      const path = `/sessions/${stack.session.id}/attachments`;
      const answer = await stack.api.call<{ attachment: Attachment }>('POST', path, { raw, headers });
      expect(answer.status).toBe(201);
      return answer.body.attachment;
    },
  },
  {
    name: 'a message',
    async store(content, mimeType, filename) {
      const data = Buffer.from(content).toString('base64');
      const body = { to: [stack.agent.id], text: 'look', attachments: [{ data, mimeType, filename }] };
      const before = new Set((await list()).map(({ id }) => id));
      await stack.api.call('POST', `/sessions/${stack.session.id}/messages`, { body });
      return (await list()).find(({ id }) => !before.has(id));
    },
  },
];

async function list(): Promise<Attachment[]> {
  const path = `/sessions/${stack.session.id}/attachments?limit=200`;
  return (await stack.api.call<{ items: Attachment[] }>('GET', path)).body.items;
}

async function fetchRaw(attachment: Attachment): Promise<Response> {
  const body = { disposition: 'inline' };
  const answer = await stack.api.call<{ url: string }>('POST', `/attachments/${attachment.id}/urls`, { body });
  const response = await fetch(answer.body.url);
  await response.arrayBuffer();
  return response;
}

async function expectUnknown(attachment: Attachment, declaredMimeType: string): Promise<void> {
  expect(attachment.mimeType).toBe('application/octet-stream');
  // Whether inspection has ended or not.
  const early = await fetchRaw(attachment);
  const found = await stack.api.inspected(attachment.id);
  expect(found).toMatchObject({
    status: 'ready',
    mimeType: 'application/octet-stream',
    kind: 'unsupported',
    facts: {},
  });
  expect(found.declaredMimeType).toBe(declaredMimeType);
  expect(found.warnings.map(({ code }) => code)).toEqual(['type_differs_from_declared']);
  for (const response of [early, await fetchRaw(attachment)]) {
    expect(response.headers.get('content-type')).toBe('application/octet-stream');
    expect(response.headers.get('content-disposition')).toMatch(/^attachment;/);
  }
}

async function expectNotProjected(attachment: Attachment, content: Bytes): Promise<void> {
  for (const [format, model] of [
    ['google', 'gemini-3-pro-preview'],
    ['openai-responses', 'gpt-5.5'],
    ['anthropic', 'claude-sonnet-5'],
  ]) {
    const body = { format, model, text: 'look', attachmentIds: [attachment.id], bytes: 'inline' };
    const answer = await stack.api.call('POST', `/sessions/${stack.session.id}/projections`, { body });
    expect([answer.status, (answer.body as { code?: string }).code]).toEqual([422, 'DELIVERY_BLOCKED']);
    const written = JSON.stringify(answer.body);
    expect(written).not.toContain(Buffer.from(content).toString('base64').slice(0, 60));
  }
}

describe('noise', () => {
  it('is what it is under every declared type, and never shown or sent [S10 DL-10 DL-95 AT-27 DL-97]', async () => {
    const counts: Record<string, number> = {};
    for (const type of declaredTypes) {
      for (const { name: way, store } of ways) {
        const content = makeNoise();
        const attachment = await store(content, type, `file.${type.split('/')[1]}`);
        if (attachment !== undefined) {
          await expectUnknown(attachment, type);
          await expectNotProjected(attachment, content);
        }
        const kept = attachment === undefined ? 'refused' : 'kept as unknown';
        counts[`${way}, ${kept}`] = (counts[`${way}, ${kept}`] ?? 0) + 1;
      }
    }
    process.stdout.write(`Noise under ${declaredTypes.length} types: ${JSON.stringify(counts)}\n`);
    expect(counts['a raw body, kept as unknown']).toBe(declaredTypes.length);
    expect(counts['a form, kept as unknown']).toBe(declaredTypes.length);
    await stack.expectAlive();
  }, 300_000);

  it.each(recordingSamples.filter((_, index) => index % 4 === 0).filter(({ name }) => !/^wav|^aiff/.test(name)))(
    'behind the beginning of $name is damaged, not played [S10]',
    async ({ name, mimeType }) => {
      const content = bytes(Buffer.concat([readRecordingSample(name).subarray(0, 40), makeNoise()]));
      const { attachment } = await stack.api.upload(stack.session.id, content, { name, type: mimeType });
      const found = await stack.api.inspected(attachment.id);
      expect([found.status, found.failure?.code, found.mimeType]).toEqual(
        found.status === 'ready'
          ? ['ready', undefined, 'application/octet-stream']
          : ['rejected', 'attachment_corrupt', expect.any(String)],
      );
      expect((await fetchRaw(found)).headers.get('content-disposition')).toMatch(/^attachment;/);
      await expectNotProjected(found, content);
    },
  );
});

it('is of the type and length that its frames have, whatever is declared [DL-10 DL-15 DL-75]', async () => {
  for (const { name, mimeType, durationMs } of [...recordingSamples, ...cutRecordings].filter(
    (_, at) => at % 5 === 0,
  )) {
    const content = bytes(readRecordingSample(name));
    const { attachment } = await stack.api.upload(stack.session.id, content, { name: 'x.png', type: 'image/png' });
    const found = await stack.api.inspected(attachment.id);
    expect(found).toMatchObject({ status: 'ready', mimeType, declaredMimeType: 'image/png' });
    expect(Math.abs((found.facts.durationMs ?? 0) - durationMs) / durationMs).toBeLessThan(0.02);
  }
});

it('a recording that claims too much ends in an outcome, and the service continues [S16 S17]', async () => {
  const outcomes: Record<string, number> = {};
  for (const [claim, content] of hostileRecordings) {
    const { attachment } = await stack.api.upload(stack.session.id, bytes(content), {
      name: 'a.mp4',
      type: 'video/mp4',
    });
    const { status, failure } = await stack.api.inspected(attachment.id);
    expect(status === 'ready' || failure?.code === 'attachment_corrupt', claim).toBe(true);
    outcomes[failure?.code ?? status] = (outcomes[failure?.code ?? status] ?? 0) + 1;
  }
  process.stdout.write(`Recordings that claim too much: ${JSON.stringify(outcomes)}\n`);
  await stack.expectAlive();
}, 240_000);

describe('one name', () => {
  it.each([
    ['notes.md', 'text/markdown'],
    ['table.csv', 'text/csv'],
    ['data.json', 'application/json'],
    ['settings.yaml', 'application/yaml'],
    ['plain', 'text/plain'],
  ])('%s gives the label %s whichever way it comes in', async (name, mimeType) => {
    for (const type of ['application/octet-stream', 'text/plain']) {
      for (const { store } of ways) {
        const content = bytes(Buffer.from(`words ${Math.random()}\n`));
        const attachment = await store(content, type, name);
        expect(attachment?.mimeType).toBe(mimeType);
        const found = await stack.api.inspected(attachment?.id ?? '');
        expect(found).toMatchObject({ mimeType, kind: 'text', warnings: [] });
      }
    }
  });
});

it('leaves no orphan behind', async () => {
  await stack.expectAlive();
  await stack.expectCleanEnd();
});
