const headerBytes = 4;

/** Frames in a stream of sound. */
export type CountedFrames = { codec: string; seconds: number };

export type AudioFrameCounter = {
  /** The next bytes of the stream. They are not kept. */
  push(bytes: Buffer): void;
  /** After the last of them. Undefined if there are not two whole frames, one behind the other: a header alone is found in noise, too. */
  end(): CountedFrames | undefined;
};

/** Counts the whole frames of MPEG audio of any layer in a stream that comes in pieces, which may be cut anywhere. */
export function createAudioFrameCounter(): AudioFrameCounter {
  let left: Buffer = Buffer.alloc(0);
  let codec: string | undefined;
  let [frames, seconds] = [0, 0];
  return {
    push(bytes) {
      const joined = Buffer.concat([left, bytes]);
      let at = 0;
      while (at + headerBytes <= joined.length) {
        const frame = readHeader(joined.readUInt32BE(at));
        if (frame === undefined || (codec !== undefined && frame.codec !== codec)) {
          at += 1;
          // A header without a frame behind it was none.
          if (frames === 1) [codec, frames, seconds] = [undefined, 0, 0];
          continue;
        }
        if (at + frame.sizeBytes > joined.length) break;
        codec = frame.codec;
        frames += 1;
        seconds += frame.seconds;
        at += frame.sizeBytes;
      }
      left = joined.subarray(at);
    },
    end: () => (codec !== undefined && frames > 1 ? { codec, seconds } : undefined),
  };
}

type Frame = { codec: string; sizeBytes: number; seconds: number };

const samplesPerSecond = [44_100, 48_000, 32_000];
const kilobits: Record<string, number[]> = {
  mp1: [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  mp2: [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  mp3: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
};
const secondKilobits: Record<string, number[]> = {
  mp1: [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  mp2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  mp3: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};

// MPEG-2 halves the rates, and the samples in a frame of layer III.
function readHeader(word: number): Frame | undefined {
  const codec = [undefined, 'mp3', 'mp2', 'mp1'][(word >>> 17) & 3];
  const version = (word >>> 19) & 3;
  if (word >>> 21 !== 0x7ff || codec === undefined || version === 1) return undefined;
  const isFirst = version === 3;
  const rate = (samplesPerSecond[(word >>> 10) & 3] ?? 0) / (isFirst ? 1 : version === 2 ? 2 : 4);
  const bitsPerSecond = 1000 * ((isFirst ? kilobits : secondKilobits)[codec]?.[(word >>> 12) & 15] ?? 0);
  if (rate === 0 || bitsPerSecond === 0) return undefined;
  const samples = codec === 'mp1' ? 384 : codec === 'mp3' && !isFirst ? 576 : 1152;
  // Sizes are counted in slots, which are four bytes in layer I.
  const slotBytes = codec === 'mp1' ? 4 : 1;
  const slots = Math.floor((samples * bitsPerSecond) / 8 / rate / slotBytes) + ((word >>> 9) & 1);
  return { codec, sizeBytes: slots * slotBytes, seconds: samples / rate };
}
