import { describeConverter, type Seen } from '@attache/projections/contract';
import { givenParts } from '@attache/projections/fixtures/every-part';
import { givenReference, inlineRendering, markOf } from '@attache/projections/fixtures/references';
import { describe, expect, it } from 'vitest';
import { type PiPrompt, piCarries, projectToPi } from './project-to-pi.ts';

const image = (number: number, mimeType: string) => {
  return { type: 'image', data: markOf('base64', givenReference(number, mimeType)), mimeType };
};

describe('projectToPi', () => {
  it('gives one message and, apart from it, the images [SR-04 RP-08]', () => {
    expect(projectToPi(givenParts(piCarries), inlineRendering)).toEqual({
      type: 'prompt',
      message: [
        'look',
        `File "a \\"b\\"\\n]c.txt" (text/plain):\n${markOf('text', givenReference(2, ''))}`,
        'Document "scan.pdf", 2 pages as images, in order:',
        'not shown',
      ].join('\n\n'),
      images: [image(1, 'image/png'), image(41, 'image/png'), image(42, 'image/jpeg')],
    });
  });
});

describeConverter({
  title: 'to pi',
  offers: 'base64',
  carries: piCarries,
  convert: projectToPi,
  read: ({ message, images }: PiPrompt): Seen[] => [
    { form: 'text', holds: message },
    ...images.map(({ data }): Seen => ({ form: 'image', holds: data })),
  ],
  wayOf: () => 'base64',
  embedsText: false,
  gathers: true,
});
