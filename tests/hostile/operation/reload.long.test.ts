import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { copyTemplateFolder, makePng, type SpawnedStack, scriptedAgent, spawnStack } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

const example = { runtime: 'acp', command: ['attache-example-agent'], provider: 'example', model: 'example-vision' };
const stranger = {
  ...({ runtime: 'acp', provider: 'someone', model: 'm', sandbox: { mode: 'none' } } as const),
  command: [process.execPath, scriptedAgent],
  capability: { image: true },
};
// Nothing says what its agents reach from their sandbox.
const lost = { runtime: 'acp', command: ['/opt/unknown-agent'], sandbox: { mode: 'bubblewrap' } };
const PATIENCE = { timeout: 60_000, interval: 50 };

let dataDir: string;
let stack: SpawnedStack;
const profilesFile = () => join(dataDir, 'profiles.json');

async function writeProfiles(profiles: object): Promise<void> {
  await writeFile(profilesFile(), JSON.stringify({ profiles }));
}

type Line = { msg: string; level: number; faults?: string[]; warning?: string };

async function readReloads(): Promise<Line[]> {
  const lines = stack.log().split('\n').slice(0, -1);
  return lines.filter((line) => line.includes('"profiles.')).map((line) => JSON.parse(line));
}

/** Sends the signal and waits for what the stack says to it. */
async function reload(): Promise<Line | undefined> {
  const before = (await readReloads()).length;
  stack.process.kill('SIGHUP');
  return await vi.waitFor(async () => {
    const reloads = await readReloads();
    expect(reloads).toHaveLength(before + 1);
    return reloads.at(-1);
  }, PATIENCE);
}

const openSession = (profile: string) =>
  stack.api.call('POST', '/sessions', { body: { agents: [{ name: 'a', role: 'lead', target: { profile } }] } });
const statusOf = async (profile: string) => (await openSession(profile)).status;

beforeAll(async () => {
  dataDir = await copyTemplateFolder();
  await writeProfiles({ first: example, lost });
  const environment = {
    ATTACHE_PROFILES: profilesFile(),
    ATTACHE_LOG_LEVEL: 'info',
    KEY_THAT_IS_SET: 'sk-of-the-test',
  };
  stack = await spawnStack(dataDir, environment);
});
afterAll(async () => {
  await stack?.end('SIGTERM');
  await rm(dataDir, { recursive: true, force: true });
});

it('a stack starts without a profile whose agents would reach nobody, and says what to write in it [BX-22 AT-10]', async () => {
  expect([await statusOf('first'), await statusOf('lost')]).toEqual([201, 422]);
  // A sentence, and no line of the log that says the same.
  const said = stack.log().split('\n');
  expect(said.filter((line) => line.includes('profile lost'))).toEqual([
    expect.stringMatching(/^The agents of the profile lost .+"network": .+ It is not offered\.$/),
  ]);
  expect(await readReloads()).toEqual([]);
});

describe('a stack that gets SIGHUP', () => {
  it.each([
    ['is no JSON', '{"profiles":', ['cannot be read as JSON']],
    [
      'names an unknown runtime, and more',
      JSON.stringify({
        profiles: { first: { ...example, runtime: 'telepathy' }, second: { ...example, command: [] } },
      }),
      ['profiles.first.runtime', 'profiles.second.command'],
    ],
    [
      'has a runtime without a driver and a secret that is not set',
      JSON.stringify({
        profiles: {
          first: { ...example, runtime: 'opencode-run' },
          second: { ...example, secretEnv: { ONE: 'env:KEY_THAT_IS_SET', TWO: 'env:NO_SUCH_KEY' } },
        },
      }),
      ['profile first: runtime opencode-run', 'secretEnv.TWO names env:NO_SUCH_KEY, which is not set'],
    ],
  ])('keeps its profiles where the file %s, and says all that is wrong', async (_, content, said) => {
    await writeFile(profilesFile(), content);
    const line = await reload();
    expect(line).toMatchObject({ msg: 'profiles.not_reloaded', level: 40 });
    for (const words of said) expect(line?.faults?.join('\n')).toContain(words);
    expect(JSON.stringify(line)).not.toContain('sk-of-the-test');
    expect([await statusOf('first'), await statusOf('second')]).toEqual([201, 422]);
  });

  it('offers what a good file says from then on: new sessions, and the next message to an agent', async () => {
    const before = await stack.api.createSession({ profile: 'first' });
    await writeProfiles({ second: { ...example, secretEnv: { ONE: 'env:KEY_THAT_IS_SET' } } });
    expect(await reload()).toMatchObject({
      ...{ msg: 'profiles.reloaded', level: 30 },
      ...{ added: ['second'], removed: ['first'], changed: [] },
    });
    expect([await statusOf('first'), await statusOf('second')]).toEqual([422, 201]);
    const { session, agent } = await stack.api.createSession({ profile: 'second' });
    const { deliveries } = await stack.api.send(session.id, { to: [agent.id], text: 'Hello.' });
    expect(await stack.api.settled(deliveries[0].id)).toMatchObject({ status: 'responded' });
    const body = { to: [before.agent.id], text: 'Hello.' };
    const refused = await stack.api.call('POST', `/sessions/${before.session.id}/messages`, { body });
    expect(refused).toMatchObject({ status: 422, body: { failures: [{ code: 'delivery_target_unknown' }] } });
  });

  it('asks a program that came what it takes: a picture that is sent at once waits for that, and arrives [BX-19]', async () => {
    await writeProfiles({ first: example, stranger });
    await reload();
    const { session, agent } = await stack.api.createSession({ profile: 'stranger' });
    const { attachment } = await stack.api.upload(session.id, makePng(8, 8));
    await stack.api.inspected(attachment.id);
    const draft = { to: [agent.id], text: 'hello', attachmentIds: [attachment.id] };
    const { deliveries } = await stack.api.send(session.id, draft);
    const delivery = await stack.api.settled(deliveries[0].id);
    expect(delivery).toMatchObject({ status: 'responded', receipt: { items: [{ form: 'native' }] } });
  });
});
