import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentDriver } from '@attache/agent-process';
import { type Profile, profileSchema } from '@attache/contracts';
import { plantedFailure } from '@attache/database/contract';
import { expect, inject, it, vi } from 'vitest';
import { type Conduct, createInnerDriver } from '../__fixtures__/inner-agents.ts';
import { openFixture } from '../__fixtures__/open-fixture.ts';
import { createProbing, probeProfiles } from './probe-profiles.ts';

/** A gateway that offers one program, of which it knows nothing yet. */
async function offer(conduct: Conduct = {}, traits: Partial<AgentDriver['traits']> = {}) {
  const { deps } = await openFixture();
  const program = join(await mkdtemp(join(inject('specFolder'), 'program-')), 'agent');
  await writeFile(program, '', { mode: 0o700 });
  const inner = createInnerDriver(conduct);
  const driver = { ...inner, traits: { ...inner.traits, ...traits } };
  const name = `profile-${randomUUID()}`;
  const given = { runtime: 'acp', command: [program], provider: 'p', model: 'm' };
  const profiles: Record<string, Profile> = { [name]: profileSchema.parse(given) };
  const probe = (isStopped = () => false) => probeProfiles({ ...deps, profiles, drivers: { acp: driver } }, isStopped);
  const change = (profile: string, rest: object = {}) => {
    profiles[profile] = profileSchema.parse({ ...given, ...rest });
  };
  const probing = createProbing({ ...deps, profiles, drivers: { acp: driver } }, () => false);
  return { program, name, started: inner.started, probe, probing, change };
}

it('asks a program once for each version what it takes, and leaves nothing of the look', async () => {
  const { probe, started, program } = await offer();
  await probe();
  await probe();
  expect(started).toHaveLength(1);
  expect(existsSync(started[0]?.spec.folder ?? '')).toBe(false);
  await utimes(program, new Date(), new Date(Date.now() + 60_000));
  await probe();
  expect(started).toHaveLength(2);
});

it('asks again, one after the other, for a profile that came or changed since', async () => {
  const { probing, started, name, change } = await offer();
  probing.ask();
  change(name, { env: { MODE: 'other' } });
  probing.ask();
  change(`profile-${randomUUID()}`);
  probing.ask();
  await probing.settled();
  expect(started).toHaveLength(2);
  change(name, { args: ['--quick'] });
  probing.ask();
  await probing.settled();
  expect(started).toHaveLength(3);
});

it('asks a program that answers at once while another one hangs', async () => {
  const { promise: hangs, resolve: end } = Promise.withResolvers<void>();
  const { probing, started, name, change } = await offer({
    onStart: ({ args }) => (args.includes('--hang') ? hangs : undefined),
  });
  change(name, { args: ['--hang'] });
  change(`profile-${randomUUID()}`, { args: ['--quick'] });
  probing.ask();
  await vi.waitFor(() => expect(started.map(({ spec }) => spec.args)).toEqual([['--quick']]), { timeout: 60_000 });
  end();
  await probing.settled();
  expect(started).toHaveLength(2);
});

it('gives a program that is looked at nothing that an agent has', async () => {
  const { probe, started } = await offer();
  await probe();
  expect(started[0]?.spec).toMatchObject({ socketPath: '', token: '' });
  const call = { callId: 'c', tool: 't', title: 'T', input: {} };
  expect(await started[0]?.hooks.onToolCall(call)).toMatchObject({ decision: 'deny' });
});

it('asks again of a program that did not start', async () => {
  const conduct: Conduct = { startFailure: plantedFailure };
  const { probe, started } = await offer(conduct);
  await probe();
  delete conduct.startFailure;
  await probe();
  expect(started).toHaveLength(1);
});

it('asks nothing of programs that do not describe themselves, nor while the gateway stops', async () => {
  const silent = await offer({}, { isSelfDescribing: false });
  await silent.probe();
  const stopping = await offer();
  await stopping.probe(() => true);
  expect([silent.started, stopping.started]).toEqual([[], []]);
});
