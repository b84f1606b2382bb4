import { describeConverter, type Seen } from '@attache/projections/contract';
import { givenParts } from '@attache/projections/fixtures/every-part';
import { givenReference, markOf, pathRendering } from '@attache/projections/fixtures/references';
import { describe, expect, it } from 'vitest';
import { type OpencodeRunTurn, opencodeRunCarries, projectToOpencodeRun } from './project-to-opencode-run.ts';

const pathOf = (number: number, mimeType: string) => markOf('path', givenReference(number, mimeType));

describe('projectToOpencodeRun', () => {
  it('gives images and PDF as arguments and the rest as the prompt [SR-04 RP-08]', () => {
    expect(projectToOpencodeRun(givenParts(opencodeRunCarries), pathRendering)).toEqual({
      args: [
        pathOf(1, 'image/png'),
        pathOf(3, 'application/pdf'),
        pathOf(41, 'image/png'),
        pathOf(42, 'image/jpeg'),
      ].flatMap((path) => ['-f', path]),
      stdin: [
        'look',
        `File "a \\"b\\"\\n]c.txt" (text/plain):\n${markOf('text', givenReference(2, ''))}`,
        'Document "scan.pdf", 2 pages as images, in order:',
        'not shown',
      ].join('\n\n'),
    });
  });

  it.each(['--share', 'a.png', ''])('refuses %j for a path, which could pass for an option', (path) => {
    const rendering = { ...pathRendering, path: () => path };
    expect(() => projectToOpencodeRun(givenParts(new Set(['image'])), rendering)).toThrow('absolute path');
  });
});

/** Only the endings of the files show their types. */
function read({ args, stdin }: OpencodeRunTurn): Seen[] {
  const files = args.flatMap((argument): Seen[] => {
    return argument === '-f' ? [] : [{ form: argument.endsWith('.pdf') ? 'document' : 'image', holds: argument }];
  });
  return [{ form: 'text', holds: stdin }, ...files];
}

describeConverter({
  title: 'to opencode run',
  offers: 'path',
  carries: opencodeRunCarries,
  convert: projectToOpencodeRun,
  read,
  wayOf: () => 'path',
  embedsText: false,
  gathers: true,
});
