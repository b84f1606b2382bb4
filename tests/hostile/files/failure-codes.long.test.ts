import { hash } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type FailureCode, idFromUuid } from '@attache/contracts';
import { buildPdf } from '@attache/media/fixtures/pdfs';
import { copyTemplateFolder, makePng, makePngHeader, shortLimits, spawnStack } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { bytesOf, type File, fixture, flac, mp4, pdf, png, report, wav, zip } from '../fixtures/failing-files.ts';
import { acpProfile, createFixtures, expectFailure, type FixtureOptions } from '../fixtures/failure-fixture.ts';
import { type HostileStack, startHostile } from '../fixtures/hostile-stack.ts';
import { itSaysPending } from './pending.contract.ts';

let stack: HostileStack;
beforeAll(async () => {
  stack = await startHostile({
    profiles: {
      example: acpProfile({ provider: 'example', model: 'example-vision' }),
      stranger: acpProfile({ provider: 'gw', model: 'mystery' }),
    },
  });
  // Its program is asked once, in the background.
  await vi.waitFor(async () => {
    const { body } = await stack.api.call('GET', '/capabilities?profile=stranger');
    expect(body).toMatchObject({ capability: { image: { transport: 'yes' } } });
  }, 120_000);
});
afterAll(() => stack.stop());

const { open, send, deliver } = createFixtures(() => stack.api);

describe('inspection rejects by code, and the file stays downloadable [DL-37 DL-40 DL-43 S16]', () => {
  it.each<[FailureCode, () => File | Promise<File>]>([
    ['attachment_corrupt_image', () => png(makePng(200, 200).slice(0, 150))],
    ['attachment_corrupt', () => pdf(report.bytes.slice(0, 300))],
    ['attachment_pixels_exceeded', () => png(makePngHeader(60_000, 60_000))],
    ['attachment_encrypted', async () => pdf(await fixture('password-aes.pdf'))],
  ])('%s', async (code, make) => {
    const fixture = await open({ files: [await make()] });
    const [attachment] = fixture.attachments;
    expect(attachment?.status).toBe('rejected');
    expectFailure(attachment?.failure, code);
    const answer = await send(fixture);
    expect(answer.status).toBe(422);
    expectFailure(answer.body.failures?.[0], 'attachment_rejected');
    expect(answer.body.failures?.[0]?.safeDetails).toMatchObject({ rejectedAs: code });
  });
});

describe('the plan blocks by code before anything is sent [DL-37 DL-40 DL-21 BX-19]', () => {
  it.each<[FailureCode, () => FixtureOptions]>([
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
  ])('%s', async (code, fixture) => {
    const answer = await send(await open(fixture()));
    expect([answer.status, answer.body.code]).toEqual([422, 'DELIVERY_BLOCKED']);
    expectFailure(answer.body.failures?.[0], code);
    expect(answer.body.failures?.[0]?.retryable).toBe(false);
  });
});
it('a message that names what is not there is refused before any plan [DL-12]', async () => {
  const fixture = await open({ files: [] });
  const body = { to: [fixture.agentId], text: 'x', attachmentIds: [idFromUuid('attachment', crypto.randomUUID())] };
  const answer = await stack.api.call('POST', `/sessions/${fixture.sessionId}/messages`, { body });
  expect([answer.status, answer.body.code]).toEqual([404, 'ATTACHMENT_NOT_FOUND']);
});

const { inspectionMs } = shortLimits;
itSaysPending({ limits: { inspectionMs }, afterMs: inspectionMs });

it('delivery_target_unknown: the profile of an agent is no longer offered [DL-37 DL-51 DL-12]', async () => {
  const dataDir = await copyTemplateFolder();
  const profilesFile = join(dataDir, 'profiles.json');
  const startWith = async (name: string) => {
    const profiles = { [name]: acpProfile({ provider: 'example', model: 'example-vision' }) };
    await writeFile(profilesFile, JSON.stringify({ profiles }));
    return spawnStack(dataDir, { ATTACHE_PROFILES: profilesFile });
  };
  const first = await startWith('old');
  const { session, agent } = await first.api.createSession({ profile: 'old' });
  await first.end('SIGTERM');
  const second = await startWith('example');
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
    await second.end('SIGTERM');
    await rm(dataDir, { recursive: true, force: true });
  }
});
describe('much at once stays within the caps', () => {
  it('5,000 pages are counted, and refused where they are too many [BX-01]', async () => {
    const pages = Array.from({ length: 5_000 }, (_, index) => [`page ${index + 1}`]);
    const fixture = await open({ files: [pdf(Uint8Array.from(buildPdf(pages)))] });
    expect(fixture.attachments[0]).toMatchObject({ status: 'ready', facts: { pages: 5_000 } });
    expect(fixture.attachments[0]?.facts.textBytes).toBeUndefined();
    const answer = await send(fixture);
    expect(answer.status).toBe(422);
    expectFailure(answer.body.failures?.[0], 'attachment_serialized_payload_too_large');
    expect(answer.body.failures?.[0]?.safeDetails).toMatchObject({ pages: 5_000, limitPages: 20 });
  });

  it('thirty pictures of twelve megapixels are too many for one message, twenty of them go [BX-01 DL-72 S16]', async () => {
    const picture = png(makePng(4_000, 3_000));
    const fixture = await open({ files: Array.from({ length: 30 }, () => picture) });
    expect((await send(fixture)).body.failures?.length).toBe(10);
    const twenty = { ...fixture, attachments: fixture.attachments.slice(0, 20) };
    const delivery = await deliver(twenty);
    expect(delivery).toMatchObject({ status: 'responded', plan: { decision: 'deliver' } });
    const { lineBytes, pixels } = delivery.plan.budget;
    expect(pixels?.used).toBe(20 * 4_000 * 3_000);
    expect(lineBytes?.used).toBeLessThanOrEqual(lineBytes?.limit ?? 0);
    expect(delivery.receipt?.items).toHaveLength(20);
  });

  it('UTF-16 without a mark is text, decoded for the agent [RP-05 RP-08 SR-14]', async () => {
    const words = 'Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich.\n'.repeat(4);
    const file = { bytes: bytesOf(Buffer.from(words, 'utf16le')), name: 'a.txt', type: 'application/octet-stream' };
    const fixture = await open({ files: [file] });
    expect(fixture.attachments[0]).toMatchObject({
      kind: 'text',
      mimeType: 'text/plain',
      declaredMimeType: 'application/octet-stream',
      facts: { encoding: 'utf-16le' },
    });
    const delivery = await deliver(fixture);
    expect(delivery.receipt?.items[0]).toMatchObject({ form: 'text', sha256: hash('sha256', Buffer.from(words)) });
  });
});
