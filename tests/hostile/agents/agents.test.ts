import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Profile, profileSchema } from '@attache/contracts';
import { readOfferedProfiles } from '@attache/process-setup';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HostileStack, startHostile } from '../fixtures/hostile-stack.ts';

let stack: HostileStack;
/** Nobody makes it. */
const planted = join(tmpdir(), `attache-planted-${randomUUID()}`);

const exampleWith = (changes: Partial<Profile>): Profile => {
  const example = {
    runtime: 'acp',
    command: ['attache-example-agent'],
    provider: 'example',
    model: 'example-vision',
    sandbox: { network: 'none' },
  };
  return profileSchema.parse({ ...example, ...changes });
};

beforeAll(async () => {
  stack = await startHostile({
    profiles: {
      ...readOfferedProfiles(undefined, '').profiles,
      garbage: exampleWith({ args: ['--garbage'] }),
      exits: exampleWith({ args: ['--exit-before-initialize'] }),
      missing: exampleWith({ command: ['attache-no-such-program'] }),
      folder: exampleWith({ command: ['/etc'] }),
      silent: exampleWith({ command: ['/bin/true'] }),
      echo: exampleWith({ command: ['/bin/cat'] }),
      shell: exampleWith({ command: [`attache-example-agent; touch ${planted}`] }),
    },
  });
});
afterAll(() => stack.stop());

async function deliver(profile: string, text: string) {
  const { session, agent } = await stack.api.createSession({ profile });
  const { deliveries } = await stack.api.send(session.id, { to: [agent.id], text });
  return { session, agent, delivery: await stack.api.settled(deliveries[0].id) };
}

async function expectNextServed(): Promise<void> {
  expect((await deliver('example', 'hello')).delivery.status).toBe('responded');
}

describe('an agent that does not start: the delivery fails by code, the next one is served', () => {
  it.each([
    ['exits before it is initialised', 'exits', 'delivery_agent_start_failed'],
    ['prints garbage instead of answering', 'garbage', 'delivery_protocol_error'],
    ['is no program', 'missing', 'delivery_agent_start_failed'],
    ['is a folder', 'folder', 'delivery_agent_start_failed'],
    ['ends at once and says nothing', 'silent', 'delivery_agent_start_failed'],
    ['gives back what it is told', 'echo', 'delivery_agent_start_failed'],
    ['is a line for a shell', 'shell', 'delivery_agent_start_failed'],
  ])('%s [DL-38]', async (_, profile, code) => {
    const { session, delivery } = await deliver(profile, 'hello');
    expect(delivery).toMatchObject({ status: 'failed', failure: { code, retryable: true } });
    expect(delivery.timeline.map(({ status }) => status)).toEqual(['queued', 'prepared', 'claimed', 'failed']);
    expect((await stack.api.call('GET', `/sessions/${session.id}`)).status).toBe(200);
    await expectNextServed();
  });
});

describe('an agent that misbehaves in its turn: the delivery fails by code, the next one is served', () => {
  it.each([
    ['prints garbage', 'example: garbage', 'delivery_protocol_error'],
    ['writes a line of 64 MB', 'example: long-line 64000000', 'delivery_protocol_error'],
    ['is killed before it answers', 'example: crash-before-answer', 'delivery_agent_crashed'],
    ['is killed in the middle of its answer', 'example: crash', 'delivery_agent_crashed'],
  ])('%s [DL-38]', async (_, text, code) => {
    const { agent, session, delivery } = await deliver('example', text);
    expect(delivery).toMatchObject({ status: 'failed', failure: { code } });
    expect(delivery.failure?.diagnostic.length).toBeLessThan(10_000);
    const again = await stack.api.send(session.id, { to: [agent.id], text: 'and now?' });
    expect(await stack.api.settled(again.deliveries[0].id)).toMatchObject({ status: 'responded' });
    await expectNextServed();
  });
});

describe('an agent that gives media in base64', () => {
  it('leaves a marker in the log, and the bytes as an attachment of its own [SR-24]', async () => {
    const { session, delivery } = await deliver('example', 'example: emit-base64');
    expect(delivery.status).toBe('responded');
    const log = JSON.stringify(await stack.api.events(session.id));
    expect(log).not.toContain('iVBORw0KGgo');
    expect(log).not.toContain('base64,');
    expect(log).toMatch(/\[attachment id=att_[A-Za-z0-9_-]{22} type=image\/png name=/);
    const { body } = await stack.api.call<{
      items: { id: string; origin: string; mimeType: string; sha256: string }[];
    }>('GET', `/sessions/${session.id}/attachments?origin=agent`);
    expect(body.items.length).toBeGreaterThan(0);
    expect(new Set(body.items.map(({ mimeType }) => mimeType))).toEqual(new Set(['image/png']));
    expect((await stack.api.inspected(body.items[0]?.id ?? '')).status).toBe('ready');
  });
});

it('leaves no orphan and no folder of a program that never was', async () => {
  await stack.expectAlive();
  await stack.expectCleanEnd();
  await expect(readFile(planted)).rejects.toThrow('ENOENT');
  const folders = await readdir(join(stack.dataDir, 'agents'));
  expect(folders.filter((name) => !name.startsWith('agt_'))).toEqual([]);
});
