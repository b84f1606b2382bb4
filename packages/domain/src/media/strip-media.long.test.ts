import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { checkDisguises, checkOrdinaryResults, faultsOf, formatTallies, sumOf } from './__fixtures__/check-corpora.ts';
import { PLACE, runStrip } from './__fixtures__/run-strip.ts';
import { createRandom } from './__fixtures__/seeded-random.ts';
import { createMediaStrip } from './strip-media.ts';

/** The same in every run. */
const SEED = Number(process.env.ATTACHE_STRIP_SEED ?? 20_261_122);
const isShort = process.env.ATTACHE_TEST_AMOUNT === 'few';
const DISGUISES = isShort ? 528 : 5_016;
const RESULTS = isShort ? 1_000 : 10_000;
const MAX_ALTERED_SHARE = 0.001;
const MEGABYTE = 1_000_000;
/** A run of any length may hold at most `MAX_HELD_BYTES`. Uncollected garbage would count as held, so the test collects it before it measures. */
setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');
const PUSHES_PER_LOOK = 32;
const MAX_HELD_BYTES = 16 * MEGABYTE;
const RUN_BYTES = (isShort ? 25 : 50) * MEGABYTE;

describe('over the corpora', { timeout: 600_000 }, () => {
  it('no media is left over and no byte is lost in disguises [SR-24 AT-34 S24]', () => {
    const tallies = checkDisguises(SEED, DISGUISES);
    process.stdout.write(formatTallies(`disguises with a fault, seed ${SEED}`, tallies));
    expect(faultsOf(tallies)).toEqual([]);
    expect(sumOf(tallies)).toEqual({ count: DISGUISES, faults: 0 });
  });

  it('at most one in a thousand ordinary results is altered [SR-24 S24]', () => {
    const tallies = checkOrdinaryResults(SEED, RESULTS);
    process.stdout.write(formatTallies(`ordinary results that were altered, seed ${SEED}`, tallies));
    expect(sumOf(tallies).count).toBe(RESULTS);
    expect(sumOf(tallies).faults, faultsOf(tallies).join('\n')).toBeLessThanOrEqual(RESULTS * MAX_ALTERED_SHARE);
  });
});

describe('a run that does not end', () => {
  /** Pushes the same piece until so much came; what came out, and how far the memory rose. */
  function pushAll(head: string, piece: string, totalBytes: number) {
    const strip = createMediaStrip();
    let textLength = 0;
    let takenBytes = 0;
    let heldBytes = 0;
    const count = (pieces: ReturnType<typeof strip.push>) => {
      for (const each of pieces) {
        if (each.type === 'text') textLength += each.text.length;
        if (each.type === 'bytes') takenBytes += each.bytes.length;
      }
    };
    count(strip.push(head));
    collect();
    const before = process.memoryUsage();
    let pushes = 0;
    for (let sent = 0; sent < totalBytes; sent += piece.length) {
      count(strip.push(piece));
      pushes += 1;
      if (pushes % PUSHES_PER_LOOK !== 0) continue;
      // Memory that nothing holds any more must not count.
      collect();
      const { heapUsed, arrayBuffers } = process.memoryUsage();
      heldBytes = Math.max(heldBytes, heapUsed + arrayBuffers - before.heapUsed - before.arrayBuffers);
    }
    count(strip.end());
    return { textLength, takenBytes, heldBytes };
  }

  const noise = createRandom(SEED)
    .bytes(48 * 1024)
    .toString('base64');

  it.each([
    ['of media', `${Buffer.from('89504e470d0a1a0a0000000d494844520000', 'hex').toString('base64')}`, 18],
    ['of no media', '', 0],
  ])('%s: it passes through a bounded memory, and none is lost [SR-24 S24]', (_, head, headBytes) => {
    const pushes = Math.ceil(RUN_BYTES / noise.length);
    const { textLength, takenBytes, heldBytes } = pushAll(head, noise, RUN_BYTES);
    expect({ textLength, takenBytes }).toEqual({ textLength: 0, takenBytes: headBytes + pushes * 48 * 1024 });
    expect(heldBytes).toBeLessThan(MAX_HELD_BYTES);
  });

  it.each([
    ['that is no base64', 'ACGT'.repeat(16_000)],
    ['in a data URL that does not end', 'data:image/svg+xml;'.repeat(4000)],
    ['of hex that is no file', '0123456789abcdef'.repeat(4000)],
    ['of escapes', '\\\\u005c'.repeat(9000)],
    ['of blanks', '\n \t '.repeat(16_000)],
  ])('%s stays to the letter, and is not held either [SR-24 S24]', (_, piece) => {
    const pushes = Math.ceil((8 * MEGABYTE) / piece.length);
    const { textLength, takenBytes, heldBytes } = pushAll('', piece, 8 * MEGABYTE);
    expect({ textLength, takenBytes }).toEqual({ textLength: pushes * piece.length, takenBytes: 0 });
    expect(heldBytes).toBeLessThan(MAX_HELD_BYTES);
  });
});

it('hostile texts take no longer for each character where there are more of them [S24]', { timeout: 600_000 }, () => {
  const seeds = [
    'iVBORw0KGgo ',
    'iVBO\nRw0K\n',
    '/9j/4AAQ',
    'data:image/png,',
    'data:a;b="',
    '\\u002b',
    '%252F',
    '[137,80,',
    '0x89,',
    '00000000: 8950\n',
  ];
  const work = (text: string) => {
    const { text: left, files } = runStrip([text]);
    return left.replaceAll(PLACE, '').length + files.reduce((sum, { bytes }) => sum + bytes.length, 0);
  };
  // A square would end by the limit of the test: what takes a second of 1 MB at most would take hours.
  for (const seed of seeds) expect(work(seed.repeat(Math.ceil(MEGABYTE / seed.length)))).toBeGreaterThan(0);
});
