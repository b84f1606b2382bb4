import { describe, expect, it } from 'vitest';
import { findReachedTests, nameStarted } from './reach.ts';

const graph = new Map([
  ['packages/domain/src/plan.ts', []],
  ['packages/domain/src/plan.test.ts', ['packages/domain/src/plan.ts']],
  ['services/ingest/src/send.spec.ts', ['packages/domain/src/plan.ts']],
  ['apps/cli/src/main.ts', ['packages/domain/src/plan.ts']],
  ['tests/harness/src/stack/program.ts', ['apps/cli/src/main.ts']],
  ['tests/e2e/a.test.ts', ['tests/harness/src/stack/program.ts']],
  ['packages/media/src/sniff.ts', []],
  ['packages/media/src/sniff.test.ts', ['packages/media/src/sniff.ts']],
]);

describe('what a change can reach', () => {
  it('are the tests that name it, through however many files and through programs that they start', () => {
    expect(findReachedTests(graph, ['packages/domain/src/plan.ts'])).toEqual([
      'packages/domain/src/plan.test.ts',
      'services/ingest/src/send.spec.ts',
      'tests/e2e/a.test.ts',
    ]);
    expect(findReachedTests(graph, ['packages/media/src/sniff.test.ts'])).toEqual(['packages/media/src/sniff.test.ts']);
  });

  it('is nothing for a file that nobody names, and everything for what all tests rest on', () => {
    expect(findReachedTests(graph, ['docs/a.png'])).toEqual([]);
    for (const path of ['package.json', 'pnpm-lock.yaml', 'vitest.config.ts', 'tests/runner/main.ts'])
      expect(findReachedTests(graph, [path]), path).toBeUndefined();
  });

  it('are all tests on real servers for what starts these, which no import of theirs leads to', () => {
    const withServers = new Map([
      ...graph,
      ['infra/native/servers/start-nats.ts', []],
      ['infra/provide-starts.ts', ['infra/native/servers/start-nats.ts']],
      ['packages/event-bus/src/link.int.test.ts', []],
    ]);
    expect(findReachedTests(withServers, ['infra/native/servers/start-nats.ts'])).toEqual([
      'packages/event-bus/src/link.int.test.ts',
    ]);
  });

  it('is what lies beside a file that is read at run time', () => {
    expect(findReachedTests(graph, ['packages/media/src/__fixtures__/a.heic'])).toEqual([
      'packages/media/src/sniff.test.ts',
    ]);
  });
});

it('a program is named by its URL or by the package that exports it', () => {
  const root = new URL('../../..', import.meta.url).pathname;
  expect(nameStarted(root, 'tests/harness/src/stack/program.ts', () => '')).toContain('apps/cli/src/main.ts');
});
