import { describe, expect, it } from 'vitest';
import type { Times } from '../record/times.ts';
import { planLong, planShort, type RunFacts } from './plan-runs.ts';
import { projects } from './projects.ts';

const facts: RunFacts = {
  seed: 7,
  embedded: { every: ['tests/e2e/a.test.ts'], long: ['tests/e2e/d.test.ts'] },
  hosted: { every: ['tests/e2e/a.test.ts'], long: ['tests/e2e/b.test.ts', 'tests/e2e/c.test.ts'] },
  agents: ['claude', 'codex', 'gemini'],
  amounts: {
    process: ['packages/media/src/corpus.process.test.ts'],
    hostile: ['tests/hostile/refusals.test.ts'],
    faults: ['tests/faults/kill.test.ts', 'tests/faults/steps.test.ts'],
    'faults-hosted': ['tests/faults-hosted/kill.test.ts'],
  },
  long: ['infra/stack.long.test.ts', 'packages/bus/rings.long.test.ts'],
  proofs: new Set(['infra/stack.long.test.ts', 'packages/media/src/corpus.process.test.ts']),
  areAgentsChanged: false,
};
const seeds = Array.from({ length: 50 }, (_, seed) => seed);
const namesOf = (runs: readonly { name: string }[]) => runs.map(({ name }) => name);

describe('the short run', () => {
  it('has every project but the long ones, cheap ones first, or those that were named', () => {
    const short = projects.filter(({ isLong, name }) => !isLong && !name.startsWith('faults'));
    expect(namesOf(planShort(facts, [])).slice(0, -1)).toEqual(namesOf(short));
    expect(namesOf(planShort(facts, ['queries']))).toEqual(['queries']);
    expect(namesOf(planShort(facts, ['faults-hosted', 'faults', 'unit']))).toEqual(['unit', 'faults', 'faults-hosted']);
  });

  it('kills one of the two stacks, each in its turn', () => {
    const killed = seeds.map((seed) =>
      namesOf(planShort({ ...facts, seed }, [])).filter((name) => /^faults/.test(name)),
    );
    for (const each of killed) expect(each).toHaveLength(1);
    expect(new Set(killed.flat())).toEqual(new Set(['faults', 'faults-hosted']));
  });

  it('drives one of the programs, and all of them where a row or a version changed', () => {
    const environmentOf = (areAgentsChanged: boolean) =>
      planShort({ ...facts, areAgentsChanged }, ['agents'])[0]?.environment;
    expect(environmentOf(false)?.ATTACHE_TEST_AGENTS?.split(',')).toHaveLength(1);
    expect(environmentOf(true)?.ATTACHE_TEST_AGENTS?.split(',')).toEqual(facts.agents);
    expect([environmentOf(false), environmentOf(true)].map((each) => each?.ATTACHE_TEST_SIZES)).toEqual([
      '7',
      undefined,
    ]);
  });

  it('drives the files of programs that prove a requirement whatever the seed', () => {
    const proof = 'tests/agents/programs/codex/limits.test.ts';
    const proofs = new Set([proof, 'infra/stack.long.test.ts']);
    for (const seed of seeds)
      expect(planShort({ ...facts, seed, proofs }, ['agents'])[0]?.environment?.ATTACHE_TEST_PROOFS).toBe(proof);
    const drawn = seeds.map((seed) => planShort({ ...facts, seed }, ['agents'])[0]?.environment?.ATTACHE_TEST_AGENTS);
    expect(new Set(drawn)).toEqual(new Set(facts.agents));
  });

  it('runs on the second stack what that can change, and takes few samples everywhere', () => {
    const runs = planShort(facts, []);
    expect(runs.find(({ name }) => name === 'e2e')?.files).toEqual(facts.embedded.every);
    expect(runs.find(({ name }) => name === 'e2e-hosted')?.files).toEqual(facts.hosted.every);
    for (const { environment } of runs) expect(environment).toMatchObject({ ATTACHE_TEST_AMOUNT: 'few' });
  });
});

describe('the long run', () => {
  it('has what the short one leaves out', () => {
    const { runs, leftOut } = planLong(facts, [], undefined, undefined);
    expect(leftOut).toEqual([]);
    expect(runs.map(({ name, files, environment }) => [name, files ?? environment])).toEqual([
      ['process (long)', facts.amounts.process],
      ['queries', { ATTACHE_TEST_AMOUNT: 'all' }],
      ['clients', { ATTACHE_TEST_AMOUNT: 'all' }],
      ['long', facts.long],
      ['e2e (long)', facts.embedded.long],
      ['e2e-hosted (long)', facts.hosted.long],
      ['hostile (long)', facts.amounts.hostile],
      ['agents (long)', { ATTACHE_TEST_AMOUNT: 'all', ATTACHE_TEST_AGENTS: 'claude,codex,gemini' }],
      ['faults (long)', facts.amounts.faults],
      ['faults-hosted (long)', facts.amounts['faults-hosted']],
    ]);
    for (const { environment } of runs) expect(environment).toMatchObject({ ATTACHE_TEST_AMOUNT: 'all' });
  });

  const times: Times = {
    ...{ measuredOn: '2026-01-01', machine: '2 × any' },
    projects: {},
    files: {
      queries: { 'a.test.ts': 30, 'b.test.ts': 20 },
      clients: { 'c.test.ts': 20 },
      'process (long)': { 'packages/media/src/corpus.process.test.ts': 15 },
      long: { 'infra/stack.long.test.ts': 50, 'packages/bus/rings.long.test.ts': 10 },
      'e2e (long)': { 'tests/e2e/d.test.ts': 10 },
      'e2e-hosted (long)': { 'tests/e2e/b.test.ts': 10, 'tests/e2e/c.test.ts': 10 },
      'hostile (long)': { 'tests/hostile/refusals.test.ts': 400 },
      'agents (long)': Object.fromEntries(
        facts.agents.flatMap((agent) => [
          [`tests/agents/programs/${agent}/cells.test.ts`, 60],
          [`tests/agents/programs/${agent}/sizes.test.ts`, 30],
        ]),
      ),
      'faults (long)': { 'tests/faults/kill.test.ts': 500, 'tests/faults/steps.test.ts': 5 },
      'faults-hosted (long)': { 'tests/faults-hosted/kill.test.ts': 20 },
    },
  };

  it('fits into a budget by the times that were kept, and names what it leaves out', () => {
    const { runs, leftOut } = planLong(facts, [], 200_000, times);
    expect(leftOut).toEqual(['hostile tests/hostile/refusals.test.ts', 'faults tests/faults/kill.test.ts']);
    expect(runs.find(({ name }) => name === 'faults (long)')?.files).toEqual(['tests/faults/steps.test.ts']);
    expect(runs.find(({ name }) => name === 'agents (long)')?.environment?.ATTACHE_TEST_AGENTS).toBe(
      'claude,codex,gemini',
    );
  });

  it('has the proofs of requirements whatever the seed and the budget', () => {
    for (const seed of seeds) {
      const files = planLong({ ...facts, seed }, [], 1_000, times).runs.flatMap((run) => run.files ?? []);
      expect(new Set(files)).toEqual(facts.proofs);
    }
  });

  it('has the projects that were named alone', () => {
    expect(namesOf(planLong(facts, ['faults'], undefined, undefined).runs)).toEqual(['faults (long)']);
    expect(planLong(facts, ['unit'], undefined, undefined).runs).toEqual([]);
  });
});
