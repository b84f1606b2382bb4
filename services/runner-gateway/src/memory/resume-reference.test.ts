import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createReferenceKeeper, readResumeReference, targetOf } from './resume-reference.ts';

const agent = {
  ...{ profile: 'claude', runtime: 'claude-stream-json', provider: 'anthropic', model: 'claude-x' },
  memoryVersion: 0,
};
const reference = '01999999-0000-7000-8000-000000000000';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'attache-resume-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const forge = (content: string) => writeFile(join(folder, 'resume.json'), content);
const referTo = (given: unknown) => JSON.stringify({ target: targetOf(agent), reference: given });
const readOf = async (of: typeof agent) => {
  const left = await readResumeReference(folder, of);
  return left.status === 'found' ? left.reference : undefined;
};
const read = () => readOf(agent);
const keep = (given: string) => createReferenceKeeper(folder, agent).keep(given);

describe('the reference to a conversation', () => {
  it('is found again by the agent that left it, and is one file for its owner alone [DL-82]', async () => {
    expect(await read()).toBeUndefined();
    await keep('earlier');
    await keep(reference);
    expect(await read()).toBe(reference);
    expect(await readdir(folder)).toEqual(['resume.json']);
    expect((await stat(join(folder, 'resume.json'))).mode & 0o777).toBe(0o600);
  });

  it.each([
    ...[{ profile: 'other' }, { runtime: 'acp' }, { provider: 'other' }, { model: 'claude-y' }],
    // A file that it could read is deleted.
    { memoryVersion: 1 },
  ])('of another target, or from before a deletion, is outdated: %j [BX-06 BX-20]', async (change) => {
    await keep(reference);
    expect(await readResumeReference(folder, { ...agent, ...change })).toEqual({
      status: 'outdated',
      isOfDeleted: 'memoryVersion' in change,
    });
    expect(await readResumeReference(folder, agent)).toEqual({ status: 'found', reference });
  });
});

describe('the keeper of one process', () => {
  it('takes two ends of a turn at once, and continues after a write that failed', async () => {
    const keeper = createReferenceKeeper(folder, agent);
    await Promise.all([keeper.keep(reference), keeper.keep(reference), keeper.keep('later'), keeper.keep('later')]);
    expect(await read()).toBe('later');
    await rm(folder, { recursive: true });
    await expect(keeper.keep(reference)).rejects.toThrow();
    await mkdir(folder);
    await keeper.keep(reference);
    expect(await read()).toBe(reference);
  });

  it('that has dropped its conversation keeps no later one, whatever the agent put there [BX-01]', async () => {
    const keeper = createReferenceKeeper(folder, agent);
    await keeper.keep(reference);
    await Promise.all([keeper.drop(), keeper.keep('later')]);
    expect(await readdir(folder)).toEqual([]);
    await mkdir(join(folder, 'resume.json'));
    await keeper.drop();
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('what an agent put in its place', () => {
  it.each([
    ['a flag', '--settings=x'],
    ['a short flag', '-p'],
    ['a path', '../../other/agent'],
    ['a value with a blank', 'a --settings=x'],
    ['a value with a line end', 'a\n'],
    ['a value with NUL', 'a\0'],
    ['nothing', ''],
    ['a long one', 'a'.repeat(129)],
    ['a list', ['a']],
    ['an object', { toString: 'a' }],
  ])('is no reference: %s [A28]', async (_, given) => {
    await forge(referTo(given));
    expect(await read()).toBeUndefined();
  });

  it.each([
    ['no JSON', '{"target":'],
    ['a list', '[]'],
    ['null', 'null'],
    ['no target', JSON.stringify({ reference })],
    ['more than is read', `${' '.repeat(4_096)}${referTo(reference)}`],
  ])('is no file of ours: %s', async (_, content) => {
    await forge(content);
    expect(await read()).toBeUndefined();
  });

  it('is read no further than a reference needs, however large it is', async () => {
    await forge(`{"target":"${'a'.repeat(8 * 1024 * 1024)}"}`);
    expect(await read()).toBeUndefined();
  });

  it('is not followed where it is a link, and is nothing where it is a folder [S19 A29]', async () => {
    const elsewhere = join(folder, 'elsewhere.json');
    await writeFile(elsewhere, referTo(reference));
    await symlink(elsewhere, join(folder, 'resume.json'));
    expect(await read()).toBeUndefined();
    await rm(join(folder, 'resume.json'));
    await mkdir(join(folder, 'resume.json'));
    expect(await read()).toBeUndefined();
  });

  it('is not written through where it is a link [S19 A29]', async () => {
    const elsewhere = join(folder, 'elsewhere');
    await writeFile(elsewhere, 'precious');
    for (const name of ['resume.json', 'resume.json.draft']) await symlink(elsewhere, join(folder, name));
    await keep(reference);
    expect(await readFile(elsewhere, 'utf8')).toBe('precious');
    expect(await read()).toBe(reference);
  });
});
