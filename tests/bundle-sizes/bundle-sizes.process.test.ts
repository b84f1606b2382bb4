import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fileSizes from '@size-limit/file';
import { rolldown } from 'rolldown';
import sizeLimit from 'size-limit';
import { expect, it, onTestFinished } from 'vitest';

/** The most that a page may load of each package, minified by its bundler and compressed by gzip. `besides`: packages that are counted for themselves. */
const packages: readonly { name: string; limitBytes: number; besides: readonly string[] }[] = [
  { name: '@attache/client', limitBytes: 25_000, besides: [] },
  { name: '@attache/react', limitBytes: 12_000, besides: ['react', 'react/jsx-runtime', '@attache/client'] },
];

it.each(packages)('$name has at most $limitBytes bytes as a page loads it', async ({ name, limitBytes, besides }) => {
  const folder = mkdtempSync(join(tmpdir(), 'attache-size-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const sizeBytes = await measureBundle(fileURLToPath(import.meta.resolve(name)), { folder, besides });
  process.stdout.write(`${name}: ${sizeBytes} bytes\n`);
  expect(sizeBytes).toBeGreaterThan(1_000);
  expect(sizeBytes).toBeLessThanOrEqual(limitBytes);
});

type Bundling = { folder: string; besides: readonly string[] };

async function measureBundle(input: string, { folder, besides }: Bundling): Promise<number> {
  // A directive for frameworks that render on a server is no news.
  const bundle = await rolldown({ input, platform: 'browser', external: [...besides], onLog: () => {} });
  const { output } = await bundle.write({ dir: folder, format: 'esm', minify: true });
  await bundle.close();
  const files = output.map(({ fileName }) => join(folder, fileName));
  const [measured] = (await sizeLimit([fileSizes], { checks: [{ files, gzip: true }] })) as { size: number }[];
  return measured?.size ?? Number.NaN;
}
