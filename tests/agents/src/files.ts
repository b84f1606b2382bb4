import { hash, randomBytes } from 'node:crypto';
import { buildPdf } from '@attache/media/fixtures/pdfs';
import sharp from 'sharp';

export type SampleFile = {
  kind: string;
  name: string;
  type: string;
  bytes: Buffer<ArrayBuffer>;
  sha256: string;
  /** One that it holds; of a file without words one that no text holds. */
  word: string;
};

const NO_WORD = 'no-word-of-any-file';

const sample = (kind: string, name: string, type: string, given: Uint8Array, word = NO_WORD): SampleFile => {
  const bytes = Buffer.from(given);
  return { kind, name, type, bytes, sha256: hash('sha256', bytes), word };
};

const size = { width: 64, height: 48, channels: 3 } as const;
const paint = (background: string) => sharp({ create: { ...size, background } });

export const makeNote = (word: string): SampleFile =>
  sample('text', 'notes.txt', 'text/plain', Buffer.from(`The word of the day is ${word}.\n`), word);

/** A picture that is nowhere else. */
export async function paintNoise(): Promise<SampleFile> {
  const { width, height, channels } = size;
  const noise = sharp(randomBytes(width * height * channels), { raw: size });
  return sample('PNG', 'noise.png', 'image/png', await noise.png().toBuffer());
}

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

const pdf = buildPdf([['Page one speaks of whales.'], ['Page two of owls.']]);

export const png = sample('PNG', 'a, "quoted" -- picture.png', 'image/png', await paint('#3366cc').png().toBuffer());
export const jpeg = sample('JPEG', 'photo.jpg', 'image/jpeg', await paint('#cc6633').jpeg().toBuffer());

/** One file of each kind, small enough to be forwarded as it is. */
export const samples: readonly SampleFile[] = [
  png,
  jpeg,
  sample('PDF', 'paper.pdf', 'application/pdf', pdf, 'whales'),
  makeNote('heliotrope'),
  sample('audio', 'tone.wav', 'audio/wav', makeTone()),
];
