import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { agentFolders } from '@attache/agent-process';
import { type AttachmentId, uuidFromId } from '@attache/contracts';
import { type Inspection, settleInspection } from '@attache/database';
import { createAttachment, createDelivery } from '@attache/database/contract';
import { expect, inject, it } from 'vitest';
import { type Fixture, openFixture } from '../__fixtures__/open-fixture.ts';
import { toolsFor } from './agent-tools.ts';
import { runTool } from './run-tool.ts';

/** An agent that calls its tools by name. */
async function openTools(fixture: Fixture, hasOwnTools = true) {
  const folder = await mkdtemp(join(inject('specFolder'), 'agent-'));
  const { work } = agentFolders(folder);
  await mkdir(work);
  const owner = { session: fixture.session, agentId: fixture.agentId, token: 'token', folder, hasOwnTools };
  const scope = { deps: fixture.deps, owner, signal: new AbortController().signal };
  const call = async (name: string, input: unknown) => {
    const tool = toolsFor(owner).find((one) => one.name === name);
    if (!tool) throw new Error(`the agent has no tool ${name}`);
    return runTool(tool, scope, { callId: 'call-1', input, traceparent: undefined });
  };
  const read = async (name: string, input: unknown) => {
    const { content, isError } = await call(name, input);
    const [first] = content;
    if (isError || first?.type !== 'text') throw new Error(JSON.stringify(content));
    return JSON.parse(first.text);
  };
  return { call, read, work };
}

const save = (text: string, more: object = {}) => ({ name: 'a.txt', mimeType: 'text/plain', text, ...more });

/** As after its inspection. */
async function makeReady({ deps, tenantId, sessionId }: Fixture, id: AttachmentId): Promise<void> {
  const inspection: Inspection = { status: 'ready', mimeType: 'text/plain', kind: 'text', facts: {}, warnings: [] };
  await settleInspection(deps.db, {
    ...{ tenantId, sessionId, attachmentId: uuidFromId(id), eventId: randomUUID(), inspection, events: [] },
  });
}

it('lists what was given to an agent and what it made, page by page, and describes each', async () => {
  const fixture = await openFixture();
  const { db } = fixture.deps;
  for (let count = 0; count < 2; count += 1) {
    const { attachmentId } = await createAttachment(db, fixture);
    await createDelivery(db, fixture, [attachmentId]);
  }
  await createAttachment(db, fixture);
  const { read } = await openTools(fixture);
  const { attachmentId: made } = await read('attachment_save_output', save('made'));
  const seen: { id: string; origin: string }[] = [];
  let cursor: string | undefined;
  do {
    const page = await read('attachments_list', { limit: 2, ...(cursor === undefined ? {} : { cursor }) });
    seen.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  expect(seen.map(({ origin }) => origin)).toEqual(['upload', 'upload', 'tool-output']);
  expect(seen.at(-1)?.id).toBe(made);
  expect(await read('attachment_describe', { attachmentId: made })).toMatchObject({ id: made, variantCount: 0 });
  expect((await read('attachments_list', { origin: 'tool-output' })).items).toHaveLength(1);
});

it('stores text, base64 or a file of the working folder, and nothing for a dry run [AT-33]', async () => {
  const fixture = await openFixture();
  const { read, work } = await openTools(fixture);
  await writeFile(join(work, 'made.txt'), 'from a file');
  const inputs = [
    save('words'),
    save('', { text: undefined, base64: Buffer.from('bytes').toString('base64') }),
    save('', { text: undefined, path: 'made.txt' }),
  ];
  for (const input of inputs) expect(await read('attachment_save_output', input)).toMatchObject({ name: 'a.txt' });
  expect(await read('attachment_save_output', save('words', { dryRun: true }))).toEqual({
    ...{ dryRun: true, name: 'a.txt', mimeType: 'text/plain', sizeBytes: 5 },
  });
  const sizes = (await read('attachments_list', {})).items.map(({ sizeBytes }: { sizeBytes: number }) => sizeBytes);
  expect(sizes).toEqual([5, 5, 11]);
});

it.each([
  ['nothing', save('', { text: undefined }), 'INVALID_REQUEST'],
  ['two contents', save('a', { base64: 'YQ==' }), 'INVALID_REQUEST'],
  ['an empty text', save(''), 'NO_FILE'],
  ['more than an output may have', save('x'.repeat(1_001)), 'PAYLOAD_TOO_LARGE'],
  ['what is not base64', save('', { text: undefined, base64: 'a b' }), 'INVALID_REQUEST'],
  ['a file outside [S19]', save('', { text: undefined, path: '../made.txt' }), 'INVALID_REQUEST'],
])('stores nothing of %s', async (_, input, code) => {
  const fixture = await openFixture();
  const { call, read } = await openTools(fixture);
  expect(await call('attachment_save_output', input)).toMatchObject({ isError: true, structuredContent: { code } });
  expect((await read('attachments_list', {})).items).toEqual([]);
});

it('hands out a copy that cannot be written, and says in the log that it did [AT-32 SR-25]', async () => {
  const fixture = await openFixture();
  const { call, read } = await openTools(fixture);
  const { attachmentId } = await read('attachment_save_output', save('MZ, words'));
  expect(await call('attachment_file', { attachmentId })).toMatchObject({
    ...{ isError: true, structuredContent: { code: 'attachment_pending', retryable: true } },
  });
  await makeReady(fixture, attachmentId);
  const { path } = await read('attachment_file', { attachmentId });
  expect([await readFile(path, 'utf8'), (await stat(path)).mode & 0o777]).toEqual(['MZ, words', 0o400]);
  expect((await fixture.readEvents()).at(-1)).toMatchObject({ kind: 'resource.viewed', data: { attachmentId } });
});

it('gives no path to an agent whose program may run no tools of its own', async () => {
  const { call } = await openTools(await openFixture(), false);
  await expect(call('attachment_file', {})).rejects.toThrow('the agent has no tool attachment_file');
});

it('says what would be shown of a file, and logs nothing of that [SR-06]', async () => {
  const fixture = await openFixture();
  const { read } = await openTools(fixture);
  const { attachmentId } = await read('attachment_save_output', save('words'));
  expect(await read('resource_view', { attachmentId, dryRun: true })).toMatchObject({ dryRun: true, form: 'text' });
  expect((await fixture.readEvents()).map(({ kind }) => kind)).not.toContain('resource.viewed');
});
