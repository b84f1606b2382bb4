import { expect, it } from 'vitest';
import { givenSpec } from '../__fixtures__/given-spec.ts';
import { createFrame } from '../frames/create-frame.ts';
import { contentsInside, placeOutside, specInside } from './spec-inside.ts';

const sandbox = { readOnly: [], privateFolders: [] };
const plain = givenSpec({ folder: '/data/agents/agt' });
const sandboxed = { ...plain, sandbox };

it('names an agent’s folder and socket as its program knows them, and leaves them without a sandbox [BX-22]', () => {
  expect(specInside(sandboxed)).toMatchObject({ folder: '/agent', socketPath: '/run/attache/agent.sock' });
  expect(specInside(plain)).toBe(plain);
});

it('finds where a file lies outside, and none beside the folder [BX-22]', () => {
  expect(placeOutside(sandboxed, '/agent/config/a.json')).toBe('/data/agents/agt/config/a.json');
  for (const place of ['/agent/../etc/passwd', '/etc/passwd', '/agents/x'])
    expect(placeOutside(sandboxed, place)).toBeUndefined();
});

it('tells the program the path of a delivered file inside, and reads it outside [BX-22]', () => {
  const file = { path: '/data/agents/agt/inbox/dlv/a.png', sizeBytes: 3 };
  const contents = { embedded: () => file, text: () => '' };
  const frameOf = (spec: typeof plain) =>
    createFrame((_, nameFile) => nameFile(contentsInside(spec, contents).embedded({} as never)));
  const textOf = (frame: ReturnType<typeof frameOf>) =>
    frame.pieces.map((piece) => piece.type === 'text' && piece.text);
  expect(textOf(frameOf(sandboxed)).join('')).toBe('"/agent/inbox/dlv/a.png"\n');
  expect(frameOf(sandboxed).named).toMatchObject([{ path: file.path }]);
  expect(textOf(frameOf(plain)).join('')).toBe(`"${file.path}"\n`);
});
