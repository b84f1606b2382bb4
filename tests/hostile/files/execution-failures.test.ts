import { hash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Delivery } from '@attache/contracts';
import { buildPdf } from '@attache/media/fixtures/pdfs';
import { makeNoisePng, makePng } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTransparentNoise, png } from '../fixtures/failing-files.ts';
import { acpProfile, createFixtures, expectFailure } from '../fixtures/failure-fixture.ts';
import { type HostileStack, startHostile } from '../fixtures/hostile-stack.ts';

let stack: HostileStack;
let secrets: string;
beforeAll(async () => {
  const example = { provider: 'example', model: 'example-vision' };
  const unboxed = acpProfile({ ...example, sandbox: { mode: 'none' } });
  const narrow = acpProfile({ ...example, limits: { lineBytes: 40_000 } });
  secrets = await mkdtemp(join(tmpdir(), 'attache-secrets-'));
  await writeFile(join(secrets, 'key'), 'a key');
  const keyed = acpProfile({ ...example, secretEnv: { PROVIDER_KEY: `file:${join(secrets, 'key')}` } });
  stack = await startHostile({ profiles: { example: acpProfile(example), unboxed, narrow, keyed } });
});
afterAll(async () => {
  await stack.stop();
  await rm(secrets, { recursive: true, force: true });
});

const { open, deliver } = createFixtures(() => stack.api);

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

/** The bytes that went out for its file; the proof is of that delivery alone. */
function sentBy({ receipt }: Delivery) {
  const [item] = receipt?.items ?? [];
  if (item === undefined) throw new Error('its receipt has no item');
  const { proof: _own, ...sent } = item;
  return sent;
}

describe('execution fails by code and never changes the form [DL-40 DL-48 DL-53 DL-54]', () => {
  it('attachment_checksum_mismatch: the stored bytes were replaced, before a variant and before a write', async () => {
    const native = await open({ files: [png(makePng(51, 17))] });
    await replaceBlob(native.attachments[0]?.sha256 ?? '', makePng(52, 17));
    const first = await deliver(native);
    expectFailure(first.failure, 'attachment_checksum_mismatch');
    expect(first.failure?.retryable).toBe(false);
    expect(first.timeline.map(({ status }) => status)).not.toContain('written');
    const converted = await open({ files: [png(makePng(9_100, 17))] });
    await replaceBlob(converted.attachments[0]?.sha256 ?? '', makePng(9_200, 17));
    const second = await deliver(converted);
    expectFailure(second.failure, 'attachment_checksum_mismatch');
    expect(second.timeline.map(({ status }) => status)).toEqual(['queued', 'failed']);
  });

  it('attachment_missing: the original is gone from the store', async () => {
    const fixture = await open({ files: [png(makePng(9_300, 17))] });
    for (const path of await findBlobs(fixture.attachments[0]?.sha256 ?? '')) await rm(path);
    const delivery = await deliver(fixture);
    expectFailure(delivery.failure, 'attachment_missing');
    const { body } = await stack.api.call('GET', `/sessions/${fixture.sessionId}/events`);
    expect(JSON.stringify(body)).toContain('message.accepted');
  });

  it('attachment_missing: an original that is gone is not replaced by what was made of it before [DL-54]', async () => {
    const fixture = await open({ files: [png(makePng(9_350, 17))] });
    expect((await deliver(fixture)).status).toBe('responded');
    for (const path of await findBlobs(fixture.attachments[0]?.sha256 ?? '')) await rm(path);
    const delivery = await deliver(fixture);
    expectFailure(delivery.failure, 'attachment_missing');
    expect(delivery.failure?.retryable).toBe(false);
  });

  it('a variant that the store has lost is made again in the same step, with the same digest [DL-48]', async () => {
    const fixture = await open({ files: [png(makePng(9_400, 17))] });
    const sent = sentBy(await deliver(fixture));
    for (const path of await findBlobs(sent.sha256 ?? '')) await rm(path);
    const delivery = await deliver(fixture);
    expect(delivery).toMatchObject({ status: 'responded', receipt: { items: [sent] } });
    expect(await findBlobs(sent.sha256 ?? '')).toHaveLength(1);
  });

  it('a variant whose stored bytes changed is made again before its agent gets anything [DL-48 DL-53]', async () => {
    const fixture = await open({ files: [png(makePng(9_500, 17))] });
    const sent = sentBy(await deliver(fixture));
    await replaceBlob(sent.sha256 ?? '', Buffer.from('something else'));
    expect(await deliver(fixture)).toMatchObject({ status: 'responded', receipt: { items: [sent] } });
    // The replaced variant is forgotten: the next delivery has a sound one again.
    expect(await deliver(fixture)).toMatchObject({ status: 'responded', receipt: { items: [sent] } });
    expect(await findBlobs(sent.sha256 ?? '')).toHaveLength(1);
  });

  it('a changed variant of an original that is gone is not sent, and the message stays [DL-48 DL-54]', async () => {
    const fixture = await open({ files: [png(makePng(9_550, 17))] });
    const sent = (await deliver(fixture)).receipt?.items[0];
    await replaceBlob(sent?.sha256 ?? '', Buffer.from('something else'));
    for (const path of await findBlobs(fixture.attachments[0]?.sha256 ?? '')) await rm(path);
    const delivery = await deliver(fixture);
    expectFailure(delivery.failure, 'attachment_missing');
    expect(delivery.failure?.retryable).toBe(false);
    const { body } = await stack.api.call('GET', `/sessions/${fixture.sessionId}/events`);
    expect(JSON.stringify(body)).toContain('message.accepted');
  });

  it('attachment_artifact_missing: the bytes of a file that goes as it is are gone before the write [DL-74]', async () => {
    const fixture = await open({ files: [png(makePng(53, 17))] });
    for (const path of await findBlobs(fixture.attachments[0]?.sha256 ?? '')) await rm(path);
    const delivery = await deliver(fixture);
    expectFailure(delivery.failure, 'attachment_artifact_missing');
    expect(delivery.failure?.retryable).toBe(false);
    expect(delivery.timeline.map(({ status }) => status)).not.toContain('written');
  });

  it('attachment_artifact_write_failed: no place for the file before the agent; a retry brings it', async () => {
    // In a sandbox it would not even start.
    const fixture = await open({ profile: 'unboxed', files: [png(makeNoisePng(2_500_000))] });
    const folder = join(stack.dataDir, 'agents', fixture.agentId);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'inbox'), '');
    const failed = await deliver(fixture);
    expectFailure(failed.failure, 'attachment_artifact_write_failed');
    expect(failed.failure?.retryable).toBe(true);
    await rm(join(folder, 'inbox'));
    await stack.api.call('POST', `/deliveries/${failed.id}/retry`);
    expect((await stack.api.settled(failed.id)).status).toBe('responded');
  });

  it('attachment_too_large_optimized: even its least form is too large', async () => {
    const fixture = await open({ profile: 'narrow', files: [png(makeTransparentNoise())] });
    const delivery = await deliver(fixture);
    expectFailure(delivery.failure, 'attachment_too_large_optimized');
  });

  it('attachment_optimization_failed: the worker that makes it ends twice [S17]', async () => {
    // Decoding the whole file for a variant does not fit; inspection, which holds a strip of it, does.
    const small = await startHostile({ environment: { ATTACHE_MEDIA_MEMORY_BYTES: String(200 * 1024 * 1024) } });
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
  });
});
it('a key that is gone, or empty, is an auth error of its own, before the agent starts; a retry with the key delivers [DL-57]', async () => {
  const key = join(secrets, 'key');
  const fixture = await open({ profile: 'keyed', files: [png(makePng(54, 17))] });
  let failed: Delivery | undefined;
  for (const lose of [() => rm(key), () => writeFile(key, '\n')]) {
    await lose();
    failed = await deliver(fixture);
    expectFailure(failed.failure, 'delivery_agent_auth_required');
    expect(failed.failure).toMatchObject({
      retryable: true,
      diagnostic: expect.stringContaining('secretEnv.PROVIDER_KEY'),
    });
    expect(JSON.stringify(failed)).not.toContain(secrets);
    expect(failed.timeline.map(({ status }) => status)).not.toContain('written');
  }
  await writeFile(key, 'a key');
  await stack.api.call('POST', `/deliveries/${failed?.id}/retry`);
  expect((await stack.api.settled(failed?.id ?? '')).status).toBe('responded');
});

it('a file on which every worker ends is rejected, and all else continues [S17 DL-43]', async () => {
  const starved = await startHostile({ environment: { ATTACHE_MEDIA_MEMORY_BYTES: String(64 * 1024 * 1024) } });
  try {
    const { session, agent } = starved;
    const pages = Array.from({ length: 5_200 }, () =>
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
});
