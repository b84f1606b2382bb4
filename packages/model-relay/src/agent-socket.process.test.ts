import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { request as requestHttp } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startRelayed } from './__fixtures__/relayed.ts';

const PORT = 8087;
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'attache-relay-'));
});
afterEach(() => rm(folder, { recursive: true }));

const socketPath = () => path.join(folder, 'a.relay');

/** Asks through the socket, as a program does that reaches it by a port of its own. */
function askSocket(baseUrl: string, token: string, host = `127.0.0.1:${PORT}`) {
  return new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
    const headers = { 'x-api-key': token, host };
    const place = { socketPath: socketPath(), path: `${new URL(baseUrl).pathname}/v1/messages` };
    const request = requestHttp({ ...place, method: 'POST', headers, agent: false });
    request.once('error', reject);
    request.once('response', async (response) => resolve({ status: response.statusCode, text: await text(response) }));
    request.end('{"model":"m"}');
  });
}

it('serves its agent at a socket that nobody else may use [BX-24]', async () => {
  await using relayed = await startRelayed();
  const opened = relayed.open();
  const baseUrl = await opened.listen(socketPath(), PORT);
  expect(baseUrl).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${PORT}/agt_`));
  expect((await stat(socketPath())).mode & 0o777).toBe(0o600);
  expect(await askSocket(baseUrl, opened.token)).toEqual({ status: 200, text: '{"answered":true}' });
  expect(relayed.provider.seen[0]?.headers['x-api-key']).toBe('the-real-key');
});

it("serves no other agent there, not even with that one's token [BX-24]", async () => {
  await using relayed = await startRelayed();
  const [opened, other] = [relayed.open(), relayed.open()];
  const baseUrl = await opened.listen(socketPath(), PORT);
  expect((await askSocket(other.baseUrl, other.token)).status).toBe(401);
  expect((await askSocket(baseUrl, other.token)).status).toBe(401);
  expect((await askSocket(baseUrl, opened.token, 'evil.example')).status).not.toBe(200);
  expect(relayed.provider.seen).toEqual([]);
});

it('ends the socket with its agent [BX-24]', async () => {
  await using relayed = await startRelayed();
  const opened = relayed.open();
  const baseUrl = await opened.listen(socketPath(), PORT);
  opened.close();
  await vi.waitUntil(() => !existsSync(socketPath()), { timeout: 60_000 });
  await expect(askSocket(baseUrl, opened.token)).rejects.toThrow();
});
