import { hash } from 'node:crypto';
import { buildPdf } from '@attache/media/fixtures/pdfs';
import sharp from 'sharp';

export type SampleFile = { kind: string; name: string; type: string; bytes: Buffer<ArrayBuffer>; sha256: string };

const sample = (kind: string, name: string, type: string, given: Uint8Array): SampleFile => {
  const bytes = Buffer.from(given);
  return { kind, name, type, bytes, sha256: hash('sha256', bytes) };
};

/** One file of each kind, small enough to be forwarded as it is. */
export async function makeSamples(): Promise<SampleFile[]> {
  return [
    sample('PNG', 'a, "quoted" -- picture.png', 'image/png', await paint('#3366cc').png().toBuffer()),
    sample('JPEG', 'photo.jpg', 'image/jpeg', await paint('#cc6633').jpeg().toBuffer()),
    sample('PDF', 'paper.pdf', 'application/pdf', buildPdf([['Page one speaks of whales.'], ['Page two of owls.']])),
    sample('text', 'notes.txt', 'text/plain', Buffer.from('The word of the day is heliotrope.\n')),
    sample('audio', 'tone.wav', 'audio/wav', makeTone()),
  ];
}

const paint = (background: string) => sharp({ create: { width: 64, height: 48, channels: 3, background } });

const SAMPLE_RATE = 8000;
const HEADER_BYTES = 44;

/** A second of a sawtooth: 8 kHz, 8 bits, one channel. */
function makeTone(): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write('RIFF', 0);
  header.writeUInt32LE(HEADER_BYTES - 8 + SAMPLE_RATE, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(SAMPLE_RATE, 24);
  header.writeUInt32LE(SAMPLE_RATE, 28);
  header.writeUInt16LE(1, 32);
  header.writeUInt16LE(8, 34);
  header.write('data', 36);
  header.writeUInt32LE(SAMPLE_RATE, 40);
  return Buffer.concat([header, Buffer.from(Array.from({ length: SAMPLE_RATE }, (_, index) => index % 40))]);
}
