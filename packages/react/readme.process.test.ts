import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const folder = fileURLToPath(new URL('.', import.meta.url));
const compiler = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));
const readme = readFileSync(join(folder, 'README.md'), 'utf8');
const blocks = [...readme.matchAll(/```tsx\n(.*?)```/gs)].map(([, code = '']) => code);

it('every block of the README compiles with the types of a browser', () => {
  const out = mkdtempSync(join(folder, 'readme-'));
  onTestFinished(() => rmSync(out, { recursive: true }));
  for (const [index, code] of blocks.entries()) writeFileSync(join(out, `${index}.tsx`), code);
  writeFileSync(join(out, 'styles.d.ts'), "declare module '*.css';\n");
  // As a dependent finds it, by its name.
  const compilerOptions = { types: [] };
  const config = { extends: '../tsconfig.json', compilerOptions, include: ['*.tsx', '*.d.ts'], exclude: [] };
  writeFileSync(join(out, 'tsconfig.json'), JSON.stringify(config));
  const { stdout, status } = spawnSync(process.execPath, [compiler, '-p', out], { encoding: 'utf8' });
  expect(blocks).toHaveLength(4);
  expect(stdout).toBe('');
  expect(status).toBe(0);
});
