import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HostileStack, startHostile } from '../fixtures/hostile-stack.ts';
import { findClients, makeSparseFile, type Upload, type UploadClient } from '../fixtures/refused-clients.ts';

const MIB = 1024 * 1024;
const SIZES_MIB = [26, 60, 200] as const;
/** The long tests send all; else a few that the seed draws. */
const isWhole = process.env.ATTACHE_TEST_AMOUNT !== 'few';
const UPLOADS = isWhole ? 240 : 8;
const AT_ONCE = 4;
const seed = Number(process.env.ATTACHE_TEST_SEED ?? 1);
const { found: clients, missing } = await findClients();

let stack: HostileStack;
let folder: string;
let endedSessionId: string;
beforeAll(async () => {
  stack = await startHostile();
  folder = await mkdtemp(join(tmpdir(), 'attache-refused-'));
  for (const mib of SIZES_MIB) await makeSparseFile(join(folder, String(mib)), mib * MIB);
  const { session } = await stack.api.createSession();
  await stack.api.call('POST', `/sessions/${session.id}/end`);
  endedSessionId = session.id;
});
afterAll(async () => {
  await stack.stop();
  await rm(folder, { recursive: true, force: true });
});

type Refused = { title: string; send: UploadClient; upload: Upload; statuses: readonly number[] };

const pathIn = (sessionId: string) => `/v1/sessions/${sessionId}/attachments?name=a.bin`;

function* listRefused(): Generator<Refused> {
  const reasons = [
    { reason: 'too large', statuses: [413], sessionId: stack.session.id, apiKey: stack.api.apiKey },
    { reason: 'ended session', statuses: [409, 413], sessionId: endedSessionId, apiKey: stack.api.apiKey },
    { reason: 'no such key', statuses: [401], sessionId: stack.session.id, apiKey: `${stack.api.apiKey}x` },
  ];
  for (const { reason, statuses, sessionId, apiKey } of reasons)
    for (const route of ['raw', 'form'] as const)
      for (const mib of SIZES_MIB)
        for (const isDeclared of [true, false])
          for (const [name, send] of clients) {
            const url = `${stack.url}${pathIn(sessionId)}`;
            const upload = { url, apiKey, route, isDeclared, sizeBytes: mib * MIB, file: join(folder, String(mib)) };
            const title = `${name}, ${mib} MiB, ${route}, ${isDeclared ? 'declared' : 'in chunks'}, ${reason}`;
            yield { title, send, upload, statuses };
          }
}

/** From a place that the seed gives, in steps that come to all of them. */
function draw(count: number): Refused[] {
  const all = [...listRefused()];
  return Array.from({ length: count }, (_, index) => all[(seed + index * 37) % all.length] as Refused);
}

describe('a client that sends a body which is refused', () => {
  it.skipIf(missing.length > 0)(`is one of those that people use (missing: ${missing.join(' ') || 'none'})`, () => {
    expect(clients).toHaveLength(5);
  });

  it(`reads the answer, whatever it still sends: ${UPLOADS} uploads, none lost [AT-17 S14]`, async () => {
    const rest = draw(UPLOADS);
    const lost: string[] = [];
    const sendNext = async () => {
      for (let next = rest.pop(); next; next = rest.pop()) {
        const told = await next.send(next.upload);
        if (!(next.statuses as readonly unknown[]).includes(told)) lost.push(`${next.title}: ${told}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, sendNext));
    expect(lost).toEqual([]);
    await stack.expectNothingKept();
    await stack.expectAlive();
  }, 900_000);
});
