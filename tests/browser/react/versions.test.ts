import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { expect, it, onTestFinished } from 'vitest';
import { openBrowserTenant, openParticipant } from '../src/shared-stack.ts';
import { imageOf } from './files.ts';
import { serveComposers } from './open-composer.ts';
import { react18 } from './react-versions.ts';

const entry = fileURLToPath(new URL('../pages/server.tsx', import.meta.url));

it.each([
  ['19', {}],
  ['18', react18],
])('React %s renders on a server, where there is no window', async (major, alias) => {
  expect(globalThis).not.toHaveProperty('window');
  const folder = await mkdtemp(join(tmpdir(), 'attache-server-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const bundle = await rolldown({ input: entry, platform: 'node', resolve: { alias }, onLog: () => {} });
  const file = join(folder, 'server.mjs');
  await bundle.write({ format: 'esm', file });
  const { rendered } = await import(pathToFileURL(file).href);
  expect(rendered.version).toMatch(new RegExp(`^${major}\\.`));
  expect(rendered.markup).toContain('dir="rtl"');
  expect(rendered.markup).toContain('اكتب رسالة');
  expect(rendered.files).toContain('accept=".pdf"');
});

it('React 18 sends a message with a file', async () => {
  const composers = await serveComposers({ alias: react18, mode: 'development' });
  onTestFinished(() => composers.close());
  const { page, part, choose, expectReady, faults } = await composers.open(
    await openParticipant(await openBrowserTenant()),
  );
  await choose(imageOf('chart.png'));
  await expectReady(1);
  await part('text').fill('Look');
  await part('text').press('Enter');
  await expect.poll(() => page.getByRole('log').textContent()).toContain('has answered');
  expect(faults).toEqual([]);
});
