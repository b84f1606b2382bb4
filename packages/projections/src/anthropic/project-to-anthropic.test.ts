import type { ContentBlockParam } from '@anthropic-ai/sdk/resources/messages';
import { describe, expect, it } from 'vitest';
import { givenParts } from '../__fixtures__/every-part.ts';
import { readAnthropicBlock } from '../__fixtures__/read-anthropic-block.ts';
import { givenReference, inlineRendering, markOf, urlRendering } from '../__fixtures__/references.ts';
import { describeConverter } from '../converter.contract.ts';
import { type AnthropicBlock, anthropicCarries, projectToAnthropic } from './project-to-anthropic.ts';

const png = givenReference(1, 'image/png');
const txt = givenReference(2, 'text/plain');
const pdf = givenReference(3, 'application/pdf');
const [pageOne, pageTwo] = [givenReference(41, 'image/png'), givenReference(42, 'image/jpeg')];

describe('projectToAnthropic', () => {
  it('gives the blocks of the Messages API, which its SDK takes [SR-04 RP-08]', () => {
    const blocks: ContentBlockParam[] = projectToAnthropic(givenParts(anthropicCarries), inlineRendering);
    const base64 = (reference: typeof png) => {
      return { type: 'base64', media_type: reference.mimeType, data: markOf('base64', reference) };
    };
    expect(blocks).toEqual([
      { type: 'text', text: 'look' },
      { type: 'image', source: base64(png) },
      {
        type: 'document',
        title: 'a "b"\n]c.txt',
        source: { type: 'text', media_type: 'text/plain', data: markOf('text', txt) },
      },
      { type: 'document', title: 'report.pdf', source: base64(pdf) },
      { type: 'text', text: 'Document "scan.pdf", 2 pages as images, in order:' },
      { type: 'image', source: base64(pageOne) },
      { type: 'image', source: base64(pageTwo) },
      { type: 'text', text: 'not shown' },
    ]);
  });

  it('gives URLs of images and PDF where they are asked for; the text of a file stays inside', () => {
    const url = (reference: typeof png) => ({ type: 'url', url: markOf('url', reference) });
    const blocks = projectToAnthropic(givenParts(new Set(['image', 'text-file', 'document'])), urlRendering);
    expect(blocks).toEqual([
      { type: 'image', source: url(png) },
      expect.objectContaining({ source: { type: 'text', media_type: 'text/plain', data: markOf('text', txt) } }),
      { type: 'document', title: 'report.pdf', source: url(pdf) },
    ]);
  });

  it('calls text text/plain, whatever kind of text it is [RP-08]', () => {
    const json = givenReference(8, 'application/json');
    const [block] = projectToAnthropic([{ type: 'text-file', bytes: json, name: 'a.json' }], inlineRendering);
    expect(block).toMatchObject({ title: 'a.json', source: { type: 'text', media_type: 'text/plain' } });
  });

  it.each(['image/heic', 'text/plain', 'application/pdf'])('never makes an image block of %s [DL-97]', (mimeType) => {
    const bytes = givenReference(9, mimeType);
    expect(() => projectToAnthropic([{ type: 'image', bytes }], inlineRendering)).toThrow('takes no image of type');
  });
});

const read = (blocks: AnthropicBlock[]) => blocks.map(readAnthropicBlock);
const common = { carries: anthropicCarries, convert: projectToAnthropic, read, embedsText: true };

describeConverter({ ...common, title: 'to Anthropic', offers: 'base64', wayOf: () => 'base64' });
describeConverter({ ...common, title: 'to Anthropic, by URL', offers: 'url', wayOf: () => 'url' });
