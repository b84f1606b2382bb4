import { statSync } from 'node:fs';
import { classifyMediaType, labelFile } from '@attache/domain';
import { afterAll, describe, expect, it } from 'vitest';
import { buildCodingBox, buildMovie, jpegFrame, jpegFrameB } from '../../__fixtures__/build-movie.ts';
import { type AudioLayer, buildMpegAudio } from '../../__fixtures__/build-mpeg.ts';
import {
  cutRecordings,
  pathOfRecording,
  type RecordingSample,
  readRecordingSample,
  recordingSamples,
} from '../../__fixtures__/recordings.ts';
import { createTempFolder } from '../../__fixtures__/temp-folder.ts';
import { inspectFile } from '../inspect-file.ts';
import { isRecordingType } from './read-recording.ts';

const folder = createTempFolder();
afterAll(folder.remove);

const inspectPath = (path: string) =>
  inspectFile({ task: 'inspect', path, sizeBytes: statSync(path).size, maxPixels: 1_000_000 });
const inspect = (content: Uint8Array) => inspectPath(folder.write('file', content));

// Reproducible bytes without any order.
function makeNoise(length: number, seed = 1): Buffer {
  let state = seed;
  return Buffer.from(
    Array.from({ length }, () => {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0;
      return state >>> 24;
    }),
  );
}

async function checkSample({ name, mimeType, durationMs, video, audio }: RecordingSample): Promise<void> {
  const found = await inspectPath(pathOfRecording(name));
  expect(found).toMatchObject({ status: 'ready', mimeType, warnings: [] });
  const facts = found.status === 'ready' ? found.facts : {};
  expect(Math.abs((facts.durationMs ?? 0) - durationMs) / durationMs).toBeLessThan(0.02);
  expect({ video: facts.videoCodec, audio: facts.audioCodec }).toEqual({ video, audio });
  expect(facts.container).toMatch(/^[a-z0-9-]{3,9}$/);
  if (video === undefined) expect(facts.width).toBeUndefined();
  else expect(facts.width).toBe(name.includes('turned') ? 48 : name.includes('h263') ? 128 : 64);
}

describe('facts of sound and video', () => {
  it.each(recordingSamples)('are those of the frames of $name [SR-14 DL-75 DL-15]', checkSample);

  it.each(cutRecordings)('are those of what is left where $name was cut off [DL-75]', checkSample);

  it('are few bytes of samples, in many forms', () => {
    const sizes = [...recordingSamples, ...cutRecordings].map(({ name }) => statSync(pathOfRecording(name)).size);
    expect(sizes.length).toBeGreaterThan(50);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(1_000_000);
  });
});

describe('MPEG audio', () => {
  // A tag of ID3 whose title is of zeros.
  const tag = Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\0\x14TIT2\0\0\0\x0a\0\0', 'latin1'), Buffer.alloc(10)]);
  const layers: [AudioLayer, string][] = [
    ['mp1', 'audio/mp1'],
    ['mp2', 'audio/mp2'],
    ['mp3', 'audio/mpeg'],
  ];

  it.each(layers)('is named by the layer in its frames: %s [SR-14]', async (layer, mimeType) => {
    const facts = { container: layer, audioCodec: layer, durationMs: 1200 };
    const frames = buildMpegAudio(layer, 1200);
    for (const content of [frames, Buffer.concat([tag, frames])]) {
      expect(labelFile(content, {})).toBe(mimeType);
      expect(await inspect(content)).toEqual({ status: 'ready', mimeType, facts, warnings: [] });
    }
  });
});

describe('Motion JPEG in QuickTime', () => {
  const facts = { container: 'quicktime', width: 160, height: 96, videoCodec: 'mjpeg', durationMs: 2000 };
  const buildFilm = (coding: string, frame: Buffer) =>
    buildMovie({ brand: 'qt  ', coding, frames: Array.from({ length: 20 }, () => frame), isIndexFirst: false });

  it.each([
    ['jpeg', jpegFrame],
    ['mjpa', jpegFrame],
    ['mjpb', jpegFrameB],
  ])('is a recording: %s [SR-14]', async (coding, frame) => {
    const film = buildFilm(coding, frame);
    expect(await inspect(film)).toEqual({ status: 'ready', mimeType: 'video/quicktime', facts, warnings: [] });
  });

  it('is none of noise in the place of the frames [S10 DL-10]', async () => {
    expect(await inspect(buildFilm('jpeg', makeNoise(300)))).toMatchObject({ status: 'rejected' });
  });

  it('is named in MP4, too, which calls it MPEG-4', async () => {
    const frames = Array.from({ length: 20 }, () => jpegFrame);
    const details = buildCodingBox(0x6c);
    const film = buildMovie({ brand: 'isom', coding: 'mp4v', details, frames, isIndexFirst: true });
    expect(await inspect(film)).toMatchObject({ mimeType: 'video/mp4', facts: { ...facts, container: 'mp4' } });
  });
});

// Formats without a checksum or a frame to verify: noise passes as sound.
const isPlainSamples = (name: string) => /^(?:cut-)?(?:wav|aiff)/.test(name);

describe('a file without one whole frame', () => {
  it.each(recordingSamples)('is no recording: the beginning of $name alone', async ({ name }) => {
    for (const kept of [12, 24, 36]) {
      await expectNoRecording(readRecordingSample(name).subarray(0, kept));
    }
  });

  it.each(recordingSamples.filter(({ name }) => !isPlainSamples(name)))(
    'is no recording: noise behind the beginning of $name [S10 DL-10]',
    async ({ name }) => {
      const whole = readRecordingSample(name);
      for (const kept of [8, 16, 32, 48]) {
        await expectNoRecording(Buffer.concat([whole.subarray(0, kept), makeNoise(5000, kept)]));
      }
    },
  );

  it.each(['mp4-h264-faststart.mp4', 'cut-mp4.mp4'])(
    'is no video: noise in the place of the frames of %s',
    async (name) => {
      const whole = readRecordingSample(name);
      const frames = whole.indexOf('mdat') + 4;
      const noisy = Buffer.concat([whole.subarray(0, frames), makeNoise(whole.length - frames)]);
      expect(await inspect(noisy)).toMatchObject({ status: 'rejected', problem: { code: 'attachment_corrupt' } });
    },
  );
});

async function expectNoRecording(content: Buffer): Promise<void> {
  const found = await inspect(content);
  if (found.status === 'rejected') expect(found.problem.code).toBe('attachment_corrupt');
  else expect(found.mimeType).toMatch(/^application\/octet-stream$/);
}

describe('types of sound and video', () => {
  const types = ['audio', 'video'].flatMap((top) =>
    ['mp4', '3gpp', '3gpp2', 'webm', 'x-matroska', 'mpeg', 'aac', 'flac', 'wav', 'ogg', 'aiff', 'amr', 'x-msvideo']
      .concat('quicktime', 'mp2t', 'midi', 'x-ms-asf', 'x-flv', 'basic', 'x-ape')
      .map((sub) => `${top}/${sub}`),
  );

  it('are a kind of their own only where there is a reader for them [RP-10]', () => {
    const kinds = types.filter((type) => ['audio', 'video'].includes(classifyMediaType(type)));
    expect(kinds.filter((type) => !isRecordingType(type))).toEqual([]);
    expect(kinds.length).toBeGreaterThan(15);
  });

  it('of which there is none get a label and the kind unsupported [SR-29]', async () => {
    const found = await inspectPath(pathOfRecording('wma.wma'));
    expect(found).toMatchObject({ status: 'ready', mimeType: 'video/x-ms-asf', facts: {} });
    expect(classifyMediaType('video/x-ms-asf')).toBe('unsupported');
  });
});
