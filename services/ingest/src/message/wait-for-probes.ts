import { setTimeout as delay } from 'node:timers/promises';
import type { DeliveryPlan, Profile } from '@attache/contracts';
import { type AgentRow, type Probes, readNewestProbes } from '@attache/database';
import type { Caller } from '../caller/caller.ts';
import type { IngestDeps } from '../ingest-deps.ts';

/** As long as a gateway gives a program to start and answer. */
const WAIT_MS = 30_000;
const POLL_MS = 500;

/** Profiles whose programs were never asked what they carry, while nothing but that blocks a plan. */
export function findUnasked(
  { agents, plans }: { agents: readonly Pick<AgentRow, 'profile'>[]; plans: readonly DeliveryPlan[] },
  probes: Probes,
  isUnknownOverridden: boolean,
): string[] {
  const isOpen = ({ checks: { transport, model } }: DeliveryPlan['items'][number]) =>
    transport === 'unknown' && (model === 'yes' || (model === 'unknown' && isUnknownOverridden));
  const isWaiting = ({ profile }: Pick<AgentRow, 'profile'>, index: number) =>
    !probes.has(profile) && plans[index]?.items.some((item) => item.becomes === 'blocked' && isOpen(item));
  return agents.filter(isWaiting).map(({ profile }) => profile);
}

/** When the wait for each profile is over. A profile that was read again is another one. */
const ends = new WeakMap<Profile, number>();

type ProbeDeps = Pick<IngestDeps, 'db' | 'profiles'> & { settings: Pick<IngestDeps['settings'], 'limits'> };

/** Waits until each of these programs was asked what it carries: 30 s from the first message that needs it, since one that cannot be asked would hold up each. False: one was not. */
export async function waitForProbes(
  deps: ProbeDeps,
  { tenantId }: Pick<Caller, 'tenantId'>,
  profiles: readonly string[],
): Promise<boolean> {
  const until = Math.max(0, ...profiles.map((profile) => findEnd(deps, profile)));
  for (;;) {
    const probes = await deps.db.readAsTenant(tenantId, (tx) => readNewestProbes(tx, profiles));
    if (profiles.every((profile) => probes.has(profile))) return true;
    const leftMs = until - performance.now();
    if (leftMs <= 0) return false;
    await delay(Math.min(POLL_MS, leftMs));
  }
}

function findEnd({ profiles, settings }: ProbeDeps, name: string): number {
  const profile = profiles[name];
  if (profile === undefined) return 0;
  const end = ends.get(profile) ?? performance.now() + (settings.limits?.probeMs ?? WAIT_MS);
  ends.set(profile, end);
  return end;
}
