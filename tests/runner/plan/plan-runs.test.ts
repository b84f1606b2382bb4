import { describe, expect, it } from 'vitest';
import type { Times } from '../record/times.ts';
import { longNameOf, planLong, planShort, type RunFacts } from './plan-runs.ts';
import { projects } from './projects.ts';

const facts: RunFacts = {
  seed: 7,
  hosted: { every: ['tests/e2e/a.test.ts'], long: ['tests/e2e/b.test.ts', 'tests/e2e/c.test.ts'] },
  agents: ['claude', 'codex', 'gemini'],
  kills: {
    faults: ['tests/faults/kill.test.ts', 'tests/faults/steps.test.ts'],
    'faults-hosted': ['tests/faults-hosted/kill.test.ts'],
  },
  areAgentsChanged: false,
};

describe('the short run', () => {
  it('has every project but the long ones, in the order of their cost, or those that were named', () => {
    const short = projects.filter(({ isLong }) => !isLong);
    expect(planShort(facts, []).map(({ name }) => name)).toEqual(short.map(({ name }) => name));
    expect(planShort(facts, ['queries']).map(({ name }) => name)).toEqual(['queries']);
    expect(planShort(facts, ['faults', 'unit']).map(({ name }) => name)).toEqual(['unit', 'faults']);
  });

  it('drives a third of the programs, and all of them where a row or a version changed', () => {
    const agentsOf = (changed: boolean) =>
      planShort({ ...facts, areAgentsChanged: changed }, ['agents'])[0]?.environment?.ATTACHE_TEST_AGENTS?.split(',');
    expect(agentsOf(false)).toHaveLength(1);
    expect(agentsOf(true)).toEqual(facts.agents);
    const sizesOf = (changed: boolean) =>
      planShort({ ...facts, areAgentsChanged: changed }, ['agents'])[0]?.environment?.ATTACHE_TEST_SIZES;
    expect([sizesOf(false), sizesOf(true)]).toEqual(['1', undefined]);
  });

  it('runs on the second stack what that can change, makes few kills and refuses few uploads', () => {
    expect(planShort(facts, ['hostile'])[0]?.environment).toEqual({ ATTACHE_TEST_REFUSALS: 'few' });
    const [hosted] = planShort(facts, ['e2e-hosted']);
    expect(hosted?.files).toEqual(facts.hosted.every);
    for (const { environment } of planShort(facts, ['faults', 'faults-hosted']))
      expect(environment).toEqual({ ATTACHE_TEST_KILLS: 'few' });
  });
});

describe('the long run', () => {
  it('has what the short one leaves out', () => {
    const { runs, leftOut } = planLong(facts, [], undefined, undefined);
    expect(leftOut).toEqual([]);
    expect(runs.map(({ name, files, environment }) => [name, files ?? environment])).toEqual([
      ['queries (long)', undefined],
      ['clients (long)', undefined],
      ['e2e-hosted (long)', facts.hosted.long],
      ['hostile (long)', ['tests/hostile/requests/refused-uploads.test.ts']],
      ['agents (long)', { ATTACHE_TEST_AGENTS: 'claude,codex,gemini' }],
      ['faults (long)', facts.kills.faults],
      ['faults-hosted (long)', facts.kills['faults-hosted']],
    ]);
    for (const { environment } of runs.slice(-2)) expect(environment).toEqual({ ATTACHE_TEST_KILLS: 'all' });
  });

  it('fits into a budget by the times that were kept, and names what it leaves out', () => {
    const files = {
      [facts.hosted.long[0] ?? '']: { seconds: 10, tests: {} },
      'tests/faults/kill.test.ts': { seconds: 500, tests: {} },
      'tests/faults/steps.test.ts': { seconds: 5, tests: {} },
      'tests/faults-hosted/kill.test.ts': { seconds: 20, tests: {} },
    };
    const project = (name: string, seconds: number) => [longNameOf(name), { seconds, files }];
    const times = {
      measuredOn: '2026-01-01',
      machine: '2 × any',
      projects: Object.fromEntries([
        ...[
          project('queries', 30),
          project('clients', 20),
          project('e2e-hosted', 40),
          project('hostile', 400),
          project('agents', 90),
          project('faults', 500),
          project('faults-hosted', 20),
        ],
      ]),
    } as Times;
    const { runs, leftOut } = planLong(facts, [], 255_000, times);
    expect(leftOut).toEqual(['hostile all refusals', 'faults tests/faults/kill.test.ts']);
    expect(runs.map(({ name }) => name)).toEqual([
      'queries (long)',
      'clients (long)',
      'e2e-hosted (long)',
      'agents (long)',
      'faults (long)',
      'faults-hosted (long)',
    ]);
    expect(runs.find(({ name }) => name === 'faults (long)')?.files).toEqual(['tests/faults/steps.test.ts']);
    expect(planLong(facts, [], 25_000, times).leftOut.length).toBeGreaterThan(3);
  });

  it('has the projects that were named alone', () => {
    expect(planLong(facts, ['faults'], undefined, undefined).runs.map(({ name }) => name)).toEqual(['faults (long)']);
    expect(planLong(facts, ['unit'], undefined, undefined).runs).toEqual([]);
  });
});
