import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findOverlap, findProgramPlaces } from './find-program-places.ts';

let root: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), 'attache-places-')));
});
afterEach(() => rm(root, { recursive: true }));

async function put(file: string, content: string): Promise<string> {
  const place = path.join(root, file);
  await mkdir(path.dirname(place), { recursive: true });
  await writeFile(place, content);
  await chmod(place, 0o755);
  return place;
}

it('shows the outermost folder that holds a node_modules, and starts the real file of a link [BX-22]', async () => {
  const script = await put('tools/node_modules/a/node_modules/b/cli.js', '#!/bin/sh\n');
  const link = path.join(root, 'program');
  await symlink(script, link);
  const found = await findProgramPlaces([link, '--flag'], '/usr/bin:/bin', []);
  expect(found).toEqual({
    status: 'found',
    program: script,
    trees: [path.join(root, 'tools')],
    files: [{ source: script, place: link }],
    covered: [],
  });
});

it('shows what runs a script, where the search path has it [BX-22]', async () => {
  const interpreter = await put('real/interpreter', 'binary');
  const script = await put('own/script', '#!/usr/bin/env -S special --flag\n');
  const link = path.join(root, 'bin', 'special');
  await mkdir(path.dirname(link));
  await symlink(interpreter, link);
  const found = await findProgramPlaces([script], path.dirname(link), []);
  expect(found.status === 'found' && found.files.map(({ place }) => place)).toEqual([
    script,
    script,
    interpreter,
    link,
  ]);
  expect(await findProgramPlaces([script], '/usr/bin', [])).toMatchObject({
    status: 'refused',
    reason: expect.stringContaining('special, which was not found'),
  });
});

it('shows nothing more for a program of the system, and keeps the name by which it is called', async () => {
  const found = await findProgramPlaces(['/usr/bin/env', 'x'], '/usr/bin', []);
  expect(found).toEqual({ status: 'found', program: '/usr/bin/env', trees: [], files: [], covered: [] });
});

it("covers the platform's own folders in a tree, and refuses a tree that lies in one [BX-22]", async () => {
  const script = await put('checkout/node_modules/a/cli.js', 'x');
  for (const folder of ['checkout/.attache', 'checkout/node_modules/a']) {
    const place = path.join(root, folder);
    const found = await findProgramPlaces([script], '/usr/bin', [place]);
    expect(found).toMatchObject({ status: 'found', covered: [place] });
  }
  for (const folder of ['checkout', '']) {
    const refused = await findProgramPlaces([script], '/usr/bin', [path.join(root, folder)]);
    expect(refused).toMatchObject({ status: 'refused', reason: expect.stringContaining('lies in') });
  }
  expect(await findProgramPlaces([script], '/usr/bin', [path.join(root, 'checkout-2')])).toMatchObject({
    ...{ status: 'found', covered: [] },
  });
});

it('takes folders as overlapping where one holds the other, and not where names begin alike', () => {
  expect(findOverlap('/a/b', ['/c', '/a'])).toBe('/a');
  expect(findOverlap('/a', ['/a/b'])).toBe('/a/b');
  expect(findOverlap('/', ['/a/b'])).toBe('/a/b');
  expect(findOverlap('/a/b', ['/a/bc', '/a/b2/c'])).toBeUndefined();
});

it("covers the platform's own folders also in an environment of Python that a link names, and refuses one that lies in them [BX-22]", async () => {
  const python = await put('real/venv/bin/python', 'binary');
  await put('real/venv/pyvenv.cfg', 'home = /usr/bin\n');
  await put('real/venv/data/secret', 'x');
  await symlink(path.join(root, 'real'), path.join(root, 'link'));
  const [data, linked] = [path.join(root, 'real/venv/data'), path.join(root, 'link/venv')];
  const found = await findProgramPlaces([path.join(linked, 'bin/python')], '/usr/bin', [data]);
  const trees = [path.join(root, 'real/venv'), linked];
  expect(found).toMatchObject({ status: 'found', trees: expect.arrayContaining(trees) });
  expect(found.status === 'found' && found.covered.toSorted()).toEqual([path.join(linked, 'data'), data]);
  for (const program of [python, path.join(linked, 'bin/python')])
    expect(await findProgramPlaces([program], '/usr/bin', [path.join(root, 'real')])).toMatchObject({
      ...{ status: 'refused', reason: expect.stringContaining("keep the platform's data elsewhere") },
    });
});

it('shows of the folder of an argument nothing but the file, whatever is next to it', async () => {
  const file = await put('project/agent.json', '{}');
  await put('project/pyvenv.cfg', 'home = /usr/bin\n');
  expect(await findProgramPlaces(['/bin/cat', file], '/usr/bin', [])).toMatchObject({
    ...{ trees: [], files: [{ source: file }, { source: file }] },
  });
});
