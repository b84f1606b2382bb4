import { describeConverter, type Seen } from '@attache/projections/contract';
import { givenParts } from '@attache/projections/fixtures/every-part';
import {
  givenReference,
  inlineRendering,
  markOf,
  pathRendering,
  readDataUrl,
} from '@attache/projections/fixtures/references';
import type { FilePartInput, TextPartInput } from '@opencode-ai/sdk';
import { describe, expect, it } from 'vitest';
import { type OpencodePart, opencodeMessageCarries, projectToOpencodeMessage } from './project-to-opencode-message.ts';

const txt = givenReference(2, 'text/plain');
const dataUrl = (number: number, mimeType: string) => {
  return `data:${mimeType};base64,${markOf('base64', givenReference(number, mimeType))}`;
};
const file = (number: number, mime: string) => ({ type: 'file', mime, url: dataUrl(number, mime) });

describe('projectToOpencodeMessage', () => {
  it('gives parts of a message, which its SDK takes [SR-04 RP-08]', () => {
    const all = givenParts(opencodeMessageCarries);
    const parts: (TextPartInput | FilePartInput)[] = projectToOpencodeMessage(all, inlineRendering);
    expect(parts).toEqual([
      { type: 'text', text: 'look' },
      file(1, 'image/png'),
      { type: 'text', text: `File "a \\"b\\"\\n]c.txt" (text/plain):\n${markOf('text', txt)}` },
      { ...file(3, 'application/pdf'), filename: 'report.pdf' },
      { type: 'text', text: 'Document "scan.pdf", 2 pages as images, in order:' },
      file(41, 'image/png'),
      file(42, 'image/jpeg'),
      { ...file(5, 'audio/wav'), filename: 'call.wav' },
      { type: 'text', text: 'not shown' },
    ]);
  });

  it('gives file URLs where there are paths', () => {
    const rendering = { ...pathRendering, path: () => '/files/100% a#b.png' };
    expect(projectToOpencodeMessage(givenParts(new Set(['image'])), rendering)).toEqual([
      { type: 'file', mime: 'image/png', url: 'file:///files/100%25%20a%23b.png' },
    ]);
  });
});

const forms = { image: 'image', application: 'document', audio: 'audio' } as const;

function readPart(part: OpencodePart): Seen {
  if (part.type === 'text') return { form: 'text', holds: part.text };
  const form = forms[part.mime.split('/')[0] as keyof typeof forms];
  return { form, holds: readDataUrl(part.url).replace('file://', '') };
}

const read = (parts: OpencodePart[]) => parts.map(readPart);
const common = { carries: opencodeMessageCarries, convert: projectToOpencodeMessage, read, embedsText: false };

describeConverter({ ...common, title: 'to OpenCode', offers: 'base64', wayOf: () => 'base64' });
describeConverter({ ...common, title: 'to OpenCode, by path', offers: 'path', wayOf: () => 'path' });
