// hosted: long – tools are answered by the process that owns the agent; what another one makes is shown in by-tool.test.ts
import { hash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Attachment, Session } from '@attache/contracts';
import { buildPdf } from '@attache/media/fixtures/pdfs';
import { makePng } from '@attache/test-harness';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type OwnStack, openOwnStack } from '../stack/stack.ts';
import { type McpAgent, openMcpAgent, readFacts } from '../steps/mcp-client.ts';
import type { Place } from '../steps/turns.ts';
import { waitForPreview } from '../steps/wait-for-preview.ts';

type Bytes = Uint8Array<ArrayBuffer>;

let stack: OwnStack;
let place: Place;
let mcp: McpAgent;
let files: Record<'small' | 'large' | 'report' | 'note', Attachment>;
let unnamed: Attachment;

// A picture whose pixels say where they are.
async function drawMap(width: number, height: number): Promise<Bytes> {
  const pixels = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) pixels.set([x >> 4, y >> 4, 99], (y * width + x) * 3);
  }
  return Uint8Array.from(
    await sharp(pixels, { raw: { width, height, channels: 3 } })
      .png()
      .toBuffer(),
  );
}

const small = makePng(40, 30);
const note = Array.from({ length: 3_000 }, (_, index) => `line ${index} ä😀\n`).join('');
const report = Uint8Array.from(buildPdf([['Quarterly report'], ['Costs fell.'], ['End']]));

async function upload(bytes: Bytes, name: string, type: string): Promise<Attachment> {
  const { attachment } = await stack.api.upload(place.session.id, bytes, { name, type });
  return stack.api.inspected(attachment.id);
}

beforeAll(async () => {
  stack = await openOwnStack();
  place = await stack.api.createSession({ profile: 'seeing', model: 'script' });
  files = {
    small: await upload(small, 'small.png', 'image/png'),
    large: await upload(await drawMap(3_000, 1_500), 'large.png', 'image/png'),
    report: await upload(report, 'report.pdf', 'application/pdf'),
    note: await upload(Uint8Array.from(Buffer.from(note)), 'note.txt', 'text/plain'),
  };
  unnamed = await upload(makePng(9, 9), 'unnamed.png', 'image/png');
  mcp = await openMcpAgent(
    stack,
    place,
    Object.values(files).map(({ id }) => id),
  );
});
afterAll(async () => {
  await mcp?.close();
  await stack.stop();
});

async function viewsOf({ id }: Attachment): Promise<Record<string, unknown>[]> {
  const events = await stack.api.events(place.session.id);
  return events
    .filter(({ kind, data }) => kind === 'resource.viewed' && data.attachmentId === id)
    .map(({ data }) => data);
}

async function view({ id }: Attachment, input: Record<string, unknown> = {}) {
  const answer = await mcp.call('resource_view', { attachmentId: id, ...input });
  const image = answer.content.find(({ type }) => type === 'image');
  const bytes = Buffer.from(image?.data ?? '', 'base64');
  return { answer, facts: readFacts(answer), mimeType: image?.mimeType, bytes };
}

describe('in a session that allows no conversions', () => {
  let strict: McpAgent;
  let strictSessionId: string;
  const own: Record<string, Attachment> = {};
  beforeAll(async () => {
    const agents = [{ name: 'agent-1', role: 'lead', target: { profile: 'seeing', model: 'script' } }];
    const { body } = await stack.api.call<{ session: Session }>('POST', '/sessions', {
      body: { agents, conversions: 'deny' },
    });
    const [agent] = body.session.agents;
    if (agent === undefined) throw new Error('the session has no agent');
    strictSessionId = body.session.id;
    const give = async (name: string, bytes: Bytes, type: string) => {
      const { attachment } = await stack.api.upload(body.session.id, bytes, { name, type });
      own[name] = await stack.api.inspected(attachment.id);
    };
    await give('small.png', makePng(41, 31), 'image/png');
    await give('large.png', await drawMap(2_500, 1_000), 'image/png');
    await give('report.pdf', report, 'application/pdf');
    await give('note.txt', Uint8Array.from(Buffer.from('ä plain note')), 'text/plain');
    await give('old.txt', Uint8Array.from(Buffer.from('déjà vu, été, où, garçon', 'latin1')), 'text/plain');
    strict = await openMcpAgent(
      stack,
      { session: body.session, agent },
      ['small.png', 'note.txt'].map((name) => own[name]?.id ?? ''),
    );
    for (const { id } of Object.values(own)) {
      const grant = { agentId: agent.id, attachmentId: id, rights: ['read'] };
      await stack.api.call('POST', `/sessions/${body.session.id}/grants`, { body: grant });
    }
  });
  afterAll(() => strict?.close());

  it.each([
    ['small.png', {}],
    ['note.txt', {}],
    ['note.txt', { textRange: { offset: 2, length: 5 } }],
  ])('a file is shown as it is: %s, %j [DL-50]', async (name, input) => {
    expect(await strict.call('resource_view', { attachmentId: own[name]?.id, ...input })).not.toHaveProperty(
      'isError',
      true,
    );
  });

  it.each([
    ['small.png', { size: { maxEdgePixels: 64 }, crop: { x: 1, y: 1, width: 9, height: 9 } }],
    ['large.png', {}],
    ['report.pdf', {}],
    ['report.pdf', { textRange: { offset: 0, length: 5 } }],
    ['old.txt', {}],
    ['large.png', { dryRun: true }],
  ])('nothing is made of it: %s, %j [DL-50 SR-25]', async (name, input) => {
    const readViews = async () =>
      (await stack.api.events(strictSessionId)).filter(({ kind }) => kind === 'resource.viewed');
    const before = await readViews();
    const answer = await strict.call('resource_view', { attachmentId: own[name]?.id, ...input });
    expect(answer).toMatchObject({ isError: true });
    expect(await readViews()).toEqual(before);
    expect(JSON.stringify(answer)).toContain('attachment_conversion_denied');
  });
});

describe('the tools of an agent', () => {
  it('are offered by MCP over a program that any runtime can start, and take ids verbatim [BX-17 SR-18 AT-29 AT-41]', async () => {
    const { tools } = await mcp.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'attachments_list',
      'attachment_describe',
      'resource_view',
      'attachment_save_output',
    ]);
    for (const { name, inputSchema } of tools.slice(1, 3)) {
      const { attachmentId } = inputSchema.properties as Record<string, { description: string }>;
      expect(attachmentId?.description, name).toContain('copied verbatim from the marker');
      expect(inputSchema.required).toEqual(['attachmentId']);
    }
  });

  it('list what was granted to it and nothing else, page by page and by kind [BX-17]', async () => {
    const seen: unknown[] = [];
    let cursor: unknown;
    do {
      const page = await mcp.facts('attachments_list', { limit: 2, ...(cursor ? { cursor } : {}) });
      seen.push(...(page.items as Attachment[]).map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(Object.values(files).map(({ id }) => id));
    expect(await mcp.facts('attachments_list', { kind: 'document' })).toMatchObject({
      items: [{ id: files.report.id, name: 'report.pdf', status: 'ready', facts: { pages: 3 } }],
    });
    expect(await mcp.facts('attachments_list', { origin: 'tool-output' })).toEqual({ items: [] });
    expect(await mcp.call('attachments_list', { cursor: 'forged' })).toMatchObject({ isError: true });
  });

  it('describe one with all that is known of it', async () => {
    const { id, sha256 } = files.large;
    await waitForPreview(stack.api, id);
    const described = await mcp.facts('attachment_describe', { attachmentId: id });
    expect(described).toMatchObject({ id, sha256, kind: 'image', facts: { width: 3_000, height: 1_500 } });
    expect(described.variants).toContainEqual(expect.objectContaining({ purpose: 'preview' }));
  });

  it('answer one and the same to what is not this agent’s, and nothing of it [AT-41]', async () => {
    const answer = async (attachmentId: string) => [
      await mcp.call('attachment_describe', { attachmentId }),
      await mcp.call('resource_view', { attachmentId }),
    ];
    const unknown = await answer('att_AAAAAAAAQACAAAAAAAAAAA');
    expect(unknown.map(({ isError }) => isError)).toEqual([true, true]);
    expect(await answer(unnamed.id)).toEqual(unknown);
    for (const malformed of ['att_x', '../../etc/passwd', '', 'x'.repeat(100_000)]) {
      for (const { isError, content } of await answer(malformed)) {
        expect([isError, content.length]).toEqual([true, 1]);
        expect(content[0]?.text?.length).toBeLessThan(200);
      }
    }
  });

  it('work under the span that the call names', async () => {
    const [traceId, spanId] = ['a'.repeat(32), 'b'.repeat(16)];
    const meta = { traceparent: `00-${traceId}-${spanId}-01` };
    await mcp.call('resource_view', { attachmentId: files.small.id, dryRun: true }, meta);
    await vi.waitFor(() => {
      const found = stack.spans().filter((span) => span.traceId === traceId);
      const call = found.find(({ name }) => name === 'tools/call resource_view');
      expect(call?.parentSpanId).toBe(spanId);
      expect(found.find(({ name }) => name === 'attachment.authorize')?.parentSpanId).toBe(call?.spanId);
      expect(found.map(({ name }) => name)).toContain('POST /agent/mcp');
    }, 60_000);
  });
});

describe('a view', () => {
  it('brings the original back, byte by byte, and stands in the log [SR-06 SR-25 SR-18]', async () => {
    const { facts, bytes, mimeType } = await view(files.small);
    expect(bytes).toEqual(Buffer.from(small));
    expect(mimeType).toBe('image/png');
    expect(facts).toMatchObject({ form: 'image', scale: 1, shown: { of: 'original', sha256: hash('sha256', small) } });
    expect(await viewsOf(files.small)).toEqual([{ agentId: place.agent.id, attachmentId: files.small.id, view: {} }]);
  });

  it('of a large image fits what agents forward, and its scale maps back to the original [BX-13]', async () => {
    const { facts, bytes } = await view(files.large);
    expect(facts).toMatchObject({
      shown: { of: 'variant', width: 2_000, height: 1_000, sha256: hash('sha256', bytes) },
      original: { width: 3_000, height: 1_500, sha256: files.large.sha256 },
    });
    expect(facts.scale).toBeCloseTo(2 / 3);
    const { facts: smaller } = await view(files.large, { size: { maxEdgePixels: 300 } });
    expect(smaller).toMatchObject({ shown: { width: 300 }, scale: 0.1 });
  });

  it('follows what the tenant says of the target, from now on [BX-05 SR-18]', async () => {
    const path = '/capability-overrides/seeing/script';
    const body = { capability: { image: false }, reason: 'its pictures are not looked at' };
    expect((await stack.api.call('PUT', path, { body })).status).toBe(200);
    const { answer } = await view(files.small);
    expect((await stack.api.call('DELETE', path)).status).toBe(204);
    expect(JSON.stringify(answer)).toContain('takes no images');
    expect((await view(files.small)).mimeType).toBe('image/png');
  });

  it('of a part shows the original’s own pixels there [BX-13 SR-25]', async () => {
    const crop = { x: 1_600, y: 800, width: 400, height: 200 };
    const { facts, bytes } = await view(files.large, { crop });
    expect(facts).toMatchObject({ crop, scale: 1, shown: { width: 400, height: 200 } });
    const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
    const [x, y] = [160, 64];
    expect([...data.subarray((y * info.width + x) * info.channels).subarray(0, 2)]).toEqual([
      (crop.x + x) >> 4,
      (crop.y + y) >> 4,
    ]);
    expect(await viewsOf(files.large)).toContainEqual(expect.objectContaining({ view: { crop } }));
  });

  it('of a document is one page of it, or its text [SR-18]', async () => {
    const { facts, bytes, mimeType } = await view(files.report, { page: 2 });
    expect([facts.page, mimeType]).toEqual([2, 'image/jpeg']);
    expect(
      Math.max(
        ...Object.values(
          await sharp(bytes)
            .metadata()
            .then(({ width, height }) => ({ width, height })),
        ),
      ),
    ).toBe(2_000);
    const { answer } = await view(files.report, { textRange: { offset: 0, length: 1_000 } });
    expect(answer.content.map(({ type }) => type)).toEqual(['text', 'text']);
    expect(answer.content[1]?.text).toMatch(/^--- page 1 ---\nQuarterly report\n--- page 2 ---\nCosts fell\./);
    expect(await viewsOf(files.report)).toEqual([
      expect.objectContaining({ view: { page: 2 } }),
      expect.objectContaining({ view: { textRange: { offset: 0, length: 1_000 } } }),
    ]);
  });

  it('of a text is a part of it, and says where the next begins [SR-18]', async () => {
    const characters = Array.from(note);
    const { facts, answer } = await view(files.note);
    expect(facts).toMatchObject({ nextOffset: 20_000, shown: { totalCharacters: characters.length } });
    expect(answer.content[1]?.text).toBe(characters.slice(0, 20_000).join(''));
    const rest = await view(files.note, { textRange: { offset: 20_000, length: 50_000 } });
    expect(rest.answer.content[1]?.text).toBe(characters.slice(20_000).join(''));
    expect(rest.facts).not.toHaveProperty('nextOffset');
  });

  it('that is only asked about says what would be shown, and leaves nothing in the log', async () => {
    const before = await viewsOf(files.large);
    const { facts, answer } = await view(files.large, { dryRun: true });
    expect(answer.content).toHaveLength(1);
    expect(facts).toMatchObject({ dryRun: true, form: 'image', shown: { maxEdgePixels: 2_000, maxBytes: 3_500_000 } });
    expect(await viewsOf(files.large)).toEqual(before);
  });

  it('outside of what there is is refused with what there is, and stands nowhere [SR-25]', async () => {
    const before = await viewsOf(files.report);
    const crop = { x: 2_900, y: 0, width: 200, height: 10 };
    const cases: [Attachment, Record<string, unknown>, RegExp][] = [
      [files.report, { page: 4 }, /no page 4: the document has 3/],
      [files.report, { textRange: { offset: 99_999, length: 1 } }, /The text has \d+ characters/],
      [files.report, { crop }, /Leave out crop/],
      [files.large, { crop }, /which has 3000×1500 pixels/],
      [files.large, { page: 1 }, /Leave out page/],
      [files.note, { size: { maxEdgePixels: 100 } }, /Leave out size/],
      [files.large, { size: { maxEdgePixels: 2_001 } }, /maxEdgePixels/],
    ];
    for (const [{ id }, input, message] of cases) {
      expect(await mcp.call('resource_view', { attachmentId: id, ...input })).toMatchObject({
        isError: true,
        structuredContent: { code: 'INVALID_REQUEST', message: expect.stringMatching(message), retryable: false },
      });
    }
    expect(await viewsOf(files.report)).toEqual(before);
  });
});

describe('an output', () => {
  const save = (input: Record<string, unknown>) =>
    mcp.facts('attachment_save_output', { name: 'made.txt', mimeType: 'text/plain', ...input });

  it('is stored from text, base64 or a file of the working folder, and can be viewed [BX-17]', async () => {
    const folder = join(stack.agentFolder(place.agent.id), 'work', 'out');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'result.txt'), 'from a file');
    const contents = { text: 'wörds', base64: Buffer.from([1, 2, 3, 255]).toString('base64'), path: 'out/result.txt' };
    const expected = [Buffer.from('wörds'), Buffer.from([1, 2, 3, 255]), Buffer.from('from a file')];
    for (const [index, [way, content]] of Object.entries(contents).entries()) {
      const output = await save({ [way]: content });
      expect(output).toMatchObject({ name: 'made.txt', attachmentId: expect.stringMatching(/^att_/) });
      expect(Buffer.from(await (await fetch(String(output.displayUrl))).arrayBuffer())).toEqual(expected[index]);
      const attachment = await stack.api.inspected(String(output.attachmentId));
      expect(attachment).toMatchObject({ origin: 'tool-output', source: 'tool' });
    }
    const { items } = await mcp.facts('attachments_list', { origin: 'tool-output' });
    const [first] = items as Attachment[];
    expect((await view(first as Attachment)).answer.content[1]?.text).toBe('wörds');
  });

  it('that is only asked about is not stored', async () => {
    const before = await mcp.facts('attachments_list', { origin: 'tool-output' });
    expect(await save({ name: '../a', text: 'x', dryRun: true })).toEqual({
      dryRun: true,
      name: '_.._a',
      mimeType: 'text/plain',
      sizeBytes: 1,
    });
    expect(await mcp.facts('attachments_list', { origin: 'tool-output' })).toEqual(before);
  });

  it('has the label that its name and bytes give, asked about or stored', async () => {
    for (const dryRun of [true, false]) {
      expect(await save({ name: 'made.csv', text: 'a,b\n', dryRun })).toMatchObject({ mimeType: 'text/csv' });
      const noise = Buffer.from(Array.from({ length: 99 }, (_, index) => index * 37));
      const claimed = { name: 'made.mp4', mimeType: 'video/mp4', base64: noise.toString('base64'), dryRun };
      expect(await save(claimed)).toMatchObject({ mimeType: 'application/octet-stream' });
    }
  });

  it('is described in words where it cannot be shown, and refused where it is broken [SR-18]', async () => {
    const wav = Buffer.concat([
      Buffer.from(
        'RIFF\x2c\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x40\x1f\0\0\x01\0\x08\0data\x08\0\0\0',
        'latin1',
      ),
      Buffer.alloc(8, 0x80),
    ]);
    const sound = await save({ mimeType: 'audio/wav', base64: wav.toString('base64') });
    await stack.api.inspected(String(sound.attachmentId));
    expect(await mcp.facts('resource_view', { attachmentId: sound.attachmentId })).toMatchObject({
      form: 'none',
      reason: expect.stringMatching(/audio\/.*cannot be shown/),
    });
    const broken = await save({ mimeType: 'image/png', base64: Buffer.from(small).subarray(0, 60).toString('base64') });
    const events = async () =>
      (await mcp.call('resource_view', { attachmentId: broken.attachmentId })).structuredContent;
    await vi.waitFor(async () => expect(await events()).toMatchObject({ code: 'attachment_rejected' }), {
      timeout: 60_000,
    });
    const viewed = (await stack.api.events(place.session.id)).filter(({ kind }) => kind === 'resource.viewed');
    const ids = [sound.attachmentId, broken.attachmentId];
    expect(viewed.filter(({ data }) => ids.includes(data.attachmentId))).toEqual([]);
  });
});
