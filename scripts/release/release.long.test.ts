import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listPublished } from '../pack/list-published.ts';
import { type PackedArchive, packPublished } from '../pack/pack-published.ts';
import { type Registry, startRegistry } from './__fixtures__/start-registry.ts';
import { publishArchives } from './publish-archives.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const OLDEST_NODE = '20.19.5';
const published = listPublished(root);
const libraries = published.filter(({ isBundled }) => !isBundled).map(({ manifest }) => manifest);

let folder: string;
let registry: Registry;
let archives: PackedArchive[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'attache-release-'));
  [registry, archives] = await Promise.all([startRegistry(folder), packPublished(root, join(folder, 'out'))]);
}, 600_000);
afterAll(async () => {
  await registry?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function publish(of: readonly PackedArchive[], isDryRun = false): Promise<string[]> {
  const lines: string[] = [];
  const { url, environment } = registry;
  await publishArchives(of, { registry: url, environment, isDryRun, onProgress: (line) => lines.push(line) });
  return lines;
}

const titled = (outcome: string) => archives.map(({ name, version }) => `${name}@${version} ${outcome}`);

describe('a release', () => {
  it('that is only tried publishes nothing', async () => {
    expect(await publish(archives, true)).toEqual(titled('would be published'));
    expect(await publish(archives, true)).toEqual(titled('would be published'));
  });

  it('that broke off is completed by another run, and there is no second one of its version', async () => {
    const [first, ...others] = archives;
    expect(await publish(archives.slice(0, 1))).toEqual(titled('is published').slice(0, 1));
    const rest = others.map(({ name, version }) => `${name}@${version} is published`);
    expect(await publish(archives)).toEqual([`${first?.name}@${first?.version} is there already`, ...rest]);
    await expect(publish(archives)).rejects.toThrow('All packages of this version are published');
  });

  it('of other contents under a published version is refused', async () => {
    const [first, second] = archives as [PackedArchive, PackedArchive];
    const changed = { ...first, archive: second.archive };
    await expect(publish([changed, second])).rejects.toThrow('was published with other contents');
  });
});

/** A folder that knows nothing of this repository, with these packages from the registry. */
async function install(name: string, ...packages: string[]): Promise<string> {
  const made = join(folder, name);
  await mkdir(made, { recursive: true });
  await writeFile(join(made, 'package.json'), JSON.stringify({ name: 'somebody', private: true, type: 'module' }));
  const { environment } = registry;
  await run('npm', ['install', '--no-audit', '--no-fund', ...packages], { cwd: made, env: environment });
  return made;
}

describe('somebody who installs by name alone', () => {
  it.each(libraries.map(({ name }) => name))('%s compiles against it and runs it on Node 20', async (name) => {
    const manifest = libraries.find((each) => each.name === name);
    const peers = Object.keys(manifest?.peerDependencies ?? {}).flatMap((peer) => [peer, `@types/${peer}`]);
    const node = `node-linux-${process.arch}`;
    const place = await install(name.replace('/', '-'), name, '@types/node@24', `${node}@${OLDEST_NODE}`, ...peers);
    await writeFile(
      join(place, 'use.ts'),
      `import * as all from '${name}';\nexport const names: string[] = Object.keys(all);\n`,
    );
    await writeFile(
      join(place, 'use.js'),
      `import * as all from '${name}';\nconsole.log(process.version, Object.keys(all).length);\n`,
    );
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const common = [
      '--noEmit',
      '--strict',
      '--target',
      'es2022',
      '--lib',
      'es2022,dom,dom.iterable',
      '--types',
      'node',
    ];
    for (const options of [
      ['--module', 'esnext', '--moduleResolution', 'bundler'],
      ['--module', 'node16'],
    ]) {
      const compiled = run(process.execPath, [compiler, ...common, ...options, 'use.ts'], { cwd: place });
      expect((await compiled.catch((error: { stdout: string }) => error)).stdout, options.join(' ')).toBe('');
    }
    const { stdout } = await run(join(place, 'node_modules', node, 'bin/node'), ['use.js'], { cwd: place });
    expect(stdout).toMatch(new RegExp(`^v${OLDEST_NODE} [1-9]`));
  });

  it('@attache/cli runs it by npx', async () => {
    const place = await install('cli', '@attache/cli');
    const { stdout } = await run('npx', ['--no-install', 'attache', 'openapi'], { cwd: place, maxBuffer: 1e7 });
    expect(JSON.parse(stdout).openapi).toBe('3.1.0');
  });
});
