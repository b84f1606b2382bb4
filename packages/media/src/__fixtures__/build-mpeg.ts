/** Bytes of one frame and its time, at 48 kHz and 128 kbit/s. */
const audioLayers = {
  mp1: { header: [0xff, 0xff, 0x44, 0xc0], frameBytes: 128, frameMs: 8 },
  mp2: { header: [0xff, 0xfd, 0x84, 0xc0], frameBytes: 384, frameMs: 24 },
  mp3: { header: [0xff, 0xfb, 0x94, 0xc0], frameBytes: 384, frameMs: 24 },
};
export type AudioLayer = keyof typeof audioLayers;

/** Silent frames of MPEG-1 audio of a layer. */
export function buildMpegAudio(layer: AudioLayer, durationMs: number): Buffer {
  const { header, frameBytes, frameMs } = audioLayers[layer];
  const frame = Buffer.concat([Buffer.from(header), Buffer.alloc(frameBytes - header.length)]);
  return Buffer.concat(Array.from({ length: durationMs / frameMs }, () => frame));
}
