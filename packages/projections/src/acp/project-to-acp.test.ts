import type { ContentBlock } from '@agentclientprotocol/sdk';
import { describe, expect, it } from 'vitest';
import { givenParts } from '../__fixtures__/every-part.ts';
import { attachmentId, givenReference, inlineRendering, markOf, urlRendering } from '../__fixtures__/references.ts';
import { describeConverter, type Seen } from '../converter.contract.ts';
import { type AcpBlock, acpCarries, projectToAcp } from './project-to-acp.ts';

const txt = givenReference(2, 'text/plain');
const pdf = givenReference(3, 'application/pdf');
const media = (type: 'image' | 'audio', number: number, mimeType: string) => {
  return { type, mimeType, data: markOf('base64', givenReference(number, mimeType)) };
};

describe('projectToAcp', () => {
  it('gives blocks of the protocol, which its SDK takes [SR-04 RP-08]', () => {
    const blocks: ContentBlock[] = projectToAcp(givenParts(acpCarries), inlineRendering, { embedsText: true });
    const textUri = `attachment:${attachmentId(2)}/a%20%22b%22%0A%5Dc.txt`;
    const pdfUri = `attachment:${attachmentId(3)}/report.pdf`;
    expect(URL.canParse(textUri)).toBe(true);
    expect(blocks).toEqual([
      { type: 'text', text: 'look' },
      media('image', 1, 'image/png'),
      { type: 'resource', resource: { uri: textUri, mimeType: 'text/plain', text: markOf('text', txt) } },
      { type: 'resource', resource: { uri: pdfUri, mimeType: 'application/pdf', blob: markOf('base64', pdf) } },
      { type: 'text', text: 'Document "scan.pdf", 2 pages as images, in order:' },
      media('image', 41, 'image/png'),
      media('image', 42, 'image/jpeg'),
      media('audio', 5, 'audio/wav'),
      { type: 'text', text: 'not shown' },
    ]);
  });

  it('puts a text file under a header where the agent takes no resources [RP-08]', () => {
    const blocks = projectToAcp(givenParts(new Set(['text-file'])), inlineRendering, { embedsText: false });
    const text = `File "a \\"b\\"\\n]c.txt" (text/plain):\n${markOf('text', txt)}`;
    expect(blocks).toEqual([{ type: 'text', text }]);
  });

  it('takes a name that is no Unicode text', () => {
    const part = { type: 'document', bytes: pdf, name: '\ud800/../x' } as const;
    const [block] = projectToAcp([part], inlineRendering, { embedsText: true });
    expect(block).toMatchObject({ resource: { uri: `attachment:${attachmentId(3)}/%EF%BF%BD%2F..%2Fx` } });
  });
});

function readBlock(block: AcpBlock): Seen {
  if (block.type === 'text') return { form: 'text', holds: block.text };
  if (block.type !== 'resource') return { form: block.type, holds: block.data };
  const { resource } = block;
  const [kind = ''] = resource.mimeType.split('/');
  if (kind === 'image' || kind === 'audio') return { form: kind, holds: 'blob' in resource ? resource.blob : '' };
  return 'text' in resource ? { form: 'text-file', holds: resource.text } : { form: 'document', holds: resource.blob };
}

for (const [title, options] of [
  ['to an ACP agent', { embedsText: true }],
  ['to an ACP agent that takes no resources of text', { embedsText: false }],
  ['to an ACP agent that loses media beside a resource', { embedsText: true, embedsMedia: true }],
] as const) {
  describeConverter({
    title,
    // There is no URL form: URLs that are offered are not used.
    offers: 'url',
    carries: acpCarries,
    convert: (parts, rendering) => projectToAcp(parts, rendering, options),
    read: (blocks: AcpBlock[]) => blocks.map(readBlock),
    wayOf: () => 'base64',
    embedsText: options.embedsText,
  });
}

it('never gives a URL', () => {
  const parts = givenParts(acpCarries);
  const options = { embedsText: true };
  expect(projectToAcp(parts, urlRendering, options)).toEqual(projectToAcp(parts, inlineRendering, options));
});
