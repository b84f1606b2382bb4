import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { partSchema } from '@attache/contracts';
import { expect, it } from 'vitest';
import { listCodeFiles } from './source-files.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const kinds = partSchema.options.map((option) => option.shape.type.value);

function compileSwitchOver(handled: readonly string[]): { ok: boolean; output: string } {
  // Inside the workspace, so that the package is found; the compiler is told of this one file.
  const folder = mkdtempSync(join(root, 'tests/architecture/node_modules/.planted-'));
  const cases = handled.map((kind) => `    case '${kind}':\n      return '${kind}';`).join('\n');
  const source = `import type { Part } from '@attache/contracts';
export function name(part: Part): string {
  switch (part.type) {
${cases}
    default:
      return part satisfies never;
  }
}
`;
  try {
    writeFileSync(join(folder, 'planted.ts'), source);
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ extends: join(root, 'tsconfig.json'), include: ['planted.ts'] }),
    );
    const tsc = join(root, 'node_modules/.bin/tsc');
    const { status, stdout } = spawnSync(tsc, ['-p', folder], { encoding: 'utf8' });
    return { ok: status === 0, output: stdout };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

it('lets the compiler prove that every kind of part is handled [DL-22]', () => {
  expect(compileSwitchOver(kinds)).toEqual({ ok: true, output: '' });
  for (const forgotten of kinds) {
    const { ok, output } = compileSwitchOver(kinds.filter((kind) => kind !== forgotten));
    expect(ok).toBe(false);
    expect(output).toContain('never');
  }
});

// What handles parts by their kind: a switch of ours with one of these cases.
const isOfParts = /case '(?:text-file|pages)':/;

/** Each switch of a file up to its closing brace, which stands as far in as the switch itself. */
function readSwitches(source: string): string[] {
  return [...source.matchAll(/^( *)(?:return )?switch \([^\n]*\{\n[\s\S]*?^\1\}/gm)].map(([text]) => text);
}

it('every switch of ours over the kinds of parts ends in a check that nothing is left [DL-22]', () => {
  const files = listCodeFiles(root).filter(
    (file) => /^(packages|services|apps)\//.test(file) && !/\.(test|contract)\.ts$|__fixtures__/.test(file),
  );
  const switches = files.flatMap((file) => {
    const source = readFileSync(join(root, file), 'utf8');
    return readSwitches(source).flatMap((text) => (isOfParts.test(text) ? [{ file, text }] : []));
  });
  expect(switches.length).toBeGreaterThan(5);
  expect(switches.filter(({ text }) => !text.includes('satisfies never')).map(({ file }) => file)).toEqual([]);
});
