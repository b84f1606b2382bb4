import { partSchema } from '@attache/contracts';
import { describe, expect, it } from 'vitest';
import { partTypes } from './__fixtures__/every-part.ts';
import { givenReference } from './__fixtures__/references.ts';
import { defineFormat, refusePart } from './part-format.ts';

const format = defineFormat('silent', 'text', 'image', 'document');
const bytes = givenReference(1, 'audio/wav');

describe('refusePart', () => {
  it('names the format and the part', () => {
    const refuse = () => refusePart(format, { type: 'audio', bytes, name: 'a.wav' });
    expect(refuse).toThrow(`silent has no way in for the audio part of ${bytes.attachmentId}`);
  });

  it('is kept by the compiler from parts that the format says it carries [DL-22]', () => {
    // @ts-expect-error -- a document is carried, so it may not be refused.
    expect(() => refusePart(format, { type: 'document', bytes, name: 'a.pdf' })).toThrow();
  });
});

it('is tried with every kind of part that there is [DL-22]', () => {
  expect(partTypes).toEqual(partSchema.options.map((option) => option.shape.type.value));
});
