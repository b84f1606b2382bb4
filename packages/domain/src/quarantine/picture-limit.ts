import type { WireRequest } from '../receipt/wire-facts.ts';
import type { PictureLimit } from './refusal-meaning.ts';
import { digestsOf, listSentPictures, type WireFile } from './wire-files.ts';

/** The pictures of a request that are above a limit: of too many the oldest ones, by where they come last. */
export function listAbove(limit: PictureLimit, blocks: WireRequest['blocks']): readonly string[] {
  const pictures = listSentPictures(blocks);
  if (limit.of === 'sides')
    return pictures.length <= limit.moreThan
      ? []
      : digestsOf(pictures.filter((each) => isLonger(each, limit.maxPixels)));
  let left = pictures.length;
  const oldestFirst = digestsOf(pictures.toReversed()).toReversed();
  return oldestFirst.filter((sha256) => {
    const isAbove = left > limit.max;
    if (isAbove) left -= pictures.filter((each) => each.sha256 === sha256).length;
    return isAbove;
  });
}

const isLonger = ({ width = 0, height = 0 }: WireFile, pixels: number): boolean => Math.max(width, height) > pixels;
