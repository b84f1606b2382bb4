import { readFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { runCli } from './cli.ts';
import { exitCodes } from './exit-codes.ts';

it('is what `attache --version` prints, and that of the package', async () => {
  const said: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => said.push(String(text)) > 0);
  const exitCode = await runCli(['node', 'attache', '--version']).finally(() => write.mockRestore());
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  expect({ exitCode, said }).toEqual({ exitCode: exitCodes.done, said: [`${version}\n`] });
});
