import { statSync } from 'node:fs';
import { createPassingInspection, type FileClaims, type PassingFinding } from '@attache/domain';
import { afterAll, expect, it } from 'vitest';
import { createTempFolder } from '../__fixtures__/temp-folder.ts';
import { judgeInspection, readClaims } from '../judge-inspection.ts';
import { inspectFile } from '../kinds/inspect-file.ts';
import { listBinaries, listFixtures, listTexts, type Sample } from './__fixtures__/corpus.ts';
import { createRandom } from './__fixtures__/random.ts';

const seed = Number(process.env.ATTACHE_TEST_SEED ?? 1);
const random = createRandom(seed);
const folder = createTempFolder();
afterAll(folder.remove);

const declaredTypes = [
  undefined,
  'text/plain',
  'application/octet-stream',
  'image/png',
  'text/html',
  'application/x-own',
];
const names = [undefined, 'a.md', 'a.csv', 'a.bin', 'a.png', 'a.svg'];

/** As the pool does it, but in this process. */
async function inspect(content: Uint8Array, claims: FileClaims) {
  const path = folder.write('file', content);
  const file = { path, sizeBytes: statSync(path).size, maxPixels: 1_000_000 };
  const reply = await inspectFile({ task: 'inspect', ...file, ...readClaims(claims) });
  return judgeInspection(reply, claims.declaredMimeType);
}

/** In pieces as a network brings them. */
function inspectInPassing(content: Uint8Array, claims: FileClaims): PassingFinding | undefined {
  const inspection = createPassingInspection(claims);
  for (let start = 0; start < content.length; ) {
    const end = start + 1 + random.below(random.below(3) === 0 ? 300 : 200_000);
    inspection.push(content.subarray(start, end));
    start = end;
  }
  return inspection.end();
}

/** Counts the samples that are decided in passing, and all that were tried. Fails if inspection gives another result. */
async function hold(samples: Iterable<Sample>): Promise<{ decided: number; tried: number }> {
  const counts = { decided: 0, tried: 0 };
  for (const { what, content, claims: given } of samples) {
    const claims = given ?? { declaredMimeType: random.pick(declaredTypes), name: random.pick(names) };
    const found = inspectInPassing(content, claims);
    counts.tried += 1;
    if (found === undefined) continue;
    counts.decided += 1;
    const says = `seed ${seed}: ${what} of ${content.length} bytes, ${JSON.stringify(claims)}`;
    expect({ status: 'ready', ...found }, says).toEqual(await inspect(content, claims));
  }
  return counts;
}

function tell(what: string, { decided, tried }: { decided: number; tried: number }): void {
  process.stdout.write(`${what}: ${decided} of ${tried} decided in passing\n`);
}

it('is inspected as it was decided in passing: all files that inspection is tried with [SR-14 RP-05 RP-10]', async () => {
  const counts = await hold(await listFixtures());
  tell('files of other tests', counts);
  expect(counts.decided).toBeGreaterThan(3);
});

it('is inspected as it was decided in passing: text of all encodings and sizes [SR-14 RP-05 RP-08]', async () => {
  const counts = await hold(listTexts(random));
  tell('texts', counts);
  expect(counts.decided).toBeGreaterThan(counts.tried / 3);
}, 300_000);

it('is inspected as it was decided in passing: bytes of no known type [SR-14 SR-29 RP-05]', async () => {
  const counts = await hold(listBinaries(random));
  tell('other bytes', counts);
  expect(counts.decided).toBeGreaterThan(counts.tried / 3);
}, 300_000);
