import {
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  EncodedVideoPacketSource,
  Output,
  type OutputFormat,
} from 'mediabunny';

const bytesOf = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));

function fill(sizeBytes: number, start: string): Uint8Array {
  const bytes = new Uint8Array(sizeBytes).fill(0x5a);
  bytes.set(bytesOf(start));
  return bytes;
}

const picture = { codedWidth: 160, codedHeight: 96 };
const sequence = '6742c01ed902826c8440';
const parameters = '68ce3880';

/** Ten pictures in a second, each of the same size. */
const videoCodings = {
  h264: {
    codec: 'avc',
    frame: fill(400, '0000018c 65'),
    config: {
      ...picture,
      codec: 'avc1.42c01e',
      description: bytesOf(`0142c01effe1000a${sequence}010004${parameters}`),
    },
  },
  // As transport streams have it: with start codes.
  'h264-ts': {
    codec: 'avc',
    frame: fill(400, `00000001${sequence} 00000001${parameters} 00000001 65`),
    config: { ...picture, codec: 'avc1.42c01e' },
  },
  vp8: { codec: 'vp8', frame: fill(400, '100000 9d012a a0006000'), config: { ...picture, codec: 'vp8' } },
} as const;

const sound = { numberOfChannels: 1, sampleRate: 48_000 };
const audioCodings = {
  aac: {
    frame: fill(100, '21'),
    frameSeconds: 1024 / 48_000,
    config: { ...sound, codec: 'mp4a.40.2', description: bytesOf('1188') },
  },
  opus: {
    frame: fill(100, '08'),
    frameSeconds: 0.02,
    config: { ...sound, codec: 'opus', description: bytesOf('4f707573486561640101 3801 80bb0000 0000 00') },
  },
  mp3: { frame: fill(384, 'fffb94c0 00'), frameSeconds: 0.024, config: { ...sound, codec: 'mp3' } },
  'pcm-s16': { frame: fill(9600, '00'), frameSeconds: 0.1, config: { ...sound, codec: 'pcm-s16' } },
} as const;

type Tracks = { video?: keyof typeof videoCodings; audio?: keyof typeof audioCodings; keyFrameEvery?: number };

/** A recording in a container: pictures and sound take turns, a tenth of a second each. */
export async function muxRecording(format: OutputFormat, seconds: number, tracks: Tracks): Promise<Buffer> {
  const target = new BufferTarget();
  const output = new Output({ format, target });
  const video = tracks.video && videoCodings[tracks.video];
  const audio = tracks.audio && audioCodings[tracks.audio];
  const pictures = video && new EncodedVideoPacketSource(video.codec);
  const sounds = tracks.audio && new EncodedAudioPacketSource(tracks.audio);
  if (pictures) output.addVideoTrack(pictures, { frameRate: 10 });
  if (sounds) output.addAudioTrack(sounds);
  await output.start();
  let heard = 0;
  for (let shown = 0; shown < seconds * 10; shown += 1) {
    const type = shown % (tracks.keyFrameEvery ?? 10) === 0 ? 'key' : 'delta';
    if (video)
      await pictures?.add(new EncodedPacket(video.frame, type, shown / 10, 0.1), { decoderConfig: video.config });
    for (; audio && heard * audio.frameSeconds < (shown + 1) / 10 - 1e-9; heard += 1) {
      const packet = new EncodedPacket(audio.frame, 'key', heard * audio.frameSeconds, audio.frameSeconds);
      await sounds?.add(packet, { decoderConfig: audio.config });
    }
  }
  await output.finalize();
  return Buffer.from(target.buffer ?? new ArrayBuffer(0));
}
