import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { partSchema } from '@attache/contracts';
import { expect, it } from 'vitest';
import { listCodeFiles } from '../source/source-files.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const kinds = partSchema.options.map((option) => option.shape.type.value);

function composeSwitch(handled: readonly string[]): string {
  const cases = handled.map((kind) => `    case '${kind}':\n      return '${kind}';`).join('\n');
  return `import type { Part } from '@attache/contracts';
export function name(part: Part): string {
  switch (part.type) {
${cases}
    default:
      return part satisfies never;
  }
}
`;
}

/** The compiler's lines about each file. All files are compiled at once, which takes as long as one. */
function compileFiles(sources: Readonly<Record<string, string>>): Record<string, string> {
  // Inside the workspace, so that the package is found; the compiler gets these files alone.
  const folder = mkdtempSync(join(root, 'tests/architecture/node_modules/.planted-'));
  try {
    for (const [name, source] of Object.entries(sources)) writeFileSync(join(folder, `${name}.ts`), source);
    const include = Object.keys(sources).map((name) => `${name}.ts`);
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ extends: join(root, 'tsconfig.json'), include, exclude: [] }),
    );
    const { stdout } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder, '--pretty', 'false'], {
      encoding: 'utf8',
    });
    const lines = stdout.split('\n');
    return Object.fromEntries(
      Object.keys(sources).map((name) => [name, lines.filter((line) => line.includes(`${name}.ts(`)).join('\n')]),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

it('lets the compiler prove that every kind of part is handled [DL-22]', { timeout: 300_000 }, () => {
  const forgetting = kinds.map((kind) => [`without-${kind}`, composeSwitch(kinds.filter((each) => each !== kind))]);
  const said = compileFiles({ whole: composeSwitch(kinds), ...Object.fromEntries(forgetting) });
  expect(said.whole).toBe('');
  for (const [name = ''] of forgetting) expect(said[name], name).toContain("'never'");
});

// Code that handles parts by their kind: a switch of ours with one of these cases.
const isOfParts = /case '(?:text-file|pages)':/;

/** Each switch of a file up to its closing brace, which is indented as far as the switch itself. */
function readSwitches(source: string): string[] {
  return [...source.matchAll(/^( *)(?:return )?switch \([^\n]*\{\n[\s\S]*?^\1\}/gm)].map(([text]) => text);
}

it('every switch of ours over the kinds of parts ends in a check that nothing is left [DL-22]', () => {
  const files = listCodeFiles(root).filter(
    (file) => /^(packages|services|apps)\//.test(file) && !/\.(test|contract|spec)\.ts$|__fixtures__/.test(file),
  );
  const switches = files.flatMap((file) => {
    const source = readFileSync(join(root, file), 'utf8');
    return readSwitches(source).flatMap((text) => (isOfParts.test(text) ? [{ file, text }] : []));
  });
  expect(switches.length).toBeGreaterThan(5);
  expect(switches.filter(({ text }) => !text.includes('satisfies never')).map(({ file }) => file)).toEqual([]);
});
