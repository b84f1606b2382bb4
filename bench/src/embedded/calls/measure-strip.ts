import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMediaStrip } from '@attache/domain';
import { makeRandomBytes } from '../../inputs/random-bodies.ts';
import { compare, type Result } from '../../report/result.ts';
import { interleave, summarise } from '../../report/sample.ts';
import type { EmbeddedBench } from '../bench.ts';
import { listThings, readSources } from './tool-calls.ts';

const ROUNDS = 30;
const WARM_ROUNDS = 6;
const HOSTILE_ROUNDS = 5;
const HOSTILE_WARM_ROUNDS = 2;
const MEGABYTE = 1_000_000;
const TEXT_LENGTH = 4 * MEGABYTE;
/** As a stream hands it over. */
const CHUNK_LENGTH = 64 * 1024;
const MIN_MEGABYTES_PER_SECOND = 100;
const MAX_GROWTH = 1.5;
const FILE_BYTES = 3 * MEGABYTE;
const PNG_HEAD = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const LINES = 20_000;

type Rounds = Pick<EmbeddedBench, 'counted'>;

const root = join(import.meta.dirname, '../../../..');
const fill = (text: string, length: number): string => text.repeat(Math.ceil(length / text.length)).slice(0, length);
const revisionOf = (index: number): string => createHash('sha1').update(String(index)).digest('hex');
const linesOf = (make: (index: number) => string): string =>
  Array.from({ length: LINES }, (_, index) => make(index)).join('\n');
const logLineOf = (index: number): string =>
  `2026-11-22T20:17:11.${index % 1000}Z INFO request ${revisionOf(index)} GET /v1/sessions 200`;

/** Ordinary answers of tools, by their kind. */
function describeTexts(): Record<string, string> {
  const documents = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'GLOSSARY.md'];
  return {
    sources: readSources()
      .map(({ content }) => content)
      .join('\n'),
    documents: documents.map((path) => readFileSync(join(root, path), 'utf8')).join('\n'),
    'a lock file': readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8'),
    'a list of revisions': linesOf(revisionOf),
    'a log': linesOf(logLineOf),
    'JSON inside a text': JSON.stringify({ body: listThings(10_000) }),
  };
}

/** Megabytes a second of this text, in chunks, and how many bytes were taken out of it. */
function measurePace(text: string): { pace: number; takenBytes: number } {
  const chunks = Array.from({ length: Math.ceil(text.length / CHUNK_LENGTH) }, (_, index) =>
    // A string of its own, as a decoder of bytes makes it.
    Buffer.from(text.slice(index * CHUNK_LENGTH, (index + 1) * CHUNK_LENGTH)).toString(),
  );
  let takenBytes = 0;
  const startedAt = performance.now();
  const strip = createMediaStrip();
  for (const chunk of [...chunks, undefined]) {
    const pieces = chunk === undefined ? strip.end() : strip.push(chunk);
    for (const piece of pieces) if (piece.type === 'bytes') takenBytes += piece.bytes.length;
  }
  return { pace: text.length / 1000 / (performance.now() - startedAt), takenBytes };
}

function measurePaces({ counted }: Rounds, text: string, expectedBytes: number): number[] {
  const paces: number[] = [];
  for (let round = -WARM_ROUNDS; round < counted(ROUNDS); round += 1) {
    const { pace, takenBytes } = measurePace(text);
    if (takenBytes !== expectedBytes)
      throw new Error(`${takenBytes} bytes were taken out instead of ${expectedBytes}.`);
    if (round >= 0) paces.push(pace);
  }
  return paces;
}

function measureText(rounds: Rounds, name: string, source: string): Result {
  const product = summarise(measurePaces(rounds, fill(source, TEXT_LENGTH), 0));
  return {
    ...{ what: `search of a tool's result for media: ${name}`, unit: 'MB/s', product },
    target: { of: 'product', atLeast: MIN_MEGABYTES_PER_SECOND },
  };
}

/** A file in a text, and its bytes out of it again. For information. */
function measureFile(rounds: Rounds, name: string, spell: (file: Buffer) => string): Result {
  const file = Buffer.concat([PNG_HEAD, makeRandomBytes(FILE_BYTES)]);
  const product = summarise(measurePaces(rounds, spell(file), file.length));
  return { what: `the same, with a file in it: ${name}`, unit: 'MB/s', product };
}

/** Heads of files, of data URLs and of escapes, each of which is looked at and is none. */
const hostilePieces = [
  'iVBORw0KGgo ',
  'iVBO\nRw0K\n',
  'AAAA\n',
  'data:image/png;a="',
  '\\u002b',
  '%25',
  '[137,80,78,',
  '0x89,',
  '\\x89',
  '00000000: 8950\n',
];

async function measureHostile({ counted }: Rounds, piece: string): Promise<Result> {
  const msPerMegabyte = (length: number) => {
    const text = fill(piece, length);
    return async () => 1000 / measurePace(text).pace;
  };
  const samples = await interleave(
    { warm: HOSTILE_WARM_ROUNDS, counted: Math.min(HOSTILE_ROUNDS, counted(ROUNDS)) },
    { floor: msPerMegabyte(MEGABYTE / 4), product: msPerMegabyte(MEGABYTE * 2) },
  );
  return compare(
    {
      what: `search of hostile text for media, per MB in 2 MB: ${JSON.stringify(piece)}`,
      unit: 'ms',
      floorIs: 'in 0.25 MB',
      target: { of: 'ratio', atMost: MAX_GROWTH },
    },
    samples,
  );
}

/** The search for media in what agents and tools say, in this process: computing alone. */
export async function measureStrip(bench: EmbeddedBench): Promise<Result[]> {
  bench.say('  strip');
  const results = Object.entries(describeTexts()).map(([name, text]) => measureText(bench, name, text));
  results.push(measureFile(bench, 'base64', (file) => file.toString('base64')));
  results.push(measureFile(bench, 'base64 in lines', (file) => file.toString('base64').replaceAll(/.{76}/g, '$&\n')));
  results.push(measureFile(bench, 'hex', (file) => file.toString('hex')));
  for (const piece of hostilePieces) results.push(await measureHostile(bench, piece));
  return results;
}
