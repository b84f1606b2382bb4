import type { Part as SdkPart } from '@google/genai';
import { describe, expect, it } from 'vitest';
import { givenParts } from '../__fixtures__/every-part.ts';
import { givenReference, inlineRendering, markOf, urlRendering } from '../__fixtures__/references.ts';
import { describeConverter, type Seen } from '../converter.contract.ts';
import { type GooglePart, googleCarries, projectToGoogle } from './project-to-google.ts';

const txt = givenReference(2, 'text/plain');

const inline = (number: number, mimeType: string) => {
  return { inlineData: { mimeType, data: markOf('base64', givenReference(number, mimeType)) } };
};
const link = (number: number, mimeType: string) => {
  return { fileData: { mimeType, fileUri: markOf('url', givenReference(number, mimeType)) } };
};

describe('projectToGoogle', () => {
  it('gives the parts of the Gemini API, which its SDK takes [SR-04 RP-08]', () => {
    const parts: SdkPart[] = projectToGoogle(givenParts(googleCarries), inlineRendering);
    expect(parts).toEqual([
      { text: 'look' },
      inline(1, 'image/png'),
      { text: `File "a \\"b\\"\\n]c.txt" (text/plain):\n${markOf('text', txt)}` },
      inline(3, 'application/pdf'),
      { text: 'Document "scan.pdf", 2 pages as images, in order:' },
      inline(41, 'image/png'),
      inline(42, 'image/jpeg'),
      inline(5, 'audio/wav'),
      inline(6, 'video/mp4'),
      { text: 'not shown' },
    ]);
  });

  it('gives URLs of images and PDF where they are asked for, and the bytes of sound and video', () => {
    const types = new Set(['image', 'document', 'audio', 'video'] as const);
    expect(projectToGoogle(givenParts(types), urlRendering)).toEqual([
      link(1, 'image/png'),
      link(3, 'application/pdf'),
      inline(5, 'audio/wav'),
      inline(6, 'video/mp4'),
    ]);
  });
});

const forms = { image: 'image', application: 'document', audio: 'audio', video: 'video' } as const;

function formOf(mimeType: string): Seen['form'] {
  return forms[mimeType.split('/')[0] as keyof typeof forms];
}

function readPart(part: GooglePart): Seen {
  if ('text' in part) return { form: 'text', holds: part.text };
  if ('fileData' in part) return { form: formOf(part.fileData.mimeType), holds: part.fileData.fileUri };
  return { form: formOf(part.inlineData.mimeType), holds: part.inlineData.data };
}

const read = (parts: GooglePart[]) => parts.map(readPart);
const common = { carries: googleCarries, convert: projectToGoogle, read, embedsText: false };

describeConverter({ ...common, title: 'to Google', offers: 'base64', wayOf: () => 'base64' });
describeConverter({
  ...common,
  title: 'to Google, images and PDF by URL',
  offers: 'url',
  wayOf: (media) => (media === 'image' || media === 'document' ? 'url' : 'base64'),
});
