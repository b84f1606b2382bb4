import { statSync } from 'node:fs';
import {
  AdtsOutputFormat,
  MkvOutputFormat,
  MovOutputFormat,
  Mp3OutputFormat,
  Mp4OutputFormat,
  MpegTsOutputFormat,
  OggOutputFormat,
  WavOutputFormat,
  WebMOutputFormat,
} from 'mediabunny';
import { afterAll, describe, expect, it } from 'vitest';
import { buildAdpcmWave, buildAiff, buildAmr, buildAvi, buildFlac } from '../../__fixtures__/build-chunks.ts';
import { buildMovie, jpegFrame } from '../../__fixtures__/build-movie.ts';
import { buildMpegAudio, buildMpegVideo, buildProgramStream, buildVideoCd } from '../../__fixtures__/build-mpeg.ts';
import { muxRecording } from '../../__fixtures__/mux-recording.ts';
import { readRecordingSample } from '../../__fixtures__/recordings.ts';
import { createTempFolder } from '../../__fixtures__/temp-folder.ts';
import { inspectFile } from '../inspect-file.ts';

const folder = createTempFolder();
afterAll(folder.remove);

async function inspect(content: Uint8Array) {
  const path = folder.write('file', content);
  const found = await inspectFile({ task: 'inspect', path, sizeBytes: statSync(path).size, maxPixels: 1_000_000 });
  return found.status === 'ready' ? (found.facts.durationMs ?? 'unknown') : found.status;
}

const seconds = 9.6;
const both = { video: 'h264', audio: 'aac' } as const;
const webm = { video: 'vp8', audio: 'opus' } as const;
// A cluster for the whole recording, as of a short one.
const oneCluster = { minimumClusterDuration: 60 };
const stills = (isIndexFirst: boolean) => {
  const frames = Array.from({ length: seconds * 10 }, () => jpegFrame);
  return buildMovie({ brand: 'qt  ', coding: 'jpeg', frames, isIndexFirst });
};
const video = buildMpegVideo(seconds * 1000);
const audio = buildMpegAudio('mp2', seconds * 1000);

/** Recordings of one length, each in a form in which every second takes about as many bytes. */
const recordings: [name: string, build: () => Buffer | Promise<Buffer>][] = [
  ['MP4, index first', () => muxRecording(new Mp4OutputFormat({ fastStart: 'in-memory' }), seconds, both)],
  ['MP4 in fragments', () => muxRecording(new Mp4OutputFormat({ fastStart: 'fragmented' }), seconds, both)],
  [
    'MP4 in one fragment',
    () =>
      muxRecording(new Mp4OutputFormat({ fastStart: 'fragmented', minimumFragmentDuration: 60 }), seconds, {
        video: 'h264',
      }),
  ],
  [
    'QuickTime, index first',
    () => muxRecording(new MovOutputFormat({ fastStart: 'in-memory' }), seconds, { video: 'h264', audio: 'pcm-s16' }),
  ],
  ['QuickTime of Motion JPEG', () => stills(true)],
  ['Matroska', () => muxRecording(new MkvOutputFormat(), seconds, both)],
  ['Matroska of sound in one cluster', () => muxRecording(new MkvOutputFormat(oneCluster), seconds, { audio: 'aac' })],
  ['WebM', () => muxRecording(new WebMOutputFormat(), seconds, webm)],
  [
    'WebM in one cluster',
    () => muxRecording(new WebMOutputFormat(oneCluster), seconds, { ...webm, keyFrameEvery: 1000 }),
  ],
  ['WebM that was streamed', () => muxRecording(new WebMOutputFormat({ appendOnly: true }), seconds, webm)],
  [
    'WebM that was streamed in one cluster',
    () =>
      muxRecording(new WebMOutputFormat({ ...oneCluster, appendOnly: true }), seconds, {
        ...webm,
        keyFrameEvery: 1000,
      }),
  ],
  ['Ogg', () => muxRecording(new OggOutputFormat(), seconds, { audio: 'opus' })],
  [
    'Ogg in long pages',
    () => muxRecording(new OggOutputFormat({ maximumPageDuration: 60 }), seconds, { audio: 'opus' }),
  ],
  ['WAV', () => muxRecording(new WavOutputFormat(), seconds, { audio: 'pcm-s16' })],
  ['WAV of ADPCM', () => buildAdpcmWave(seconds)],
  ['AIFF', () => buildAiff(seconds, 'AIFF')],
  ['AIFC', () => buildAiff(seconds, 'AIFC')],
  ['AVI', () => buildAvi(seconds)],
  ['MP3 whose first frame counts the others', () => muxRecording(new Mp3OutputFormat(), seconds, { audio: 'mp3' })],
  ['MP3', () => buildMpegAudio('mp3', seconds * 1000)],
  ['layer II', () => audio],
  ['layer I', () => buildMpegAudio('mp1', seconds * 1000)],
  ['AAC', () => muxRecording(new AdtsOutputFormat(), seconds, { audio: 'aac' })],
  ['FLAC', () => buildFlac(seconds, 4096)],
  ['AMR', () => buildAmr(seconds)],
  ['bare MPEG video', () => video],
  ['an MPEG program', () => buildProgramStream({ video, audio })],
  ['an MPEG-2 program', () => buildProgramStream({ video, audio, isSecond: true })],
  ['a Video CD', () => buildVideoCd(buildProgramStream({ video, audio }))],
  [
    'an MPEG transport stream',
    () => muxRecording(new MpegTsOutputFormat(), seconds, { video: 'h264-ts', audio: 'aac' }),
  ],
];

describe('a recording that was cut off', () => {
  it.each(recordings)('is as long as what is left: %s [DL-75]', async (_, build) => {
    const content = await build();
    const whole = await inspect(content);
    expect(Math.abs(Number(whole) / 1000 / seconds - 1)).toBeLessThan(0.02);
    for (const kept of [0.6, 0.85]) {
      const left = await inspect(content.subarray(0, Math.floor(content.length * kept)));
      expect(Math.abs(Number(left) / 1000 / (seconds * kept) - 1)).toBeLessThan(0.15);
    }
  });

  it('counts a frame of FLAC by the share of it that is left', async () => {
    const content = buildFlac(1.486, 32_768);
    expect(await inspect(content)).toBeCloseTo(1486, -1);
    expect(await inspect(Buffer.concat([content, Buffer.from('TAG'), Buffer.alloc(125)]))).toBeCloseTo(1486, -1);
    expect(await inspect(content.subarray(0, Math.floor(content.length * 0.6)))).toBeCloseTo(850, -2);
    expect(await inspect(content.subarray(0, Math.floor(content.length * 0.4)))).toBe('unknown');
  });

  it('has no picture of MPEG whose slices are not all there', async () => {
    const pictures = buildMpegVideo(80);
    expect(await inspect(pictures)).toBe(80);
    expect(await inspect(pictures.subarray(0, Math.floor(pictures.length * 0.6)))).toBe(40);
  });

  it.each(['mpeg-ts.trp', 'webm-vp9.webm', 'mkv-live.mkv', 'ogg-opus.opus', 'mp4-h264-faststart.mp4'])(
    'is never longer than with more of its bytes: %s',
    async (name) => {
      const content = readRecordingSample(name);
      const lengths: number[] = [];
      for (let kept = 0.4; kept < 1; kept += 0.05) {
        lengths.push(Number(await inspect(content.subarray(0, Math.floor(content.length * kept)))));
      }
      expect(lengths).toEqual(lengths.toSorted((one, other) => one - other));
      expect(lengths[0]).toBeLessThan(lengths.at(-1) ?? 0);
    },
  );

  it.each<[string, () => Buffer | Promise<Buffer>]>([
    ['MP4', () => muxRecording(new Mp4OutputFormat({ fastStart: false }), seconds, both)],
    ['QuickTime', () => stills(false)],
  ])('is none where its index is at the end: %s', async (_, build) => {
    const content = await build();
    expect(Math.abs(Number(await inspect(content)) / 1000 / seconds - 1)).toBeLessThan(0.02);
    expect(await inspect(content.subarray(0, Math.floor(content.length * 0.6)))).toBe('rejected');
  });
});
