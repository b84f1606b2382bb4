import { readFile } from 'node:fs/promises';
import { makeNoisePng } from '@attache/test-harness';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type HostileStack, startHostile } from '../fixtures/hostile-stack.ts';

let stack: HostileStack;
beforeAll(async () => {
  stack = await startHostile();
});
afterAll(() => stack.stop());

const MIB = 1024 * 1024;
const FILE_BYTES = 11.9 * MIB;

const messageOf = (sizeBytes: number) =>
  JSON.stringify({
    to: [stack.agent.id],
    attachments: [{ data: Buffer.from(makeNoisePng(sizeBytes)).toString('base64'), mimeType: 'image/png' }],
    text: 'look',
    overrideUnknown: true,
  });

const send = (raw: string) =>
  stack.api.call('POST', `/sessions/${stack.session.id}/messages`, {
    raw,
    headers: { 'content-type': 'application/json' },
  });

async function readResidentBytes(): Promise<number> {
  const status = await readFile(`/proc/${stack.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

/** The most that the process has taken while `work` went on. */
async function watchResident(work: Promise<unknown>): Promise<number> {
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  let mostBytes = 0;
  while (!isOver) {
    mostBytes = Math.max(mostBytes, await readResidentBytes());
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await over;
  return mostBytes;
}

it('takes twenty messages of 16 MiB at once in bounded memory: some are told to come again, and do [BX-27 DL-46]', async () => {
  const body = messageOf(FILE_BYTES);
  expect(Buffer.byteLength(body)).toBeGreaterThan(15.8 * MIB);
  for (let warm = 0; warm < 3; warm += 1) expect((await send(messageOf(1 * MIB))).status).toBe(202);
  const beforeBytes = await readResidentBytes();
  const sendAll = Promise.all(Array.from({ length: 20 }, () => send(body)));
  const riseBytes = (await watchResident(sendAll)) - beforeBytes;
  const answers = await sendAll;
  const counts = Object.groupBy(answers, ({ status }) => String(status));
  process.stdout.write(
    `rise ${(riseBytes / MIB).toFixed(0)} MiB; ${Object.entries(counts).map(([status, all]) => `${status}: ${all?.length}`)}\n`,
  );
  expect(riseBytes).toBeLessThan(128 * MIB);
  for (const answer of answers.filter(({ status }) => status !== 202)) {
    expect(answer).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED', retryable: true } });
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  expect((counts['202'] ?? []).length).toBeGreaterThan(0);
  for (let later = 0; later < 2; later += 1) expect((await send(body)).status).toBe(202);
  await stack.expectAlive();
});

it('takes many small bodies at once whose length nobody said [BX-27]', async () => {
  const body = Buffer.from(JSON.stringify({ to: [stack.agent.id], text: 'small' }));
  let openCount = 0;
  const allOpen = Promise.withResolvers<void>();
  const sendInChunks = () =>
    stack.api.call('POST', `/sessions/${stack.session.id}/messages`, {
      headers: { 'content-type': 'application/json' },
      raw: new ReadableStream<Uint8Array>({
        async start(controller) {
          controller.enqueue(body.subarray(0, 10));
          openCount += 1;
          if (openCount === 30) allOpen.resolve();
          await allOpen.promise;
          // All heads are at the server by then.
          await stack.expectAlive();
          controller.enqueue(body.subarray(10));
          controller.close();
        },
      }),
    });
  const answers = await Promise.all(Array.from({ length: 30 }, sendInChunks));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202));
});
