import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { crc32, deflateSync } from 'node:zlib';
import { buildPdf } from '@attache/media/fixtures/pdfs';

// Files that gate, plan or execution refuse.

export type Bytes = Uint8Array<ArrayBuffer>;
export type File = { bytes: Bytes; name: string; type: string };

export const bytesOf = (...pieces: (string | Uint8Array)[]): Bytes =>
  Uint8Array.from(
    Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece))),
  );
export const fixture = async (name: string): Promise<Bytes> =>
  Uint8Array.from(
    await readFile(fileURLToPath(new URL(`../../../packages/media/src/worker/__fixtures__/${name}`, import.meta.url))),
  );

export const png = (bytes: Bytes): File => ({ bytes, name: 'a.png', type: 'image/png' });
export const pdf = (bytes: Bytes): File => ({ bytes, name: 'a.pdf', type: 'application/pdf' });
export const wav = (sizeBytes: number): File => {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(sizeBytes - 8, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.set([1, 0, 1, 0, 0x40, 0x1f, 0, 0, 0x40, 0x1f, 0, 0, 1, 0, 8, 0], 20);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(sizeBytes - 44, 40);
  return { bytes: bytesOf(header, Buffer.alloc(sizeBytes - 44, 0x80)), name: 'a.wav', type: 'audio/wav' };
};
export const flac: File = { bytes: await fixture('media/flac.flac'), name: 'a.flac', type: 'audio/flac' };
export const mp4: File = { bytes: await fixture('media/mp4-h264.mp4'), name: 'a.mp4', type: 'video/mp4' };
export const zip: File = { bytes: bytesOf('PK\u0003\u0004', Buffer.alloc(40)), name: 'a.zip', type: 'application/zip' };
export const report = pdf(Uint8Array.from(buildPdf([['one'], ['two']])));

/** A PNG with transparency whose pixels do not compress. */
export function makeTransparentNoise(): Bytes {
  const chunk = (type: string, data: Uint8Array) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length, 0);
    frame.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
  };
  const edge = 700;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(edge, 0);
  header.writeUInt32BE(edge, 4);
  header.set([8, 6], 8);
  const rows = Buffer.alloc((1 + edge * 4) * edge);
  let state = 1;
  for (let at = 0; at < rows.length; at += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    rows[at] = at % (1 + edge * 4) === 0 ? 0 : state >>> 24;
  }
  return bytesOf(
    '\u0089PNG\r\n\u001a\n',
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', new Uint8Array()),
  );
}
