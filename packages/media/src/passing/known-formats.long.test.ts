import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { mayBeKnownFormat } from '@attache/domain/may-be-known-format';
import { fileTypeFromBuffer } from 'file-type';
import { expect, it } from 'vitest';

// Which runs of bytes the library looks for is in its source alone.
const source = readFileSync(fileURLToPath(import.meta.resolve('file-type')), 'utf8');
const headBytes = 600;

type Run = { at: number; bytes: Buffer };

/** Every run that the library compares with, where it expects it. */
function listRuns(): Run[] {
  const calls = source.matchAll(/check(?:String)?\((?<what>\[[^\]]*\]|'[^']*'|String\.raw`[^`]*`)(?<rest>[^)]*)\)/g);
  return [...calls].map(({ groups: { what = '', rest = '' } = {} }): Run => {
    const at = Number(/offset: (\d+)/.exec(rest)?.[1] ?? 0);
    return { at, bytes: readRun(what, /encoding: '([^']+)'|\bencoding\b/.test(rest)) };
  });
}

function readRun(what: string, isWide: boolean): Buffer {
  if (what.startsWith('[')) return Buffer.from((what.match(/0x[0-9a-f]+|\d+/gi) ?? []).map(Number));
  const text = what.startsWith('String.raw') ? what.slice(11, -1) : readEscapes(what.slice(1, -1));
  return isWide ? Buffer.from(text, 'utf16le') : Buffer.from(text, 'latin1');
}

const readEscapes = (text: string) => JSON.parse(`"${text.replaceAll(String.raw`\0`, String.raw`\u0000`)}"`) as string;

function compose(filling: number, ...runs: Run[]): Buffer {
  const head = Buffer.alloc(headBytes, filling);
  for (const { at, bytes } of runs) bytes.copy(head, at);
  return head;
}

const runs = listRuns();

/** Whether the library knows a format in what is taken for none. */
async function isMistaken(head: Buffer): Promise<boolean> {
  if (mayBeKnownFormat(head)) return false;
  return (await fileTypeFromBuffer(head).catch(() => undefined)) !== undefined;
}

it('finds the runs that the library looks for', () => {
  const texts = runs.map(({ at, bytes }) => `${at} ${bytes.toString('latin1')}`);
  expect(texts.length).toBeGreaterThan(180);
  expect(texts).toEqual(expect.arrayContaining(['0 \x89PNG\r\n\x1a\n', '4 ftyp', '128 DICM', '0 {\\rtf', '0 OggS']));
});

/** Both orders where one would cover the other. */
function* listPairs(): Generator<[Run, Run]> {
  for (const [index, first] of runs.entries())
    for (const second of runs.slice(index)) {
      yield [first, second];
      const isCovered = first.at < second.at + second.bytes.length && second.at < first.at + first.bytes.length;
      if (isCovered && first !== second) yield [second, first];
    }
}

it('takes no file for unknown in which the library knows a format by any two of its runs [SR-14 RP-10]', async () => {
  const mistaken: string[] = [];
  for (const filling of [0, 0xb7])
    for (const pair of listPairs()) {
      const head = compose(filling, ...pair);
      if (await isMistaken(head)) mistaken.push(head.toString('latin1', 0, 48));
    }
  expect(mistaken).toEqual([]);
}, 300_000);

it('takes no image of a disc for unknown, which is known behind its first 32 KiB', async () => {
  const disc = Buffer.alloc(40_000, 0xb7);
  disc.write('CD001', 32_769, 'latin1');
  expect(await fileTypeFromBuffer(disc)).toMatchObject({ mime: 'application/x-iso9660-image' });
  expect(mayBeKnownFormat(disc)).toBe(true);
});

it('takes no file for unknown that begins as a frame of sound does', async () => {
  const mistaken: string[] = [];
  for (let second = 0xe0; second <= 0xff; second += 1)
    for (let third = 0; third <= 0xff; third += 1) {
      const head = compose(0, { at: 0, bytes: Buffer.from([0xff, second, third, 0x40]) });
      if (await isMistaken(head)) mistaken.push(head.toString('hex', 0, 4));
    }
  expect(mistaken).toEqual([]);
});

/** Every file of one or two bytes, and files that end amid a run. */
function* listShort(): Generator<Buffer> {
  for (let value = 0; value <= 0xff; value += 1) yield Buffer.from([value]);
  for (let value = 0; value <= 0xffff; value += 1) yield Buffer.from([value >> 8, value & 0xff]);
  for (const run of runs)
    for (let kept = run.at + 1; kept < run.at + run.bytes.length; kept += 1)
      if (kept <= headBytes) yield compose(0, run).subarray(0, kept);
}

it('takes no short file for unknown that the library knows by the zeros behind it [SR-14 RP-05]', async () => {
  const mistaken: string[] = [];
  for (const head of listShort()) if (await isMistaken(head)) mistaken.push(head.toString('hex', 0, 48));
  expect(mistaken).toEqual([]);
});
