import { afterAll, expect, it } from 'vitest';
import { drawAnimation, encodePattern } from '../../../__fixtures__/images.ts';
import {
  buildBox,
  type Motion,
  movePng,
  repeatGif,
  repeatWebp,
  setSamples,
} from '../../../__fixtures__/moving-images.ts';
import { readRecordingSample } from '../../../__fixtures__/recordings.ts';
import { createTempFolder } from '../../../__fixtures__/temp-folder.ts';
import { inspectFile } from '../../inspect-file.ts';
import { countFrames } from './count-frames.ts';

const folder = createTempFolder();
afterAll(folder.remove);
const size = { width: 60, height: 40 };

function inspect(content: Uint8Array) {
  const path = folder.write('file', content);
  return inspectFile({ task: 'inspect', path, sizeBytes: content.length, maxPixels: 1_000_000 });
}

const png = (motion: Motion) => async () => movePng(await encodePattern(size, 'png'), motion);
const webp = (frames: number) => async () => repeatWebp(await encodePattern(size, 'webp'), size, frames);
const avif = (samples: number, brand = 'avis') => {
  const file = setSamples(readRecordingSample('animated.avif'), samples);
  return async () => Buffer.from(file.toString('latin1').replace('ftypavis', `ftyp${brand}`), 'latin1');
};

it.each<[string, () => Promise<Buffer>]>([
  ['GIF that is to be repeated', async () => repeatGif(await encodePattern(size, 'gif'))],
  ['WebP of the moving kind', webp(1)],
  ['PNG that announces one', png({ announced: 1, frames: 1, isFirst: true })],
  ['PNG whose only one is not what others show', png({ announced: 1, frames: 1, isFirst: false })],
  ['PNG that announces three', png({ announced: 3, frames: 1, isFirst: true })],
  ['PNG that announces three and has none', png({ announced: 3, frames: 0, isFirst: false })],
  ['AVIF that calls itself a sequence', avif(1)],
])('does not move with one frame: %s [DL-75]', async (_, build) => {
  const reply = await inspect(await build());
  expect(reply).toMatchObject({ status: 'ready', facts: { animated: false } });
  expect(reply).not.toHaveProperty('facts.frames');
});

it.each<[string, number, () => Promise<Buffer>]>([
  ['GIF', 3, () => drawAnimation(size, 3)],
  ['WebP', 3, webp(3)],
  ['PNG', 3, png({ announced: 3, frames: 3, isFirst: true })],
  ['PNG of which others show another picture', 2, png({ announced: 2, frames: 2, isFirst: false })],
  ['AVIF', 10, avif(10)],
  ['AVIF that calls itself by a general name', 10, avif(10, 'mif1')],
])('moves with several frames: %s has %i [DL-75]', async (_, frames, build) => {
  expect(await inspect(await build())).toMatchObject({ status: 'ready', facts: { animated: true, frames } });
});

const track = (handler: string, samples: number) =>
  buildBox('trak', [
    buildBox('mdia', [
      buildBox('hdlr', [Buffer.alloc(8), Buffer.from(handler)]),
      buildBox('minf', [buildBox('stbl', [buildBox('stsz', [Buffer.alloc(8), Buffer.from([0, 0, 0, samples])])])]),
    ]),
  ]);

it.each([
  ['the pictures of its longest track', [track('pict', 1), track('pict', 4), track('auxv', 9), track('soun', 9)], 4],
  ['one where it has no track of pictures', [track('soun', 9)], 1],
  ['an unknown number where more come in fragments', [track('pict', 1), buildBox('mvex', [])], undefined],
])('counts in a sequence %s', (_, boxes, frames) => {
  const brand = buildBox('ftyp', [Buffer.from('msf1\0\0\0\0msf1heic')]);
  const path = folder.write('sequence', Buffer.concat([brand, buildBox('moov', boxes)]));
  expect(countFrames(path, 'image/heic')).toBe(frames);
});
