import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough, type Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFrame, type Frame, measureFrame } from './create-frame.ts';
import { createFrameWriter } from './write-frame.ts';

const isShort = process.env.ATTACHE_TEST_AMOUNT === 'few';

const PIECE_BYTES = 192 * 1024;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'attache-frames-'));
});
afterAll(() => rm(folder, { recursive: true }));

let fileCount = 0;
async function makeFile(sizeBytes: number): Promise<{ path: string; sizeBytes: number; bytes: Buffer }> {
  const bytes = Buffer.alloc(sizeBytes);
  for (let index = 0; index < bytes.length; index += 1) bytes[index] = (index * 31 + (index >> 8)) & 255;
  fileCount += 1;
  const file = path.join(folder, `${fileCount}`);
  await writeFile(file, bytes);
  return { path: file, sizeBytes, bytes };
}

async function writeOut(frames: Frame[]): Promise<Buffer> {
  const output = new PassThrough();
  const all = buffer(output);
  const writer = createFrameWriter({ output, stallMs: 60_000 });
  await Promise.all(frames.map((frame) => writer.write(frame)));
  output.end();
  return await all;
}

const anyText = fc
  .array(fc.integer({ min: 0, max: 0x10ffff }), { maxLength: 10 })
  .map((codes) => String.fromCodePoint(...codes));

function embedAll(files: readonly { path: string; sizeBytes: number }[], text = ''): Frame {
  return createFrame((embed) => ({ text, data: files.map(embed) }));
}

describe('writeFrame', () => {
  it('writes files as base64 in their places, in exactly the measured size [DL-62]', async () => {
    const sizes = fc.constantFrom(0, 1, 2, 3, 4, 1000, PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1);
    await fc.assert(
      fc.asyncProperty(fc.array(sizes, { maxLength: 3 }), anyText, async (chosen, text) => {
        const files = await Promise.all(chosen.map(makeFile));
        const frame = embedAll(files, text);
        const written = await writeOut([frame]);
        expect(written.length).toBe(measureFrame(frame));
        expect(written.indexOf('\n')).toBe(written.length - 1);
        const line = JSON.parse(written.toString()) as { text: string; data: string[] };
        expect(
          line.data.map((each, index) => Buffer.from(each, 'base64').equals(files[index]?.bytes ?? Buffer.of())),
        ).toEqual(files.map(() => true));
      }),
      { numRuns: isShort ? 3 : 8 },
    );
  });

  it.each([-1, 0, 1])('writes a line that is a piece long, and %i byte more, to its end', async (more) => {
    const overhead = measureFrame(embedAll([], ''));
    const text = 'x'.repeat(PIECE_BYTES - overhead + more);
    const output = new PassThrough();
    const all = buffer(output);
    const writer = createFrameWriter({ output, stallMs: 60_000 });
    expect(await writer.write(embedAll([], text))).toEqual({ status: 'written', sizeBytes: PIECE_BYTES + more });
    output.end();
    expect(JSON.parse((await all).toString()).text).toBe(text);
  });

  it('writes bytes in memory as it writes those of a file', async () => {
    const { bytes, ...file } = await makeFile(PIECE_BYTES + 5);
    const inMemory = createFrame((embed) => ({ text: '', data: [embed({ bytes, sizeBytes: bytes.length })] }));
    expect((await writeOut([inMemory])).equals(await writeOut([embedAll([file])]))).toBe(true);
    expect(measureFrame(inMemory)).toBe(measureFrame(embedAll([file])));
  });

  it('never mixes two frames', async () => {
    const files = await Promise.all([makeFile(500_000), makeFile(10), makeFile(300_000)]);
    const written = await writeOut(files.map((file, index) => embedAll([file], `${index}`)));
    const lines = written.toString().trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).text)).toEqual(['0', '1', '2']);
  });

  it('holds no more than a piece in memory when the child reads slowly [W18]', async () => {
    const file = await makeFile(2_000_000);
    const output = new PassThrough({ highWaterMark: 16 * 1024 });
    const writing = createFrameWriter({ output, stallMs: 60_000 }).write(embedAll([file]));
    let mostBuffered = 0;
    let readBytes = 0;
    for await (const chunk of output) {
      mostBuffered = Math.max(mostBuffered, output.writableLength);
      readBytes += chunk.length;
      if (chunk.at(-1) === 0x0a) break;
    }
    expect((await writing).status).toBe('written');
    expect(readBytes).toBeGreaterThan(2_600_000);
    expect(mostBuffered).toBeLessThanOrEqual((PIECE_BYTES / 3) * 4);
  });

  it('reports a child that takes nothing as stalled [W18]', async () => {
    const file = await makeFile(400_000);
    const output = new PassThrough();
    expect(await createFrameWriter({ output, stallMs: 20 }).write(embedAll([file]))).toEqual({ status: 'stalled' });
  });

  it('reports a child that is gone as closed, before and after the first byte [W18]', async () => {
    const file = await makeFile(400_000);
    const output = new PassThrough();
    const writer = createFrameWriter({ output, stallMs: 60_000 });
    const broken = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
    output.once('data', () => output.destroy(broken));
    expect(await writer.write(embedAll([file]))).toEqual({ status: 'closed', hasBegun: true });
    expect(await writer.write(embedAll([file]))).toEqual({ status: 'closed', hasBegun: false });
  });
});

describe('before the first byte', () => {
  const untouched = (output: Writable) => expect(output.writableLength).toBe(0);

  it('refuses a file that is missing, of another size, or a link [DL-74 S19]', async () => {
    const file = await makeFile(10);
    const link = path.join(folder, 'link');
    await symlink(file.path, link);
    const output = new PassThrough();
    const writer = createFrameWriter({ output, stallMs: 60_000 });
    for (const wrong of [
      { path: path.join(folder, 'none'), sizeBytes: 10 },
      { path: file.path, sizeBytes: 11 },
      { path: link, sizeBytes: 10 },
      { path: folder, sizeBytes: 10 },
      { path: '/dev/zero', sizeBytes: 0 },
    ]) {
      expect((await writer.write(embedAll([file, wrong]))).status).toBe('file-missing');
    }
    untouched(output);
  });

  it('can be cancelled, and passes on what onWriting throws', async () => {
    const output = new PassThrough();
    const writer = createFrameWriter({ output, stallMs: 60_000 });
    const frame = createFrame(() => 'x');
    expect(await writer.write(frame, { signal: AbortSignal.abort() })).toEqual({ status: 'cancelled' });
    const onWriting = () => Promise.reject(new Error('no longer the owner'));
    await expect(writer.write(frame, { onWriting })).rejects.toThrow('no longer the owner');
    untouched(output);
    expect((await writer.write(frame)).status).toBe('written');
  });
});
