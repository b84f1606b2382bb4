import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setDefaultCACertificates } from 'node:tls';
import { createClient } from '@attache/client';
import type { Attachment } from '@attache/contracts';
import { ensureDebianProgram } from '@attache/infra/debian/ensure-program';
import { cacheFolderOf } from '@attache/infra/native/build/find-or-build-server';
import { findFreePort } from '@attache/infra/native/processes/free-port';
import { copyTemplateFolder, type SpawnedStack, spawnStack } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Front, type FrontName, startFront } from './fixtures/start-front.ts';

const MIB = 1024 * 1024;
const places: Record<FrontName, string> = { nginx: 'usr/sbin/nginx', caddy: 'usr/bin/caddy' };

// One after the other: apt-get locks its lists.
for (const name of ['nginx', 'caddy'] as const) {
  const found = await ensureDebianProgram({
    ...{ name, place: places[name], cacheFolder: cacheFolderOf(process.env) },
    searchPath: process.env.PATH ?? '',
    onProgress: (line) => void process.stdout.write(`${line}\n`),
  });
  const [program, lack] = 'why' in found ? ['', `: ${found.why}`] : [found.program, ''];

  describe.skipIf(lack !== '')(`${name}, with a prefix and TLS${lack}`, () => {
    let folder: string;
    let dataDir: string;
    let url: string;
    let stack: SpawnedStack;
    let meter: Meter;
    let front: Front;
    let sessionId: string;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), `attache-${name}-`));
      dataDir = await copyTemplateFolder();
      const port = await findFreePort();
      url = `https://127.0.0.1:${port}/attache`;
      stack = await spawnStack(dataDir, { ATTACHE_PUBLIC_URL: url, ATTACHE_TRUSTED_PROXIES: '1' });
      meter = await startMeter(Number(new URL(stack.url).port));
      front = await startFront({
        name,
        program,
        folder: join(folder, 'front'),
        port,
        servicePort: meter.port,
      });
      sessionId = (await stack.api.createSession()).session.id;
      await vi.waitFor(async () => (await call('GET', '/v1/sessions')).resume(), { timeout: 60_000 });
    });
    afterAll(async () => {
      await front?.stop();
      meter?.server.close();
      await stack?.end('SIGTERM');
      for (const each of [folder, dataDir]) await rm(each, { recursive: true, force: true });
    });

    function open(method: string, path: string, headers: Record<string, string> = {}) {
      const authorization = `Bearer ${stack.api.apiKey}`;
      const target = path.startsWith('https:') ? path : `${url}${path}`;
      const sent = request(target, { method, ca: front.ca, headers: { authorization, ...headers } });
      const answered = once(sent, 'response').then(([message]) => message as IncomingMessage);
      answered.catch(() => undefined);
      return { sent, answered };
    }
    async function call(method: string, path: string, body?: string): Promise<IncomingMessage> {
      const { sent, answered } = open(method, path, body === undefined ? {} : { 'content-type': 'text/plain' });
      sent.end(body);
      return answered;
    }

    it('passes 20 MB on while they are sent, and names the file by paths with the prefix', async () => {
      const headers = { 'content-type': 'application/octet-stream', 'content-length': String(20 * MIB) };
      const { sent, answered } = open('PUT', `/v1/sessions/${sessionId}/attachments?name=large.bin`, headers);
      const before = meter.receivedBytes();
      for (let part = 1; part <= 20; part += 1) {
        sent.write(Buffer.alloc(MIB, part));
        // The program holds some of it, and never all.
        const least = before + (part - 2) * MIB;
        await expect.poll(meter.receivedBytes, { timeout: 60_000, interval: 5 }).toBeGreaterThan(least);
      }
      sent.end();
      const message = await answered;
      const uploaded: { attachment: Attachment; displayUrl: string } = JSON.parse(await readText(message));
      expect(message.statusCode).toBe(201);
      const { id, sizeBytes } = uploaded.attachment;
      expect(sizeBytes).toBe(20 * MIB);
      // nginx makes it absolute.
      expect(new URL(message.headers.location ?? '', url).href).toBe(`${url}/v1/attachments/${id}`);
      expect(uploaded.displayUrl.startsWith(`${url}/v1/attachments/${id}/raw?`)).toBe(true);
      expect((await stack.api.inspected(id)).status).toBe('ready');
      const { sent: asked, answered: read } = open('GET', uploaded.displayUrl, { range: 'bytes=0-9' });
      asked.end();
      expect([(await read).statusCode, await readText(await read)]).toEqual([206, '\u0001'.repeat(10)]);
    });

    it('lets the client upload 20 MB, and says how far it is until all is sent', async () => {
      setDefaultCACertificates([front.ca]);
      const client = createClient({ baseUrl: url, getToken: () => stack.api.apiKey });
      const sent: number[] = [];
      const file = new File([Buffer.alloc(20 * MIB, 7)], 'large.bin');
      const { attachment } = await client.session(sessionId).upload(file, {
        onProgress: ({ sentBytes }) => void sent.push(sentBytes),
      });
      expect(attachment.sizeBytes).toBe(20 * MIB);
      expect(sent).toEqual(sent.toSorted((a, b) => a - b));
      expect(sent.at(-1)).toBe(20 * MIB);
    });

    it('passes each event on when it happens', async () => {
      const { sent, answered } = open('GET', `/v1/sessions/${sessionId}/events`, { accept: 'text/event-stream' });
      sent.end();
      const stream = await answered;
      let text = '';
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      await expect.poll(() => text, { timeout: 60_000 }).toContain('session.created');
      const message = await call('PUT', `/v1/sessions/${sessionId}/attachments?name=note.txt`, 'a note');
      const { attachment }: { attachment: Attachment } = JSON.parse(await readText(message));
      await expect.poll(() => text, { timeout: 60_000 }).toContain(attachment.id);
      stream.on('error', () => undefined);
      sent.destroy();
    });
  });
}

async function readText(message: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of message.setEncoding('utf8')) text += chunk;
  return text;
}

type Meter = { server: Server; port: number; receivedBytes(): number };

/** Counts what reaches the stack. */
async function startMeter(target: number): Promise<Meter> {
  let receivedBytes = 0;
  const server = createServer((socket) => {
    const stack = connect(target, '127.0.0.1');
    socket.on('data', (chunk) => {
      receivedBytes += chunk.length;
    });
    for (const each of [socket, stack]) each.on('error', () => each.destroy());
    socket.pipe(stack).pipe(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { server, port: (server.address() as AddressInfo).port, receivedBytes: () => receivedBytes };
}
