import { hash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32, deflateSync } from 'node:zlib';
import {
  type Attachment,
  type Delivery,
  type Failure,
  type FailureCode,
  idFromUuid,
  profileSchema,
} from '@attache/contracts';
import { buildPdf } from '@attache/media/fixtures/pdfs';
import { copyTemplateFolder, makeNoisePng, makePng, makePngHeader, startEmbedded } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HostileStack, startHostile } from './hostile-stack.ts';

type Bytes = Uint8Array<ArrayBuffer>;
type File = { bytes: Bytes; name: string; type: string };

const program = ['attache-example-agent'];
const acp = (profile: object) => profileSchema.parse({ runtime: 'acp', command: program, ...profile });

let stack: HostileStack;
beforeAll(async () => {
  stack = await startHostile({
    profiles: {
      example: acp({ provider: 'example', model: 'example-vision' }),
      stranger: acp({ provider: 'gw', model: 'mystery' }),
      narrow: acp({ provider: 'example', model: 'example-vision', limits: { lineBytes: 40_000 } }),
    },
  });
  const { session, agent } = await stack.api.createSession({ profile: 'stranger', model: 'mystery' });
  const { deliveries } = await stack.api.send(session.id, { to: [agent.id], text: 'so that its program is known' });
  await stack.api.settled(deliveries[0].id);
});
afterAll(() => stack.stop());

const bytesOf = (...pieces: (string | Uint8Array)[]): Bytes =>
  Uint8Array.from(
    Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece))),
  );
const fixture = async (name: string): Promise<Bytes> =>
  Uint8Array.from(
    await readFile(fileURLToPath(new URL(`../../packages/media/src/worker/__fixtures__/${name}`, import.meta.url))),
  );

const png = (bytes: Bytes): File => ({ bytes, name: 'a.png', type: 'image/png' });
const pdf = (bytes: Bytes): File => ({ bytes, name: 'a.pdf', type: 'application/pdf' });
const wav = (sizeBytes: number): File => {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(sizeBytes - 8, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.set([1, 0, 1, 0, 0x40, 0x1f, 0, 0, 0x40, 0x1f, 0, 0, 1, 0, 8, 0], 20);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(sizeBytes - 44, 40);
  return { bytes: bytesOf(header, Buffer.alloc(sizeBytes - 44, 0x80)), name: 'a.wav', type: 'audio/wav' };
};
const flac: File = {
  bytes: bytesOf('fLaC', Buffer.from([0, 0, 0, 34]), Buffer.alloc(34)),
  name: 'a.flac',
  type: 'audio/flac',
};
const mp4: File = {
  bytes: bytesOf(Buffer.from([0, 0, 0, 24]), 'ftypisom', Buffer.alloc(4), 'isommp42', Buffer.alloc(64)),
  name: 'a.mp4',
  type: 'video/mp4',
};
const zip: File = { bytes: bytesOf('PK\u0003\u0004', Buffer.alloc(40)), name: 'a.zip', type: 'application/zip' };
const report = pdf(Uint8Array.from(buildPdf([['one'], ['two']])));

type Scene = { profile?: string; model?: string; conversions?: 'allow' | 'deny'; files: File[] };

async function upload(sessionId: string, { bytes, name, type }: File): Promise<Attachment> {
  const { attachment } = await stack.api.upload(sessionId, bytes, { name, type });
  return stack.api.inspected(attachment.id);
}

async function open({ profile = 'example', model = 'example-vision', conversions = 'allow', files }: Scene) {
  const agents = [{ name: 'a', role: 'lead', target: { profile, model } }];
  const { body } = await stack.api.call('POST', '/sessions', { body: { agents, conversions } });
  const session = body.session as { id: string; agents: { id: string }[] };
  const attachments: Attachment[] = [];
  for (const file of files) attachments.push(await upload(session.id, file));
  const agentId = session.agents[0]?.id ?? '';
  return { sessionId: session.id, agentId, attachments };
}

async function send({ sessionId, agentId, attachments }: Awaited<ReturnType<typeof open>>) {
  const body = { to: [agentId], text: 'look', attachmentIds: attachments.map(({ id }) => id) };
  return stack.api.call('POST', `/sessions/${sessionId}/messages`, { body });
}

const settle = async (answer: Awaited<ReturnType<typeof send>>): Promise<Delivery> => {
  expect(answer.status, JSON.stringify(answer.body)).toBe(202);
  return stack.api.settled((answer.body.deliveries as { id: string }[])[0]?.id ?? '');
};

function expectFailure(failure: Failure | undefined, code: FailureCode): void {
  expect(failure?.code, JSON.stringify(failure)).toBe(code);
  expect(failure?.userMessage).toMatch(/[.!]$/);
  expect(JSON.stringify(failure)).not.toMatch(/\/tmp|\/work|\n\s+at /);
}

describe('inspection rejects by code, and the file stays downloadable [DL-37 DL-40 DL-43 S16]', () => {
  it.each<[FailureCode, () => File | Promise<File>]>([
    ['attachment_corrupt_image', () => png(makePng(200, 200).slice(0, 150))],
    ['attachment_corrupt', () => pdf(report.bytes.slice(0, 300))],
    ['attachment_pixels_exceeded', () => png(makePngHeader(60_000, 60_000))],
    ['attachment_encrypted', async () => pdf(await fixture('password-aes.pdf'))],
  ])('%s', async (code, make) => {
    const scene = await open({ files: [await make()] });
    const [attachment] = scene.attachments;
    expect(attachment?.status).toBe('rejected');
    expectFailure(attachment?.failure, code);
    const answer = await send(scene);
    expect(answer.status).toBe(422);
    expectFailure(answer.body.failures?.[0], 'attachment_rejected');
    expect(answer.body.failures?.[0]?.safeDetails).toMatchObject({ rejectedAs: code });
  });
});

describe('the plan blocks by code before anything is sent [DL-37 DL-40 DL-21 BX-19]', () => {
  it.each<[FailureCode, () => Scene]>([
    ['attachment_too_large_original', () => ({ model: 'example-omni', files: [wav(21 * 1024 * 1024)] })],
    [
      'attachment_serialized_payload_too_large',
      () => ({ files: Array.from({ length: 21 }, (_, index) => png(makePng(9 + index, 9))) }),
    ],
    ['attachment_unsupported_mime', () => ({ model: 'example-omni', files: [flac] })],
    ['attachment_type_unsupported', () => ({ files: [zip] })],
    ['attachment_runtime_unsupported', () => ({ files: [mp4] })],
    ['attachment_model_unsupported', () => ({ files: [wav(1000)] })],
    ['attachment_model_vision_unsupported', () => ({ model: 'example-text', files: [png(makePng(9, 9))] })],
    ['attachment_model_vision_unknown', () => ({ profile: 'stranger', model: 'mystery', files: [png(makePng(9, 9))] })],
    ['attachment_model_unknown', () => ({ profile: 'stranger', model: 'mystery', files: [wav(1000)] })],
    ['attachment_conversion_denied', () => ({ conversions: 'deny', files: [report] })],
  ])('%s', async (code, scene) => {
    const answer = await send(await open(scene()));
    expect([answer.status, answer.body.code]).toEqual([422, 'DELIVERY_BLOCKED']);
    expectFailure(answer.body.failures?.[0], code);
    expect(answer.body.failures?.[0]?.retryable).toBe(false);
  });
});

/** Files of blobs whose bytes have this digest. Others may come and go meanwhile. */
async function findBlobs(sha256: string): Promise<string[]> {
  const root = join(stack.dataDir, 'blobs');
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const digests = await Promise.all(
    paths.map((path) =>
      readFile(path).then(
        (bytes) => hash('sha256', bytes),
        () => '',
      ),
    ),
  );
  return paths.filter((_, index) => digests[index] === sha256);
}

async function replaceBlob(sha256: string, bytes: Uint8Array): Promise<void> {
  const found = await findBlobs(sha256);
  expect(found).toHaveLength(1);
  await rm(found[0] as string);
  await writeFile(found[0] as string, bytes);
}

describe('execution fails by code and never changes the form [DL-40 DL-48 DL-53 DL-54]', () => {
  it('attachment_checksum_mismatch: the stored bytes were replaced, before a variant and before a write', async () => {
    const native = await open({ files: [png(makePng(51, 17))] });
    await replaceBlob(native.attachments[0]?.sha256 ?? '', makePng(52, 17));
    const first = await settle(await send(native));
    expectFailure(first.failure, 'attachment_checksum_mismatch');
    expect(first.failure?.retryable).toBe(false);
    expect(first.timeline.map(({ status }) => status)).not.toContain('written');
    const converted = await open({ files: [png(makePng(9_100, 17))] });
    await replaceBlob(converted.attachments[0]?.sha256 ?? '', makePng(9_200, 17));
    const second = await settle(await send(converted));
    expectFailure(second.failure, 'attachment_checksum_mismatch');
    expect(second.timeline.map(({ status }) => status)).toEqual(['queued', 'failed']);
  });

  it('attachment_missing: the original is gone from the store', async () => {
    const scene = await open({ files: [png(makePng(9_300, 17))] });
    for (const path of await findBlobs(scene.attachments[0]?.sha256 ?? '')) await rm(path);
    const delivery = await settle(await send(scene));
    expectFailure(delivery.failure, 'attachment_missing');
    const { body } = await stack.api.call('GET', `/sessions/${scene.sessionId}/events`);
    expect(JSON.stringify(body)).toContain('message.accepted');
  });

  it('attachment_missing: an original that is gone is not replaced by what was made of it before [DL-54]', async () => {
    const scene = await open({ files: [png(makePng(9_350, 17))] });
    expect((await settle(await send(scene))).status).toBe('responded');
    for (const path of await findBlobs(scene.attachments[0]?.sha256 ?? '')) await rm(path);
    const delivery = await settle(await send(scene));
    expectFailure(delivery.failure, 'attachment_missing');
    expect(delivery.failure?.retryable).toBe(false);
  });

  it('attachment_artifact_missing: what was made of a file is lost; a retry has it made again', async () => {
    const scene = await open({ files: [png(makePng(9_400, 17))] });
    const sent = (await settle(await send(scene))).receipt?.items[0];
    for (const path of await findBlobs(sent?.sha256 ?? '')) await rm(path);
    const failed = await settle(await send(scene));
    expectFailure(failed.failure, 'attachment_artifact_missing');
    expect(failed.failure?.retryable).toBe(true);
    const retried = await stack.api.call('POST', `/deliveries/${failed.id}/retry`);
    expect(retried.status).toBe(202);
    const mended = await stack.api.settled(failed.id);
    expect(mended).toMatchObject({
      status: 'responded',
      receipt: { items: [{ sha256: sent?.sha256, form: 'variant' }] },
    });
  });

  it('attachment_checksum_mismatch of a variant: a retry has it made again from the original', async () => {
    const scene = await open({ files: [png(makePng(9_500, 17))] });
    const sent = (await settle(await send(scene))).receipt?.items[0];
    await replaceBlob(sent?.sha256 ?? '', Buffer.from('something else'));
    const failed = await settle(await send(scene));
    expectFailure(failed.failure, 'attachment_checksum_mismatch');
    expect(failed.failure?.retryable).toBe(true);
    await stack.api.call('POST', `/deliveries/${failed.id}/retry`);
    expect((await stack.api.settled(failed.id)).receipt?.items[0]?.sha256).toBe(sent?.sha256);
  });

  it('attachment_artifact_write_failed: no place for the file before the agent; a retry brings it', async () => {
    const scene = await open({ files: [png(makeNoisePng(2_500_000))] });
    const folder = join(stack.dataDir, 'agents', scene.agentId);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'inbox'), '');
    const failed = await settle(await send(scene));
    expectFailure(failed.failure, 'attachment_artifact_write_failed');
    expect(failed.failure?.retryable).toBe(true);
    await rm(join(folder, 'inbox'));
    await stack.api.call('POST', `/deliveries/${failed.id}/retry`);
    expect((await stack.api.settled(failed.id)).status).toBe('responded');
  });

  it('attachment_too_large_optimized: even its least form is too large', async () => {
    const scene = await open({ profile: 'narrow', files: [png(makeTransparentNoise())] });
    const delivery = await settle(await send(scene));
    expectFailure(delivery.failure, 'attachment_too_large_optimized');
  });

  it('attachment_optimization_failed: the worker that makes it ends twice [S17]', async () => {
    // What is decoded as a whole for a variant does not fit; inspection, which holds a strip of it, does.
    const small = await startHostile({ media: { memoryBytes: 200 * 1024 * 1024 } });
    try {
      const { session, agent } = small;
      const { attachment } = await small.api.upload(session.id, makePng(9_000, 9_000));
      expect((await small.api.inspected(attachment.id)).status).toBe('ready');
      const { deliveries } = await small.api.send(session.id, {
        to: [agent.id],
        text: 'x',
        attachmentIds: [attachment.id],
      });
      const delivery = await small.api.settled(deliveries[0].id);
      expectFailure(delivery.failure, 'attachment_optimization_failed');
      expect(delivery.failure?.safeDetails).toMatchObject({ cause: 'memory', attempts: 2 });
      await small.expectAlive();
    } finally {
      await small.stop();
    }
  }, 60_000);
});

/** A PNG with transparency whose pixels do not compress. */
function makeTransparentNoise(): Bytes {
  const chunk = (type: string, data: Uint8Array) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length, 0);
    frame.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
  };
  const edge = 700;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(edge, 0);
  header.writeUInt32BE(edge, 4);
  header.set([8, 6], 8);
  const rows = Buffer.alloc((1 + edge * 4) * edge);
  let state = 1;
  for (let at = 0; at < rows.length; at += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    rows[at] = at % (1 + edge * 4) === 0 ? 0 : state >>> 24;
  }
  return bytesOf(
    '\u0089PNG\r\n\u001a\n',
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', new Uint8Array()),
  );
}

it('a message that names what is not there is refused before any plan [DL-12]', async () => {
  const scene = await open({ files: [] });
  const body = { to: [scene.agentId], text: 'x', attachmentIds: [idFromUuid('attachment', crypto.randomUUID())] };
  const answer = await stack.api.call('POST', `/sessions/${scene.sessionId}/messages`, { body });
  expect([answer.status, answer.body.code]).toEqual([404, 'ATTACHMENT_NOT_FOUND']);
});

it('attachment_pending: what is still being inspected is waited for, then said, to be tried again unedited [DL-37 DL-42]', async () => {
  const broken = await startHostile();
  try {
    const folder = join(broken.dataDir, 'work');
    await rm(folder, { recursive: true });
    await writeFile(folder, '');
    const { attachment } = await broken.api.upload(broken.session.id, makePng(7, 7));
    const body = { to: [broken.agent.id], text: 'x', attachmentIds: [attachment.id] };
    const answer = await broken.api.call('POST', `/sessions/${broken.session.id}/messages`, { body });
    expect([answer.status, answer.body.code, answer.body.retryable]).toEqual([409, 'ATTACHMENT_PENDING', true]);
    expectFailure(answer.body.failures?.[0], 'attachment_pending');
    expect(answer.headers.get('retry-after')).not.toBeNull();
  } finally {
    await broken.stop();
  }
}, 30_000);

it('delivery_target_unknown: the profile of an agent is no longer offered [DL-37 DL-51 DL-12]', async () => {
  const dataDir = await copyTemplateFolder();
  const first = await startEmbedded({
    dataDir,
    profiles: { old: acp({ provider: 'example', model: 'example-vision' }) },
  });
  const { session, agent } = await first.api.createSession({ profile: 'old' });
  await first.stop();
  const second = await startEmbedded({
    dataDir,
    profiles: { example: acp({ provider: 'example', model: 'example-vision' }) },
  });
  try {
    const path = `/sessions/${session.id}`;
    const answer = await second.api.call('POST', `${path}/messages`, { body: { to: [agent.id], text: 'hello' } });
    expect(answer.status).toBe(422);
    expectFailure(answer.body.failures?.[0], 'delivery_target_unknown');
    const target = { profile: 'example', model: 'example-text' };
    expect((await second.api.call('PATCH', `${path}/agents/${agent.id}`, { body: { target } })).status).toBe(200);
    const { deliveries } = await second.api.send(session.id, { to: [agent.id], text: 'hello' });
    expect((await second.api.settled(deliveries[0].id)).status).toBe('responded');
  } finally {
    await second.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}, 30_000);

it('a file on which every worker ends is rejected, and all else goes on [S17 DL-43]', async () => {
  const starved = await startHostile({ media: { memoryBytes: 110 * 1024 * 1024 } });
  try {
    const { session, agent } = starved;
    const pages = Array.from({ length: 2_000 }, () =>
      Array.from({ length: 50 }, () => 'many words on many lines '.repeat(3)),
    );
    const options = { name: 'a.pdf', type: 'application/pdf' };
    const { attachment } = await starved.api.upload(session.id, Uint8Array.from(buildPdf(pages)), options);
    const inspected = await starved.api.inspected(attachment.id);
    expect(inspected.status).toBe('rejected');
    expectFailure(inspected.failure, 'attachment_corrupt');
    expect(inspected.failure?.safeDetails).toMatchObject({ attempts: 2 });
    await starved.expectAlive();
    const { deliveries } = await starved.api.send(session.id, { to: [agent.id], text: 'hello' });
    expect((await starved.api.settled(deliveries[0].id)).status).toBe('responded');
  } finally {
    await starved.stop();
  }
}, 40_000);

describe('much at once stays within the caps [BX-01 DL-72 S16]', () => {
  it('5,000 pages are counted, and refused where they are too many', async () => {
    const pages = Array.from({ length: 5_000 }, (_, index) => [`page ${index + 1}`]);
    const scene = await open({ files: [pdf(Uint8Array.from(buildPdf(pages)))] });
    expect(scene.attachments[0]).toMatchObject({ status: 'ready', facts: { pages: 5_000 } });
    expect(scene.attachments[0]?.facts.textBytes).toBeUndefined();
    const answer = await send(scene);
    expect(answer.status).toBe(422);
    expectFailure(answer.body.failures?.[0], 'attachment_serialized_payload_too_large');
    expect(answer.body.failures?.[0]?.safeDetails).toMatchObject({ pages: 5_000, limitPages: 20 });
  }, 30_000);

  it('thirty pictures of twelve megapixels are too many for one message, twenty of them go', async () => {
    const picture = png(makePng(4_000, 3_000));
    const scene = await open({ files: Array.from({ length: 30 }, () => picture) });
    expect((await send(scene)).body.failures?.length).toBe(10);
    const twenty = { ...scene, attachments: scene.attachments.slice(0, 20) };
    const delivery = await settle(await send(twenty));
    expect(delivery).toMatchObject({ status: 'responded', plan: { decision: 'deliver' } });
    const { lineBytes, pixels } = delivery.plan.budget;
    expect(pixels?.used).toBe(20 * 4_000 * 3_000);
    expect(lineBytes?.used).toBeLessThanOrEqual(lineBytes?.limit ?? 0);
    expect(delivery.receipt?.items).toHaveLength(20);
  }, 60_000);

  it('UTF-16 without a mark is text, decoded for the agent [RP-05 RP-08 SR-14]', async () => {
    const words = 'Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich.\n'.repeat(4);
    const file = { bytes: bytesOf(Buffer.from(words, 'utf16le')), name: 'a.txt', type: 'application/octet-stream' };
    const scene = await open({ files: [file] });
    expect(scene.attachments[0]).toMatchObject({
      kind: 'text',
      mimeType: 'text/plain',
      declaredMimeType: 'application/octet-stream',
      facts: { encoding: 'utf-16le' },
    });
    const delivery = await settle(await send(scene));
    expect(delivery.receipt?.items[0]).toMatchObject({ form: 'text', sha256: hash('sha256', Buffer.from(words)) });
  });
});
