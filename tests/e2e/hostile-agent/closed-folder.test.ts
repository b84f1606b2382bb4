// hosted: never – the embedded stack has its database in the folder through which agents pass to their own
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { chmod, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { whereSandboxed } from '@attache/agent-process/where-sandboxed';
import { makePng, scriptedAgent } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnStack, openOwnStack } from '../stack/stack.ts';
import { type Place, runScript } from '../steps/turns.ts';

const canChangeUsers = process.getuid?.() === 0 && (await whereSandboxed());
const first = 1_800_000_000 + randomInt(1_000_000);
const last = first + 9;
const boxed = {
  ...({ runtime: 'acp', permissionMode: 'gated' } as const),
  command: [process.execPath, scriptedAgent, 'opencode'],
  sandbox: { mode: 'bubblewrap' as const, network: 'none' as const },
};

/** Opens each place to read and to write, as a process of this user outside of every sandbox, and lists those that let it. */
function openAs(uid: number, places: readonly string[]): string[] {
  const script = `while IFS= read -r f; do
    if test -d "$f"; then ls "$f" >/dev/null && echo "$f"; touch "$f/x" && echo "$f"
    else { true < "$f"; } && echo "$f"; { true >> "$f"; } && echo "$f"; fi
  done 2>/dev/null`;
  const run = spawnSync('/bin/sh', ['-c', script], {
    ...{ uid, gid: first, cwd: '/', encoding: 'utf8' as const, input: `${places.join('\n')}\n` },
  });
  return run.stdout.split('\n').filter((each) => each !== '');
}

describe.runIf(canChangeUsers)('the data folder, where agents and media workers have users of their own', () => {
  let stack: OwnStack;
  let place: Place;
  beforeAll(async () => {
    stack = await openOwnStack({ profiles: { boxed }, agentUids: `${first}-${last}` });
    place = await stack.api.createSession({ profile: 'boxed', model: 'script' });
    const { attachment } = await stack.api.upload(place.session.id, makePng(20, 20));
    await stack.api.inspected(attachment.id);
    await runScript(stack.api, place, ['put made.txt'], []);
  });
  afterAll(() => stack?.stop());

  it('opens to them what is theirs, and nothing else: no file of the database, no blob, no key, no other agent [BX-22 S19]', async () => {
    const own = stack.agentFolder(place.agent.id);
    const data = dirname(dirname(own));
    const ownUser = (await stat(own)).uid;
    const otherUser = ownUser === first ? first + 1 : first;
    const found = await readdir(data, { recursive: true, withFileTypes: true });
    // The log of the stack is a file of this test's.
    const entries = found.filter(({ name, parentPath }) => parentPath !== data || name !== 'log');
    const places = [data, ...entries.map((entry) => join(entry.parentPath, entry.name))];
    const database = join(data, 'database');
    expect(places.filter((each) => each.startsWith(`${database}/`)).length).toBeGreaterThan(900);
    expect((await stat(database)).mode & 0o777).toBe(0o700);
    expect((await stat(data)).mode & 0o777).toBe(0o710);
    // Another agent's user reaches nothing, this agent's and the media workers' only their own folders.
    const reached = [ownUser, otherUser, last].flatMap((uid) =>
      openAs(uid, places).map((each) => [uid, each] as const),
    );
    const foreign = reached.filter(
      ([uid, each]) =>
        !(uid === ownUser && `${each}/`.startsWith(`${own}/`)) &&
        !(uid === last && each.startsWith(join(data, 'media', '/'))),
    );
    expect(foreign).toEqual([]);
    expect(reached.some(([uid]) => uid === ownUser)).toBe(true);
    // The same tries show a folder of an earlier release.
    await chmod(database, 0o755);
    await chmod(join(database, 'PG_VERSION'), 0o666);
    expect(openAs(otherUser, places)).toEqual([database, ...Array(2).fill(join(database, 'PG_VERSION'))]);
    await chmod(database, 0o700);
  });
});
