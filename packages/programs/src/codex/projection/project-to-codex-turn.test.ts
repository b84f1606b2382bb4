import { describeConverter, type Seen } from '@attache/projections/contract';
import { givenParts } from '@attache/projections/fixtures/every-part';
import {
  givenReference,
  inlineRendering,
  markOf,
  pathRendering,
  readDataUrl,
  urlRendering,
} from '@attache/projections/fixtures/references';
import { describe, expect, it } from 'vitest';
import { type CodexInput, codexTurnCarries, projectToCodexTurn } from './project-to-codex-turn.ts';

const text = (value: string) => ({ type: 'text', text: value, text_elements: [] });
const txt = givenReference(2, 'text/plain');
const pathOf = (number: number, mimeType: string) => markOf('path', givenReference(number, mimeType));

describe('projectToCodexTurn', () => {
  it('gives input of a turn, with the paths of images and sound [SR-04 RP-08 DL-03]', () => {
    expect(projectToCodexTurn(givenParts(codexTurnCarries), pathRendering)).toEqual([
      text('look'),
      { type: 'localImage', path: pathOf(1, 'image/png') },
      text(`File "a \\"b\\"\\n]c.txt" (text/plain):\n${markOf('text', txt)}`),
      text('Document "scan.pdf", 2 pages as images, in order:'),
      { type: 'localImage', path: pathOf(41, 'image/png') },
      { type: 'localImage', path: pathOf(42, 'image/jpeg') },
      { type: 'localAudio', path: pathOf(5, 'audio/wav') },
      text('not shown'),
    ]);
  });

  it('gives data URLs where there are no paths, and never another URL', () => {
    expect(projectToCodexTurn(givenParts(new Set(['image', 'audio'])), urlRendering)).toEqual([
      { type: 'image', url: `data:image/png;base64,${markOf('base64', givenReference(1, ''))}` },
      { type: 'audio', url: `data:audio/wav;base64,${markOf('base64', givenReference(5, ''))}` },
    ]);
  });

  it('has no way in for a PDF', () => {
    expect(() => projectToCodexTurn(givenParts(new Set(['document'])), inlineRendering)).toThrow('codex-app-server');
  });
});

const forms = { image: 'image', localImage: 'image', audio: 'audio', localAudio: 'audio' } as const;

function readInput(input: CodexInput): Seen {
  if (input.type === 'text') return { form: 'text', holds: input.text };
  const holds = 'path' in input ? input.path : readDataUrl(input.url);
  return { form: forms[input.type], holds };
}

const read = (inputs: CodexInput[]) => inputs.map(readInput);
const common = { carries: codexTurnCarries, convert: projectToCodexTurn, read, embedsText: false };

describeConverter({ ...common, title: 'to the Codex app-server', offers: 'path', wayOf: () => 'path' });
describeConverter({ ...common, title: 'to the Codex app-server, inline', offers: 'base64', wayOf: () => 'base64' });
