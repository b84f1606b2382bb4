import { mkdir, readdir, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Attachment } from '@attache/contracts';
import { readOfferedProfiles } from '@attache/process-setup';
import { awaitCarried, listBlobKeys, makePng, openTenant } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Intruder, intruderProfile, openIntruder } from '../fixtures/agent-socket.ts';
import { type HostileStack, startHostile } from '../fixtures/hostile-stack.ts';

const OUTPUT_BYTES = 3 * 1024 * 1024;

let stack: HostileStack;
let intruder: Intruder;
let granted: Attachment;
/** Another agent's of the session, another session's, and one that is deleted. */
let others: string[];

async function upload(sessionId: string, edge: number): Promise<Attachment> {
  const { attachment } = await stack.api.upload(sessionId, makePng(edge, edge), { name: 'a.png', type: 'image/png' });
  return stack.api.inspected(attachment.id);
}

beforeAll(async () => {
  stack = await startHostile({
    profiles: { ...readOfferedProfiles(undefined, '').profiles, intruder: intruderProfile },
    environment: { ATTACHE_MAX_UPLOAD_BYTES: String(OUTPUT_BYTES) },
  });
  await awaitCarried(await openTenant(stack), ['intruder']);
  const { session } = await stack.api.createSession({ profile: 'intruder', model: 'script', agents: 2 });
  const [agent, neighbour] = session.agents;
  granted = await upload(session.id, 20);
  const ofNeighbour = await upload(session.id, 21);
  const deleted = await upload(session.id, 22);
  const elsewhere = await upload(stack.session.id, 23);
  intruder = await openIntruder(stack, { sessionId: session.id, agentId: agent?.id ?? '' }, [granted.id, deleted.id]);
  await openIntruder(stack, { sessionId: session.id, agentId: neighbour?.id ?? '' }, [ofNeighbour.id]);
  await stack.api.call('DELETE', `/attachments/${deleted.id}`);
  others = [ofNeighbour.id, elsewhere.id, deleted.id];
});
afterAll(() => stack.stop());

const events = async () =>
  (await stack.api.events(intruder.sessionId)).filter(({ kind }) => kind === 'resource.viewed');

async function expectAlive(): Promise<void> {
  expect(await intruder.call('attachment_describe', { attachmentId: granted.id })).not.toHaveProperty('isError');
}

describe('an id that is not the agent’s', () => {
  it('is answered as one that does not exist, by every tool and whatever else is asked [SR-18 AT-29 S1]', async () => {
    const unknown = 'att_AAAAAAAAQACAAAAAAAAAAA';
    const calls: [string, Record<string, unknown>][] = [
      ['attachment_describe', {}],
      ['resource_view', {}],
      ['resource_view', { dryRun: true }],
      ['resource_view', { page: 2 }],
      ['resource_view', { crop: { x: 0, y: 0, width: 1, height: 1 } }],
      ['resource_view', { textRange: { offset: 0, length: 1 } }],
    ];
    for (const [tool, input] of calls) {
      const expected = await intruder.call(tool, { ...input, attachmentId: unknown });
      expect(expected).toMatchObject({ isError: true });
      for (const attachmentId of others)
        expect(await intruder.call(tool, { ...input, attachmentId })).toEqual(expected);
    }
    expect(await events()).toEqual([]);
    await expectAlive();
  });

  it.each([
    ['a number', 7],
    ['a list', [['att_x']]],
    ['an object', { id: 'att_x' }],
    ['a path', '../../blobs'],
    ['an id with something behind it', 'att_AAAAAAAAQACAAAAAAAAAAA/../../x'],
    ['an id of another kind', 'ses_AAAAAAAAAAAAAAAAAAAAAA'],
    ['NUL', '\0'],
    ['nothing', null],
    ['900 kB', 'a'.repeat(900_000)],
  ])('that is %s is refused in few words [SR-18]', async (_, attachmentId) => {
    for (const tool of ['attachment_describe', 'resource_view']) {
      const answer = await intruder.call(tool, { attachmentId });
      expect(answer).toMatchObject({ isError: true });
      expect(JSON.stringify(answer).length).toBeLessThan(2_000);
    }
    await expectAlive();
  });
});

describe('a call that is none', () => {
  it.each([
    ['no JSON', '{"jsonrpc":"2.0","id":1,', -32700],
    ['binary', Uint8Array.from([0xff, 0xfe, 0, 0x80]), -32700],
    ['nothing', '', -32700],
    ['another version', '{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600],
    ['100,000 lists in each other', `{"jsonrpc":"2.0","id":1,"params":${'['.repeat(1e5)}${']'.repeat(1e5)}}`, -32600],
  ])('is answered with an error of JSON-RPC: %s', async (_, body, code) => {
    expect(await intruder.post(body)).toMatchObject({ body: { error: { code, message: expect.any(String) } } });
    await expectAlive();
  });

  it.each([
    ['an unknown method', { method: 'tools/destroy' }],
    ['no parameters', { method: 'tools/call' }],
    ['parameters of another form', { method: 'tools/call', params: ['resource_view'] }],
    ['an unknown tool', { method: 'tools/call', params: { name: 'attachment_destroy', arguments: {} } }],
    ['a tool of an object', { method: 'tools/call', params: { name: '__proto__', arguments: {} } }],
    ['a tool with a name of 900 kB', { method: 'tools/call', params: { name: 'x'.repeat(900_000) } }],
  ])('with %s is answered with an error in few words', async (_, message) => {
    const { status, body } = await intruder.post(JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }));
    expect(body.error ?? (body.result as object)).toMatchObject(
      body.error ? { code: expect.any(Number) } : { isError: true },
    );
    expect(status).toBeLessThan(500);
    expect(JSON.stringify(body).length).toBeLessThan(2_000);
    await expectAlive();
  });

  it('with more than 1 MiB is refused before it is read as a whole', async () => {
    const params = { name: 'resource_view', arguments: { attachmentId: 'a'.repeat(2 * 1024 * 1024) } };
    const large = await intruder.post(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }));
    expect([413, 0]).toContain(large.status);
    const huge = await intruder.post(Buffer.alloc(64 * 1024 * 1024, 0x20));
    expect([413, 0]).toContain(huge.status);
    await expectAlive();
  });

  it('does not end the gateway when 2,000 come at once: some are answered, the others refused', async () => {
    const message = JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name: 'resource_view', arguments: { attachmentId: granted.id } },
    });
    const answers = await Promise.all(Array.from({ length: 2_000 }, () => intruder.post(message)));
    const count = (wanted: number) => answers.filter(({ status }) => status === wanted).length;
    expect(count(200)).toBeGreaterThan(8);
    expect(count(200) + count(429) + count(0)).toBe(2_000);
    await expectAlive();
    await stack.expectAlive();
  });
});

describe('a parameter that says how a file is wanted', () => {
  const hostile = ['../../blobs', '/etc/passwd', 'image/png/../../../x', 'a\0b', '--output=/tmp/x', '~/x', '%2e%2e%2f'];
  const listWritten = async () => (await readdir(join(intruder.work, '..'), { recursive: true })).toSorted();

  it.each(hostile)('is a number, a word of a list or nothing: %j [A22]', async (value) => {
    const before = await listWritten();
    const { id } = granted;
    const forms = [{ page: value }, { crop: value }, { crop: { x: value } }, { size: value }, { textRange: value }];
    for (const form of [...forms, { format: value }, { variant: value }, { size: { maxEdgePixels: value } }])
      expect(await intruder.call('resource_view', { attachmentId: id, ...form })).toMatchObject({ isError: true });
    expect(await intruder.call('attachments_list', { kind: value })).toMatchObject({ isError: true });
    const query = `variant=${encodeURIComponent(value)}`;
    for (const path of [
      `/agent/attachments/${id}/file?${query}`,
      `/agent/attachments/${encodeURIComponent(value)}/file`,
    ])
      expect((await intruder.post('', path)).status).toBeGreaterThanOrEqual(400);
    expect(await listWritten()).toEqual(before);
    await expectAlive();
  });

  it.each(hostile)('as the type of an output is no type, and no part of a path: %j [A22 DL-78]', async (mimeType) => {
    const answer = await intruder.call('attachment_save_output', { name: mimeType, mimeType, text: 'words' });
    const { attachmentId, ...said } = JSON.parse((answer.content as { text: string }[])[0]?.text ?? '');
    expect(said).toMatchObject({
      name: expect.not.stringMatching(/[/\0]|^[-.]/),
      mimeType: 'text/plain',
    });
    expect(await stack.api.inspected(attachmentId)).toMatchObject({ mimeType: 'text/plain', sizeBytes: 5 });
    const keys = await listBlobKeys(stack.dataDir);
    expect(keys.filter((key) => !/^[0-9a-f]{32}\/[0-9a-f]{32}$/.test(key))).toEqual([]);
  });
});

describe('an output', () => {
  const save = (content: Record<string, unknown>) =>
    intruder.call('attachment_save_output', { name: 'a.txt', mimeType: 'text/plain', ...content });
  const outputs = async () => {
    const { content } = await intruder.call('attachments_list', { origin: 'tool-output' });
    const { items } = JSON.parse((content as { text: string }[])[0]?.text ?? '') as { items: Attachment[] };
    return items.map(({ id }) => id);
  };

  it('over the limit is refused by each way, and nothing of it is kept', async () => {
    const before = await outputs();
    await writeFile(join(intruder.work, 'large'), Buffer.alloc(OUTPUT_BYTES + 1, 1));
    const base64 = Buffer.alloc(OUTPUT_BYTES + 1, 1).toString('base64');
    for (const content of [{ text: 'x'.repeat(OUTPUT_BYTES + 1) }, { base64 }, { path: 'large' }])
      expect(await save(content)).toMatchObject({ structuredContent: { code: 'PAYLOAD_TOO_LARGE' } });
    expect(await outputs()).toEqual(before);
    const sparse = join(intruder.work, 'sparse');
    await writeFile(sparse, '');
    await truncate(sparse, 2 ** 40);
    expect(await save({ path: 'sparse' })).toMatchObject({ structuredContent: { code: 'PAYLOAD_TOO_LARGE' } });
  });

  it.each([
    ['nothing', {}],
    ['two contents', { text: 'a', base64: 'YQ==' }],
    ['an empty content', { text: '' }],
    ['what is no base64', { base64: '%%%' }],
    ['base64 that breaks off', { base64: 'YWF' }],
    ['an argument that there is not', { text: 'a', sessionId: 'ses_AAAAAAAAAAAAAAAAAAAAAA' }],
  ])('of %s is refused', async (_, content) => {
    expect(await save(content)).toMatchObject({ isError: true });
  });

  it('is never a file outside of the working folder [S19 A29]', async () => {
    const before = await outputs();
    const keyFile = join(stack.dataDir, 'api-key');
    await symlink(keyFile, join(intruder.work, 'link'));
    await symlink(stack.dataDir, join(intruder.work, 'data'));
    await mkdir(join(intruder.work, 'folder'));
    const paths = [
      '../x',
      '../home/access.json',
      keyFile,
      '/etc/passwd',
      'link',
      'data/api-key',
      'folder',
      '.',
      '',
      '/',
    ];
    for (const path of [...paths, 'folder/../../home/access.json', 'link\0', '/proc/self/environ', '~/x'])
      expect(await save({ path }), path).toMatchObject({
        isError: true,
        structuredContent: { code: 'INVALID_REQUEST' },
      });
    expect(await outputs()).toEqual(before);
  });

  it('is never a file that was put in the place of another meanwhile [S19 A29]', async () => {
    const [target, link] = [join(intruder.work, 'swapped'), join(intruder.work, 'spare')];
    await writeFile(join(stack.dataDir, 'secret'), 'planted secret');
    await writeFile(target, 'inside');
    await symlink(join(stack.dataDir, 'secret'), link);
    let isOver = false;
    const swap = async () => {
      while (!isOver) {
        await rename(target, join(intruder.work, 'kept'));
        await rename(link, target);
        await rename(target, link);
        await rename(join(intruder.work, 'kept'), target);
      }
    };
    const swapping = swap();
    const answers = await Promise.all(Array.from({ length: 100 }, () => save({ path: 'swapped' })));
    isOver = true;
    await swapping;
    await rm(link);
    for (const { content, isError } of answers) {
      if (isError) continue;
      const { displayUrl } = JSON.parse((content as { text: string }[])[0]?.text ?? '');
      expect(await (await fetch(displayUrl)).text()).toBe('inside');
    }
    await expectAlive();
  });
});
