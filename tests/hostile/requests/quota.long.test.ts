import { randomBytes } from 'node:crypto';
import type { Attachment, Session } from '@attache/contracts';
import { listBlobKeys, runCommand } from '@attache/test-harness';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { makeForm } from '../fixtures/form.ts';
import { expectProblem, type HostileStack, startHostile } from '../fixtures/hostile-stack.ts';

const MIB = 1024 * 1024;
const WITHIN = { timeout: 60_000, interval: 10 };

let stack: HostileStack;
beforeAll(async () => {
  stack = await startHostile({ environment: { ATTACHE_MAX_UPLOAD_BYTES: String(2 * MIB) } });
});
afterAll(() => stack.stop());

async function setQuota(quotaBytes: number | 'none'): Promise<void> {
  const args = ['tenant', 'set', 'local', '--quota-bytes', String(quotaBytes)];
  const { exitCode, stderr } = await runCommand(args, { ATTACHE_DATA_DIR: stack.dataDir });
  expect(exitCode, stderr).toBe(0);
}

const countFiles = async () => (await listBlobKeys(stack.dataDir)).length;
const pathOf = ({ id }: Pick<Session, 'id'>) => `/sessions/${id}/attachments`;

describe('a quota', () => {
  afterEach(() => setQuota('none'));

  it('of 3 MiB never holds more than 6 MiB, however often the same file comes, and one copy at the end [S32 BX-07]', async () => {
    const before = await countFiles();
    await setQuota(3 * MIB);
    const raw = Uint8Array.from(randomBytes(MIB));
    const most: number[] = [];
    const upload = async () => {
      const answer = await stack.api.call('PUT', pathOf(stack.session), { raw });
      most.push((await countFiles()) - before);
      if (answer.status === 201) return;
      expectProblem(answer, 429, 'QUOTA_EXCEEDED');
    };
    for (let round = 0; round < 7; round += 1) await Promise.all([upload(), upload(), upload()]);
    expect(Math.max(...most)).toBeLessThanOrEqual(6);
    await expect.poll(countFiles, WITHIN).toBe(before + 1);
  });

  it('holds as much of a form as its length says, and of one without a length the limit [S32]', async () => {
    const { session } = await stack.api.createSession();
    await setQuota(3 * MIB + 100_000);
    const headers = { 'content-type': makeForm().type };
    const part = '--hostile-boundary\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';
    const body = Buffer.concat([Buffer.from(part), randomBytes(MIB), Buffer.from('\r\n--hostile-boundary--\r\n')]);
    const raw = Uint8Array.from(body);
    expect((await stack.api.call('POST', pathOf(session), { raw, headers })).status).toBe(201);
    const chunked = await stack.api.call('POST', pathOf(session), { raw: new Blob([raw]).stream(), headers });
    expectProblem(chunked, 429, 'QUOTA_EXCEEDED');
    const other = Uint8Array.from(raw, (byte, at) => (at === part.length ? byte ^ 1 : byte));
    expect((await stack.api.call('POST', pathOf(session), { raw: other, headers })).status).toBe(201);
  });

  it('counts what was deleted until it was removed, and says then when to come again [S32]', async () => {
    const { session } = await stack.api.createSession();
    await setQuota(6 * MIB);
    const putRandom = () => stack.api.call('PUT', pathOf(session), { raw: Uint8Array.from(randomBytes(2 * MIB)) });
    let answer = await putRandom();
    for (let round = 0; round < 10 && answer.status === 201; round += 1) {
      const { id } = (answer.body as unknown as { attachment: Attachment }).attachment;
      expect((await stack.api.call('DELETE', `/attachments/${id}`)).status).toBe(204);
      answer = await putRandom();
    }
    expectProblem(answer, 429, 'QUOTA_EXCEEDED');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

describe('a message that is refused', () => {
  const file = { data: randomBytes(900).toString('base64'), mimeType: 'application/zip', filename: 'a.zip' };
  const send = (session: Pick<Session, 'id'>, body: object, credential = stack.api.apiKey) =>
    stack.api.call('POST', `/sessions/${session.id}/messages`, { body, credential });

  it('by its plan leaves no byte of the files that it brought [DL-46]', async () => {
    const { session, agent } = await stack.api.createSession();
    const known = await stack.api.upload(session.id, Uint8Array.from(randomBytes(500)));
    const before = await countFiles();
    const again = { data: file.data, mimeType: 'application/zip' };
    const answer = await send(session, { to: [agent.id], text: 'x', attachments: [file, again] });
    expectProblem(answer, 422, 'DELIVERY_BLOCKED');
    await expect.poll(countFiles, WITHIN).toBe(before);
    expect((await stack.api.inspected(known.attachment.id)).id).toBe(known.attachment.id);
  });

  it('by what it says is refused before a file is stored [DL-46]', async () => {
    const { session, agent } = await stack.api.createSession();
    const { session: ended, agent: gone } = await stack.api.createSession();
    await stack.api.call('POST', `/sessions/${ended.id}/end`);
    const rights = ['messages:send'];
    const { body } = await stack.api.call('POST', `/sessions/${session.id}/tokens`, {
      body: { externalUserId: 'u', rights, ttlSeconds: 600 },
    });
    const good = { to: [agent.id], text: 'x', attachments: [file] };
    const empty = { data: 'data:;base64,', mimeType: 'image/png' };
    const large = { data: Buffer.alloc(2 * MIB + 1).toString('base64'), mimeType: 'image/png' };
    const refused: [answer: Awaited<ReturnType<typeof send>>, status: number, code: string][] = [
      [await send(session, { ...good, to: ['agt_AAAAAAAAAAAAAAAAAAAAAA'] }), 404, 'AGENT_NOT_FOUND'],
      [await send(session, { ...good, attachmentIds: ['att_AAAAAAAAAAAAAAAAAAAAAA'] }), 404, 'ATTACHMENT_NOT_FOUND'],
      [await send(ended, { ...good, to: [gone.id] }), 409, 'SESSION_ENDED'],
      [await send(session, good, String(body.token)), 403, 'FORBIDDEN'],
      [await send(session, { ...good, overrideUnknown: true }, String(body.token)), 403, 'FORBIDDEN'],
      [await send(session, { ...good, attachments: [file, large] }), 413, 'PAYLOAD_TOO_LARGE'],
      [await send(session, { ...good, attachments: [file, empty] }), 400, 'NO_FILE'],
    ];
    for (const [answer, status, code] of refused) expectProblem(answer, status, code);
    const events = [...(await stack.api.events(session.id)), ...(await stack.api.events(ended.id))];
    expect(events.filter(({ kind }) => kind === 'attachment.added')).toEqual([]);
  });
});

it('leaves no orphan and no reservation behind [W3]', async () => {
  await stack.expectCleanEnd();
});
