import { projectionFormats } from '@attache/contracts';
import { describe, expect, it } from 'vitest';
import { givenParts } from './__fixtures__/every-part.ts';
import { inlineRendering } from './__fixtures__/references.ts';
import { projectParts } from './project-parts.ts';

describe('projectParts', () => {
  it.each(projectionFormats)('converts to %s: one block for each part that every format carries', (format) => {
    const parts = givenParts(new Set(['text', 'image', 'text-file', 'descriptor']));
    const blocks = projectParts(format, parts, inlineRendering);
    expect(blocks).toHaveLength(parts.length);
    expect(JSON.parse(JSON.stringify(blocks))).toEqual(blocks);
  });

  it('gives ACP text files in blocks of their own', () => {
    const [block] = projectParts('acp', givenParts(new Set(['text-file'])), inlineRendering);
    expect(block).toMatchObject({ type: 'resource' });
  });
});
