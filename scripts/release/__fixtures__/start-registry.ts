import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findFreePort } from '@attache/infra/native/processes/free-port';
import { vi } from 'vitest';

const run = promisify(execFile);
const VERDACCIO = 'verdaccio@6.10.4';
/** A dependency that it names by a tag, which not every mirror has. */
const UNTAGGED = { 'node-fetch': '2.7.0' };

export type Registry = { url: string; environment: NodeJS.ProcessEnv; stop(): Promise<void> };

/**
 * Starts a registry of npm packages on loopback. Our own packages are what is published to it and nothing else; all others come from the registry that npm is
 * configured for. `environment` makes npm use it, with a cache of its own.
 */
export async function startRegistry(folder: string): Promise<Registry> {
  const place = join(folder, 'registry');
  await mkdir(place, { recursive: true });
  await writeFile(join(place, 'package.json'), JSON.stringify({ private: true, overrides: UNTAGGED }));
  await run('npm', ['install', '--no-audit', '--no-fund', VERDACCIO], { cwd: place });
  const { stdout } = await run('npm', ['config', 'get', 'registry']);
  await writeFile(join(place, 'config.yaml'), describe(place, stdout.trim()));
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}/`;
  const program = join(place, 'node_modules/verdaccio/bin/verdaccio');
  const child = spawn(
    process.execPath,
    [program, '--config', join(place, 'config.yaml'), '--listen', `127.0.0.1:${port}`],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  await vi.waitFor(() => fetch(`${url}-/ping`), { timeout: 120_000, interval: 200 });
  const npmrc = join(place, 'npmrc');
  await writeFile(npmrc, `registry=${url}\n${url.replace('http:', '')}:_authToken=anybody\n`);
  return {
    url,
    environment: { ...process.env, npm_config_userconfig: npmrc, npm_config_cache: join(place, 'cache') },
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

const describe = (place: string, upstream: string): string => `
storage: ${place}/storage
max_body_size: 100mb
uplinks: { upstream: { url: "${upstream}" } }
packages:
  '@attache/*': { access: $all, publish: $all }
  '**': { access: $all, proxy: upstream }
log: { type: stdout, format: json, level: warn }
`;
