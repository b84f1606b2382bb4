import { describeConverter, type Seen } from '@attache/projections/contract';
import { givenParts } from '@attache/projections/fixtures/every-part';
import { names } from '@attache/projections/fixtures/part-lists';
import { givenReference, markOf, pathRendering } from '@attache/projections/fixtures/references';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CodexExecTurn, codexExecCarries, projectToCodexExec } from './project-to-codex-exec.ts';

const imageOf = (number: number, mimeType: string) => `--image=${markOf('path', givenReference(number, mimeType))}`;

describe('projectToCodexExec', () => {
  it('gives images as arguments and the rest as the prompt [SR-04 RP-08]', () => {
    expect(projectToCodexExec(givenParts(codexExecCarries), pathRendering)).toEqual({
      args: [imageOf(1, 'image/png'), imageOf(41, 'image/png'), imageOf(42, 'image/jpeg'), '--'],
      stdin: [
        'look',
        `File "a \\"b\\"\\n]c.txt" (text/plain):\n${markOf('text', givenReference(2, ''))}`,
        'Document "scan.pdf", 2 pages as images, in order:',
        'not shown',
      ].join('\n\n'),
    });
  });

  it('ends the options even where there are no images', () => {
    expect(projectToCodexExec([{ type: 'text', text: 'look' }], pathRendering)).toEqual({
      args: ['--'],
      stdin: 'look',
    });
  });

  it('never makes an argument of a text or a name', () => {
    fc.assert(
      fc.property(names, (name) => {
        const text = { type: 'text', text: `-${name}` } as const;
        const file = { type: 'text-file', name, bytes: givenReference(2, 'text/plain') } as const;
        const { args, stdin } = projectToCodexExec([text, file], pathRendering);
        expect(args).toEqual(['--']);
        expect(stdin.startsWith(`-${name}\n\nFile `)).toBe(true);
      }),
    );
  });

  it('refuses a path at whose comma it would be split', () => {
    const rendering = { ...pathRendering, path: () => '/files/a,b.png' };
    expect(() => projectToCodexExec(givenParts(new Set(['image'])), rendering)).toThrow('comma');
  });
});

function read({ args, stdin }: CodexExecTurn): Seen[] {
  const images = args.slice(0, -1).map((argument): Seen => {
    return { form: 'image', holds: argument.replace(/^--image=/, '') };
  });
  return [{ form: 'text', holds: stdin }, ...images];
}

describeConverter({
  title: 'to codex exec',
  offers: 'path',
  carries: codexExecCarries,
  convert: projectToCodexExec,
  read,
  wayOf: () => 'path',
  embedsText: false,
  gathers: true,
});
