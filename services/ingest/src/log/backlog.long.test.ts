import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApiKeySecret } from '@attache/api-keys/api-key-secret';
import { createFileBlobStore } from '@attache/blob-store/file';
import { type Database, insertApiKey, insertTenant } from '@attache/database';
import { copyPgliteFolder } from '@attache/database/contract';
import { connectPglite } from '@attache/database/pglite';
import { createLocalDoorbells } from '@attache/event-bus';
import { createLogger } from '@attache/telemetry';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningIngest, startIngest } from '../ingest.ts';

let folder: string;
let databaseFolder: string;
let db: Database;
let ingest: RunningIngest;
let apiKey: string;
let sessionPath: string;
let isFull = false;

async function addTenant(): Promise<string> {
  const [tenantId, id] = [randomUUID(), randomUUID()];
  const made = createApiKeySecret(id);
  await insertTenant(db, { tenantId, name: `tenant-${tenantId}` });
  const key = { tenantId, id, name: 'key', secretHash: made.secretHash, trustedTrace: false };
  await db.asTenant(tenantId, (tx) => insertApiKey(tx, { ...key, scopes: ['admin'] }));
  return made.apiKey;
}

const call = (method: string, path: string, body?: object) =>
  fetch(`${ingest.url}/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'attache-backlog-'));
  const doorbells = createLocalDoorbells();
  databaseFolder = await copyPgliteFolder();
  db = await connectPglite({ folder: databaseFolder, onCommitted: doorbells.ring });
  apiKey = await addTenant();
  const log = createLogger({ service: 'test', level: 'silent' });
  const blobs = await createFileBlobStore({ root: folder });
  const address = { host: '127.0.0.1', port: 0, basePath: '/v1', publicUrl: undefined };
  const settings = { ...address, maxUploadBytes: 1_000, corsOrigins: [], permissionMode: 'gated' as const };
  const signingKeys: Parameters<typeof startIngest>[0]['signingKeys'] = [{ kid: 'k1', secret: Buffer.alloc(32, 7) }];
  const backlog = { isFull: () => isFull };
  ingest = await startIngest({ db, blobs, doorbells, signingKeys, profiles: {}, log, settings, backlog });
  const made = (await (await call('POST', '/sessions', { agents: [] })).json()) as { session: { id: string } };
  sessionPath = `/sessions/${made.session.id}`;
});
afterAll(async () => {
  await ingest.stop();
  await db.close();
  for (const path of [folder, databaseFolder]) await rm(path, { recursive: true, force: true });
});

/** Sends the head of an upload and none of its body; answers the first line that comes back. */
function uploadHeadOnly(): Promise<string> {
  const { hostname, port } = new URL(ingest.url);
  const head = [
    `PUT /v1${sessionPath}/attachments?name=a.bin HTTP/1.1`,
    `host: ${hostname}`,
    `authorization: Bearer ${apiKey}`,
    'content-type: application/octet-stream',
    'content-length: 900',
    '',
    '',
  ];
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(head.join('\r\n')));
    socket.once('data', (bytes) => {
      resolve(bytes.toString('latin1').split('\r\n', 1)[0] ?? '');
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

describe('while too much waits to be published', () => {
  it('uploads and messages are refused for a while, before a byte of the body is read [W13]', async () => {
    isFull = true;
    expect(await uploadHeadOnly()).toBe('HTTP/1.1 503 Service Unavailable');
    const message = { to: ['agt_AAAAAAAAAAAAAAAAAAAAAA'], text: 'x', attachmentIds: [] };
    const refused = [
      await call('PUT', `${sessionPath}/attachments?name=a.bin`, {}),
      await call('POST', `${sessionPath}/attachments`, {}),
      await call('POST', `${sessionPath}/messages`, message),
    ];
    for (const answer of refused) {
      expect([answer.status, Number(answer.headers.get('retry-after'))]).toEqual([503, 5]);
      expect(await answer.json()).toMatchObject({ code: 'BACKLOG_FULL', retryable: true });
    }
  });

  it('what adds nothing is served, and who may not upload learns that first [W13]', async () => {
    isFull = true;
    expect((await call('GET', `${sessionPath}/attachments`)).status).toBe(200);
    expect((await call('POST', '/sessions', { agents: [] })).status).toBe(201);
    expect((await call('PUT', '/sessions/ses_x/attachments', {})).status).toBe(404);
    const unknown = await fetch(`${ingest.url}/v1${sessionPath}/attachments`, { method: 'PUT', body: 'x' });
    expect(unknown.status).toBe(401);
  });

  it('and when it no longer does, uploads are taken again [W13]', async () => {
    isFull = false;
    expect((await call('PUT', `${sessionPath}/attachments?name=a.json`, { a: 1 })).status).toBe(201);
  });
});
