const latin1 = (text: string) => Buffer.from(text, 'latin1');
const little = (...values: number[]) => Buffer.from(Uint32Array.from(values).buffer);

function chunk(id: string, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([latin1(id), little(body.length), body, Buffer.alloc(body.length % 2)]);
}

function bigChunk(id: string, ...content: Buffer[]): Buffer {
  const whole = chunk(id, ...content);
  whole.subarray(4, 8).reverse();
  return whole;
}

const repeat = (count: number, piece: Buffer) => Buffer.concat(Array.from({ length: count }, () => piece));

/** AVI of Motion JPEG, ten pictures in a second, with an index at its end. */
export function buildAvi(seconds: number): Buffer {
  const frames = seconds * 10;
  const header = Buffer.concat([latin1('vidsMJPG'), little(0, 0, 0, 1, 10, 0, frames, 400, 0, 0), little(0, 0)]);
  const format = Buffer.concat([little(40, 160, 96, 0x180001), latin1('MJPG'), little(46_080, 0, 0, 0, 0)]);
  const stream = chunk('LIST', latin1('strl'), chunk('strh', header), chunk('strf', format));
  const main = chunk('avih', little(100_000, 0, 0, 0x10, frames, 0, 1, 400, 160, 96, 0, 0, 0, 0));
  const picture = chunk('00dc', Buffer.from('ffd8ffdb', 'hex'), Buffer.alloc(396, 0x42));
  const movie = chunk('LIST', latin1('movi'), repeat(frames, picture));
  const index = chunk('idx1', repeat(frames, Buffer.concat([latin1('00dc'), little(16, 4, 400)])));
  return chunk('RIFF', latin1('AVI '), chunk('LIST', latin1('hdrl'), main, stream), movie, index);
}

/** WAV in a coding by blocks, of 505 samples in 256 bytes. */
export function buildAdpcmWave(seconds: number): Buffer {
  const format = Buffer.from('1100 0100 401f0000 d70f0000 0001 0400 0200 f901'.replaceAll(' ', ''), 'hex');
  const blocks = Math.round((seconds * 8000) / 505);
  return chunk('RIFF', latin1('WAVE'), chunk('fmt ', format), chunk('data', Buffer.alloc(blocks * 256)));
}

/** AIFF of 8000 samples of 16 bits in a second; AIFC in a coding of blocks, which has a header for every 64 samples. */
export function buildAiff(seconds: number, coding: 'AIFF' | 'AIFC'): Buffer {
  const isPlain = coding === 'AIFF';
  const frames = isPlain ? seconds * 8000 : (seconds * 8000) / 64;
  const rate = Buffer.from(isPlain ? '400bfa00000000000000' : '4005fa00000000000000', 'hex');
  const common = Buffer.concat([Buffer.from([0, 1, 0, 0, 0, 0, 0, 16]), rate, latin1(isPlain ? '' : 'ima4\0\0')]);
  common.writeUInt32BE(frames, 2);
  const sound = Buffer.alloc(frames * (isPlain ? 2 : 34));
  return bigChunk('FORM', latin1(coding), bigChunk('COMM', common), bigChunk('SSND', Buffer.alloc(8), sound));
}

/** AMR, fifty frames in a second. */
export function buildAmr(seconds: number): Buffer {
  return Buffer.concat([
    latin1('#!AMR\n'),
    repeat(seconds * 50, Buffer.concat([Buffer.from([0x3c]), Buffer.alloc(31)])),
  ]);
}

/** FLAC, whose header states the samples of the whole. */
export function buildFlac(seconds: number, samplesPerFrame: 4096 | 32_768): Buffer {
  const frames = Math.round((seconds * 44_100) / samplesPerFrame);
  const information = Buffer.from('100010000000000000000ac440f000000000', 'hex');
  information.writeUInt16BE(samplesPerFrame, 0);
  information.writeUInt16BE(samplesPerFrame, 2);
  information.writeUInt32BE(frames * samplesPerFrame, 14);
  const numbered = Array.from({ length: frames }, (_, index) => {
    const header = Buffer.from([0xff, 0xf8, samplesPerFrame === 4096 ? 0xc9 : 0xf9, 0x08, index]);
    const frame = Buffer.concat([header, checkSum(header, 8, 0x07), Buffer.alloc(400, 0x11)]);
    return Buffer.concat([frame, checkSum(frame, 16, 0x8005)]);
  });
  return Buffer.concat([latin1('fLaC'), Buffer.from([0x80, 0, 0, 34]), information, Buffer.alloc(16), ...numbered]);
}

function checkSum(bytes: Buffer, bits: 8 | 16, polynomial: number): Buffer {
  const highest = 1 << (bits - 1);
  let sum = 0;
  for (const byte of bytes) {
    sum ^= byte << (bits - 8);
    for (let bit = 0; bit < 8; bit += 1) sum = (sum & highest ? (sum << 1) ^ polynomial : sum << 1) & (2 * highest - 1);
  }
  return bits === 8 ? Buffer.from([sum]) : Buffer.from([sum >> 8, sum & 0xff]);
}
