import { statSync } from 'node:fs';
import { labelFile } from '@attache/domain';
import { afterAll, describe, expect, it } from 'vitest';
import { buildMpegAudio, buildMpegVideo, buildProgramStream, buildVideoCd } from '../../../__fixtures__/build-mpeg.ts';
import { createTempFolder } from '../../../__fixtures__/temp-folder.ts';
import { inspectFile } from '../../inspect-file.ts';

const folder = createTempFolder();
afterAll(folder.remove);

function inspect(content: Uint8Array) {
  const path = folder.write('file', content);
  return inspectFile({ task: 'inspect', path, sizeBytes: statSync(path).size, maxPixels: 1_000_000 });
}

describe('MPEG-1', () => {
  const [video, audio] = [buildMpegVideo(2000), buildMpegAudio('mp2', 1992)];
  const facts = { width: 352, height: 240, videoCodec: 'mpeg1', durationMs: 2000 };

  it.each<[string, Buffer, object]>([
    ['bare video', video, { ...facts, container: 'mpeg-video' }],
    ['a program of pictures', buildProgramStream({ video }), { ...facts, container: 'mpeg-ps' }],
    [
      'the stream of a Video CD',
      buildProgramStream({ video, audio }),
      { ...facts, container: 'mpeg-ps', audioCodec: 'mp2' },
    ],
    [
      'a program of sound',
      buildProgramStream({ audio }),
      { container: 'mpeg-ps', audioCodec: 'mp2', durationMs: 1992 },
    ],
    [
      'the sectors of a Video CD',
      buildVideoCd(buildProgramStream({ video, audio })),
      { ...facts, container: 'mpeg-ps', audioCodec: 'mp2' },
    ],
    [
      'packets as of MPEG-2',
      buildProgramStream({ video, audio, isSecond: true }),
      { ...facts, container: 'mpeg-ps', audioCodec: 'mp2' },
    ],
  ])('is a recording: %s [SR-14]', async (_, content, expected) => {
    expect(labelFile(content, {})).toBe('video/mpeg');
    expect(await inspect(content)).toEqual({ status: 'ready', mimeType: 'video/mpeg', facts: expected, warnings: [] });
  });

  it('has no pictures in its sound', async () => {
    const frame = buildMpegAudio('mp2', 24);
    frame.set(Buffer.from('000001000008fff8', 'hex'), 100);
    const odd = Buffer.concat(Array.from({ length: 83 }, () => frame));
    expect(await inspect(buildProgramStream({ video, audio: odd }))).toMatchObject({ facts });
  });
});
