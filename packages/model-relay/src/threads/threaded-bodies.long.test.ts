import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { request as requestHttp } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { readBody } from '../__fixtures__/read-body.ts';
import { bad, image, inTime, replacements, text, toBody } from '../__fixtures__/refused-requests.ts';
import { ask, paths, startRelayed } from '../__fixtures__/relayed.ts';
import { makePng } from '../__fixtures__/wire-media.ts';

const program = (name: string) => new URL(`./__fixtures__/${name}-thread.ts`, import.meta.url);
const sent = (body: string) => ({ body, headers: { 'content-length': String(Buffer.byteLength(body)) } });
const filling = image(makePng(40, 30, 3_000_000));
const plain = toBody([image(bad), filling]);
const deadly = toBody([image(bad), filling, { type: 'text', text: 'DIE-HERE' }, filling]);

describe('a large request whose thread ends amid it', () => {
  it('passes as it came, with nothing said of its content; the next one has it again [BX-23]', async () => {
    await using relayed = await startRelayed({}, undefined, program('dying'));
    const opened = relayed.open();
    for (const body of [plain, deadly, plain]) {
      expect((await ask(opened, sent(body))).status).toBe(200);
      expect(relayed.provider.seen.at(-1)?.body.toString() === body).toBe(true);
    }
    await vi.waitFor(() => expect(relayed.records).toHaveLength(3), inTime);
    const content = readBody(plain);
    expect(relayed.records.map((record) => record.content)).toEqual([content, undefined, content]);
  });

  it('is judged by its model all the same', async () => {
    await using relayed = await startRelayed({}, undefined, program('dying'));
    const body = deadly.replace('"model":"m",', '').replace(/}$/, ',"model":"other"}');
    expect((await ask(relayed.open(), sent(body))).status).toBe(403);
    expect(relayed.provider.seen).toEqual([]);
  });

  it('has its refused block replaced where it waits on the disk [BX-02]', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'attache-spool-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await using relayed = await startRelayed({}, folder, program('dying'));
    const opened = relayed.open({ replacements });
    expect((await ask(opened, sent(deadly))).status).toBe(200);
    const expected = deadly.replace(JSON.stringify(image(bad)), JSON.stringify({ type: 'text', text }));
    expect(relayed.provider.seen[0]?.body.toString() === expected).toBe(true);
  });

  it('is read where it passes, once no thread can be started', async () => {
    await using relayed = await startRelayed({}, undefined, program('broken'));
    const opened = relayed.open();
    expect((await ask(opened, sent(plain))).status).toBe(200);
    expect((await ask(opened, sent(plain))).status).toBe(200);
    await vi.waitFor(() => expect(relayed.records).toHaveLength(2), inTime);
    expect(relayed.records[1]?.content).toEqual(readBody(plain));
    expect(relayed.lines.join()).not.toContain('A thread that reads nothing.');
  });
});

describe('a large request', () => {
  it('whose messages are no JSON is never whole at the provider', async () => {
    await using relayed = await startRelayed();
    const body = plain.replace('"role":"user"', '"role":user');
    expect((await ask(relayed.open(), sent(body))).status).toBe(400);
    expect(relayed.provider.seen).toEqual([]);
  });

  it('is not taken from its program while its thread does not read it', async () => {
    await using relayed = await startRelayed({ idleMs: 500, lingerMs: 200 }, undefined, program('stuck'));
    let arrivedBytes = 0;
    relayed.provider.behave((request) => {
      request
        .on('error', () => {})
        .on('data', (chunk: Buffer) => {
          arrivedBytes += chunk.length;
        });
    });
    expect((await ask(relayed.open(), sent(toBody(Array.from({ length: 5 }, () => filling))))).status).toBe(504);
    expect(arrivedBytes).toBeGreaterThan(900_000);
    expect(arrivedBytes).toBeLessThan(2_000_000);
  });

  it('is one of forty at once, each with its own content', async () => {
    await using relayed = await startRelayed();
    const opened = relayed.open();
    const asked = Array.from({ length: 40 }, (_, index) => toBody([image(makePng(index + 1, 7, 1_500_000))]));
    const statuses = await Promise.all(asked.map(async (body) => (await ask(opened, sent(body))).status));
    expect(new Set(statuses)).toEqual(new Set([200]));
    await vi.waitFor(() => expect(relayed.records).toHaveLength(40), inTime);
    const widths = relayed.records.flatMap(({ content }) =>
      (content?.blocks ?? []).map((block) => (block.kind === 'media' ? block.width : undefined)),
    );
    expect(widths.toSorted((a = 0, b = 0) => a - b)).toEqual(asked.map((_, index) => index + 1));
  });
});

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
/** Memory of this process, which is program, relay and provider, its threads included. */
function readHeldBytes(): number {
  collectGarbage();
  const status = readFileSync('/proc/self/status', 'utf8');
  // Shared memory is counted separately from a process's own.
  return [/RssAnon:\s+(\d+)/, /RssShmem:\s+(\d+)/].reduce((sum, row) => sum + Number(row.exec(status)?.[1]) * 1_024, 0);
}

describe('large requests amid which their programs wait', () => {
  it('need no more than 2 MB each, their threads included', async () => {
    const [count, sentBytes, lengthBytes] = [24, 3_000_000, 25_000_000];
    await using relayed = await startRelayed();
    let arrivedBytes = 0;
    relayed.provider.behave((request) => {
      request
        .on('error', () => {})
        .on('data', (chunk: Buffer) => {
          arrivedBytes += chunk.length;
        });
    });
    const { baseUrl, token } = relayed.open();
    const hold = async (requests: number) => {
      arrivedBytes = 0;
      const all = Array.from({ length: requests }, () => {
        const headers = { 'x-api-key': token, 'content-length': String(lengthBytes) };
        const request = requestHttp(`${baseUrl}${paths.anthropic}`, { method: 'POST', agent: false, headers });
        request.on('error', () => {}).write(plain.slice(0, sentBytes));
        return request;
      });
      await vi.waitFor(() => expect(arrivedBytes).toBeGreaterThan(requests * (sentBytes - 200_000)), inTime);
      return async () => {
        for (const request of all) request.destroy();
        await vi.waitFor(() => expect(relayed.provider.countConnections()).toBe(0), inTime);
      };
    };
    await (await hold(4))();
    const before = readHeldBytes();
    const end = await hold(count);
    const grownBytes = readHeldBytes() - before;
    await end();
    expect(grownBytes / count).toBeLessThan(2 * 2 ** 20);
  });
});
