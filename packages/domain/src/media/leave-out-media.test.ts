import { describe, expect, it } from 'vitest';
import { createMediaHint } from '../file-type/text/media-hint.ts';
import { createMediaOmission } from './leave-out-media.ts';

const png = Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), Buffer.alloc(300, 7)]);
const base64 = png.toString('base64');

function leaveOut(text: string, step = text.length) {
  const omission = createMediaOmission();
  let rest = '';
  for (let at = 0; at < text.length; at += step) rest += omission.push(text.slice(at, at + step));
  return { text: rest + omission.end(), count: omission.count() };
}

describe('files in a text', () => {
  it.each([
    [
      'Markdown',
      `# A\n\n![shot](data:image/png;base64,${base64})\n\nwords`,
      `# A\n\n![shot]([image/png of 316 bytes, left out])\n\nwords`,
    ],
    [
      'a notebook',
      JSON.stringify({ data: { 'image/png': base64 } }),
      '{"data":{"image/png":"[image/png of 316 bytes, left out]"}}',
    ],
    [
      'a mail',
      `Content-Type: image/png\nContent-Transfer-Encoding: base64\n\n${base64.replaceAll(/.{76}/g, '$&\n')}\n\n--b--\n`,
      'Content-Type: image/png\nContent-Transfer-Encoding: base64\n\n[image/png of 316 bytes, left out]\n\n--b--\n',
    ],
  ])('of %s are left out in their places, however it is cut', (_, text, expected) => {
    for (const step of [text.length, 100, 7]) expect(leaveOut(text, step)).toEqual({ text: expected, count: 1 });
    const hint = createMediaHint();
    hint.push(text);
    expect(hint.isFound()).toBe(true);
  });

  it('leave all else to the letter', () => {
    const text = 'commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\ndata: none\n';
    expect(leaveOut(text)).toEqual({ text, count: 0 });
    const hint = createMediaHint();
    hint.push(text);
    expect(hint.isFound()).toBe(false);
  });

  it('are announced by a word that is cut in two as well', () => {
    const hint = createMediaHint();
    hint.push('words iVBORw');
    hint.push('0KGgo and more');
    expect(hint.isFound()).toBe(true);
  });
});
