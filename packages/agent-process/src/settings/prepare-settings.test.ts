import { link, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse } from 'smol-toml';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { givenSpec } from '../__fixtures__/given-spec.ts';
import type { AgentSpec } from '../driver.ts';
import { prepareSettings } from './prepare-settings.ts';
import type { ProgramSettings } from './program-settings.ts';

let root: string;
let folder: string;
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'attache-settings-'));
  folder = path.join(root, 'agent');
});
afterEach(() => rm(root, { recursive: true, force: true }));

const redact = (text: string) => text.replaceAll('sk-key', '***');
const modeOf = async (place: string) => ((await stat(place)).mode & 0o777).toString(8);

function prepare(given: Partial<ProgramSettings> = {}, rest: Partial<AgentSpec> = {}) {
  const config = path.join(folder, 'config');
  const settings = { defaults: {}, env: {}, args: [], files: [], homeFolder: config, ...given };
  return prepareSettings(givenSpec({ folder, ...rest }), () => settings, redact);
}

it('makes the folders of an agent, for its owner alone [S26 DL-78]', async () => {
  expect(await prepare()).toMatchObject({ status: 'ready' });
  for (const place of ['', 'home', 'tmp', 'work', 'config']) expect(await modeOf(path.join(folder, place))).toBe('700');
});

it('copies a home once, and writes its own settings over what stands there', async () => {
  const home = path.join(root, 'home');
  await mkdir(home);
  await writeFile(path.join(home, 'sign-in'), 'first');
  await writeFile(path.join(home, 'settings.json'), '{"theme":"dark","permissions":{"ask":[],"note":1}}');
  const file = path.join(folder, 'config', 'settings.json');
  const files = [{ path: file, json: { permissions: { ask: ['Bash'] } } }];
  await prepare({ files }, { home });
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
    theme: 'dark',
    permissions: { ask: ['Bash'], note: 1 },
  });
  await writeFile(path.join(home, 'sign-in'), 'second');
  await prepare({ files }, { home });
  expect(await readFile(path.join(folder, 'config', 'sign-in'), 'utf8')).toBe('first');
});

it('changes in TOML what it must, and keeps what else a home says there', async () => {
  const home = path.join(root, 'home');
  await mkdir(home);
  await writeFile(
    path.join(home, 'config.toml'),
    'model = "m" # mine\nfeatures = { a = true, b = true }\n[table]\nx = [1]\n',
  );
  const file = path.join(folder, 'config', 'config.toml');
  await prepare({ files: [{ path: file, toml: { features: { b: false } } }] }, { home });
  expect(parse(await readFile(file, 'utf8'))).toEqual({
    model: 'm',
    features: { a: true, b: false },
    table: { x: [1] },
  });
});

it('fails by saying why a program cannot do what its profile asks, before anything is copied [DL-12]', async () => {
  const prepared = await prepare({ refusal: 'its endpoint has the key sk-key' }, { home: path.join(root, 'missing') });
  expect(prepared).toMatchObject({
    status: 'failed',
    failure: { code: 'delivery_agent_start_failed', diagnostic: 'its endpoint has the key ***' },
  });
});

it('writes what it was not given a home for, for its owner alone', async () => {
  const files = [
    { path: path.join(folder, 'config', 'a.json'), json: { a: 1 } },
    { path: path.join(folder, 'config', 'deeper', 'b.toml'), text: 'b = 1' },
  ];
  await prepare({ files });
  for (const file of files) expect(await modeOf(file.path)).toBe('600');
  expect(await readFile(path.join(folder, 'config', 'deeper', 'b.toml'), 'utf8')).toBe('b = 1');
});

it.each([{ model: '--settings=x' }, { model: '-m' }, { resumeReference: '--resume' }])(
  'refuses what would be read as a flag: %j [S26 A28]',
  async (rest) => {
    expect(await prepare({}, rest)).toMatchObject({
      status: 'failed',
      failure: { diagnostic: expect.stringContaining('begins with a dash') },
    });
  },
);

it('tells what could not be prepared: a home that is not there, settings that are no JSON', async () => {
  expect(await prepare({}, { home: path.join(root, 'missing') })).toMatchObject({ status: 'failed' });
  const file = path.join(folder, 'config', 'settings.json');
  await writeFile(file, '{');
  expect(await prepare({ files: [{ path: file, json: {} }] })).toMatchObject({ status: 'failed' });
});

it('writes a sandboxed agent’s settings where they are outside, and follows no link that it has put there [BX-22]', async () => {
  const sandbox = { readOnly: [], privateFolders: [] };
  const inside = { files: [{ path: '/agent/config/a.json', json: { a: 1 } }], homeFolder: '/agent/config' };
  const other = path.join(root, 'other');
  await mkdir(other);
  await writeFile(path.join(other, 'a.json'), '{"secret":1}');
  expect(await prepare(inside, { sandbox })).toMatchObject({ status: 'ready' });
  const own = path.join(folder, 'config', 'a.json');
  expect(JSON.parse(await readFile(own, 'utf8'))).toEqual({ a: 1 });

  const refused = { status: 'failed', failure: { code: 'delivery_agent_start_failed' } };
  for (const put of [symlink, link]) {
    await rm(own);
    await put(path.join(other, 'a.json'), own);
    expect(await prepare(inside, { sandbox })).toMatchObject(refused);
  }
  await rm(path.join(folder, 'config'), { recursive: true });
  await symlink(other, path.join(folder, 'config'));
  expect(await prepare(inside, { sandbox })).toMatchObject(refused);
  expect(await readFile(path.join(other, 'a.json'), 'utf8')).toBe('{"secret":1}');
});
