import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nameBundledFiles } from './name-bundled-files.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'attache-names-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(files: Record<string, string>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}

async function bundle(): Promise<Map<string, string>> {
  const build = await rolldown({
    cwd: root,
    input: join(root, 'packages/one/src/main.ts'),
    platform: 'node',
    plugins: [nameBundledFiles(root)],
  });
  const { output } = await build.generate({ entryFileNames: '[name].js' });
  return new Map(
    output.map((file) => [file.fileName, file.type === 'chunk' ? file.code : Buffer.from(file.source).toString()]),
  );
}

describe('a file that the code names by URL', () => {
  it('comes with the bundle: programs as JavaScript, folders and files of packages as they are', async () => {
    write({
      'packages/one/src/main.ts': [
        "export const worker = new URL('./worker/main.ts', import.meta.url);",
        "export const folder = new URL('../texts', import.meta.url);",
        "export const style = import.meta.resolve('styles/plain.css');",
        "export const print = new URL('../more/print.css', import.meta.resolve('styles'));",
      ].join('\n'),
      'packages/one/src/worker/main.ts': "const greeting: string = 'hello'; process.stdout.write(greeting);",
      'packages/one/texts/a.sql': 'select 1;',
      'packages/one/texts/deep/b.sql': 'select 2;',
      'node_modules/styles/package.json': '{"name":"styles","main":"lib/index.js"}',
      'node_modules/styles/lib/index.js': '',
      'node_modules/styles/more/print.css': 'p {}',
      'node_modules/styles/plain.css': 'p {}',
    });
    const files = await bundle();
    expect([...files.keys()].toSorted()).toEqual([
      'main.js',
      'one-worker-main.js',
      'one/texts/a.sql',
      'one/texts/deep/b.sql',
      'styles/more/print.css',
      'styles/plain.css',
    ]);
    expect(files.get('main.js')).toContain('new URL("./one-worker-main.js", import.meta.url)');
    expect(files.get('main.js')).toContain('new URL("./one/texts", import.meta.url)');
    expect(files.get('one-worker-main.js')).not.toContain(': string');
    expect(files.get('one/texts/deep/b.sql')).toBe('select 2;');
  });

  it('stops the build where its name is not plain', async () => {
    write({ 'packages/one/src/main.ts': 'export const at = (path: string) => new URL(path, import.meta.url);' });
    await expect(bundle()).rejects.toThrow('packages/one/src/main.ts names a file in a way that cannot be bundled');
  });
});
