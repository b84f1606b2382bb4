import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openLeastSteps } from './steps/least-steps.ts';
import { answerJson, serveFloor } from './steps/serve-floor.ts';

// The least that makes a picture durable and knows that it can be decoded: the bytes stored once with their digest, and one commit; then one GET into
// a file, all pixels decoded in a process of its own, and one commit. No limit is watched, no facts are recorded, nothing waits for its turn, nobody hears of it.

const DECODERS = 2;

const steps = await openLeastSteps();
const decoder = fileURLToPath(new URL('steps/decode-pictures.ts', import.meta.url));
const idle: ChildProcess[] = Array.from({ length: DECODERS }, () =>
  fork(decoder, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }),
);
const waiting: ((child: ChildProcess) => void)[] = [];
const ready = new Map<string, Promise<void>>();

async function takeDecoder(): Promise<ChildProcess> {
  return idle.pop() ?? (await new Promise((resolve) => waiting.push(resolve)));
}

function putBack(child: ChildProcess): void {
  const next = waiting.shift();
  if (next) next(child);
  else idle.push(child);
}

async function inspect(id: string): Promise<void> {
  const path = join(steps.folder, id);
  await steps.fetchToFile(id, path);
  const child = await takeDecoder();
  child.send(path);
  const [isWhole] = await once(child, 'message');
  putBack(child);
  await unlink(path);
  if (!isWhole) throw new Error('A picture could not be decoded.');
  await steps.commit(id, 'ready', {});
}

serveFloor(async (request, response) => {
  if (request.method === 'GET') {
    await ready.get(request.url?.slice(1) ?? '');
    return answerJson(response, 200, {});
  }
  const id = randomUUID();
  const sha256 = await steps.store(id, request, Number(request.headers['content-length']));
  await steps.commit(id, 'stored', { sha256 });
  ready.set(id, inspect(id));
  answerJson(response, 201, { id, sha256 });
});
