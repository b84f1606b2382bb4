import { describe, expect, it } from 'vitest';
import { listShippedFiles, repositoryRoot } from '../source/source-files.ts';
import { parseSource, readSourceFile } from '../source/syntax-tree.ts';
import { findForwardReferences } from './order-rule.ts';

const composed = listShippedFiles(repositoryRoot).filter((path) =>
  /^(services|apps\/(standalone|hosted))\/.*\.ts$/.test(path),
);

describe('the services and the stacks', () => {
  it('were read', () => {
    expect(new Set(composed.map((path) => path.split('/').slice(0, 2).join('/')))).toEqual(
      new Set(['services/ingest', 'services/projector', 'services/runner-gateway', 'apps/standalone', 'apps/hosted']),
    );
  });

  it('create their parts in an order in which none uses a name from further down', () => {
    const found = composed.flatMap((path) => findForwardReferences(readSourceFile(repositoryRoot, path)));
    expect(found.map(({ path, line, found: what }) => `${path}:${line} ${what}`)).toEqual([]);
  });
});

describe('a planted use of a name from further down', () => {
  const find = (body: string) =>
    findForwardReferences(parseSource('services/ingest/src/planted.ts', `function open() { ${body} }`));

  it.each([
    'const a = create(() => b.look()); const b = create(a);',
    'const a = create({ onEnded() { b.look(); } }); let b = create(a);',
    'const a = create({ get room() { return b.room; } }); const b = create(a);',
    'const a = () => () => b; const b = 1;',
    'const a = (room = () => b) => room; const b = 1;',
    'function a() { return b; } const b = 1;',
    'const a = () => b; const { b } = create(a);',
    'const a = () => b; const { c: [b = 1] } = create(a);',
    'const a = () => b; const { c, ...b } = create(a);',
    'const a = () => ({ b }); const b = 1;',
    'if (isOpen) { const a = () => b; const b = 1; }',
    'for (const c of all) { const a = () => b; const b = c; }',
  ])('is found: %s', (body) => {
    expect(find(body)).toMatchObject([{ rule: 'order', line: 1, found: 'b, which line 1 declares' }]);
  });

  it.each([
    'const b = create(); const a = create(() => b.look());',
    'const timer = setTimeout(() => timer.unref(), 1);',
    'const a = () => look(); function look() {}',
    'const a = () => MAX;',
    'const a = (b) => b; const b = 1;',
    'const a = () => { const b = 2; return b; }; const b = 1;',
    'const a = () => c.b; const c2 = { b: 1 };',
    'const a = (): typeof b => 1; const b = 1;',
    'if (isOpen) { const a = () => b; } const c = () => { const b = 1; };',
  ])('is none: %s', (body) => {
    expect(find(`${body}`)).toEqual([]);
  });

  it('is none where the module declares it', () => {
    expect(
      findForwardReferences(parseSource('services/ingest/src/planted.ts', 'const a = () => MAX; const MAX = 1;')),
    ).toEqual([]);
  });
});
