import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { listTestFiles } from './tests/agents/src/list-test-files.ts';
import { listTagged, NOT_END_TO_END } from './tests/runner/plan/stack-tags.ts';

const root = fileURLToPath(new URL('.', import.meta.url));
const SHARED_STACKS = fileURLToPath(new URL('tests/e2e/stack/shared-stacks.ts', import.meta.url));
const EXPLAIN_FAILURES = fileURLToPath(new URL('tests/harness/src/log/explain-failures.ts', import.meta.url));
const COLLECT_ROWS = fileURLToPath(new URL('tests/agents/src/page/collect-rows.ts', import.meta.url));
const SPEC_FOLDER = fileURLToPath(new URL('tests/harness/src/stack/spec-folder.ts', import.meta.url));
const BROWSER = fileURLToPath(new URL('tests/browser/src/set-up.ts', import.meta.url));
const TEST_SERVERS = fileURLToPath(new URL('infra/test-servers.ts', import.meta.url));
const PROVIDE_STARTS = fileURLToPath(new URL('infra/provide-starts.ts', import.meta.url));

// Every limit ends a hang; none is a measure of anything. A test outlasts its own waits, whose errors say more.
const LIMITS = { testTimeout: 180_000, hookTimeout: 180_000 };
const LIMITS_OF_LONG = { testTimeout: 900_000, hookTimeout: 180_000 };
const EXPECTATIONS = { requireAssertions: true, poll: { timeout: 60_000 } };

const project = (name: string, include: string[], options: Record<string, unknown> = {}) => ({
  test: {
    ...{ name, include, exclude: ['**/node_modules/**', '**/*.{int,process,long}.test.ts'] },
    ...{ ...LIMITS, expect: EXPECTATIONS, ...options },
  },
});

export default defineConfig({
  test: {
    maxWorkers: 3,
    experimental: { viteModuleRunner: false },
    projects: [
      // Fast and without network: beside the code. Files share their modules, which halves the time.
      project(
        'unit',
        [
          '{packages,services,apps,bench}/**/src/**/*.test.ts',
          'packages/*/*.test.ts',
          'infra/**/*.test.ts',
          'scripts/**/*.test.ts',
          'tests/{harness/src,runner}/**/*.test.ts',
        ],
        { pool: 'threads', isolate: false },
      ),
      // Beside each use case: what it does to the embedded ports, in this process; and walks over many samples. The files of a worker share one database.
      project('spec', ['{packages,services}/*/src/**/*.spec.ts'], {
        ...{ isolate: false, maxWorkers: 2 },
        globalSetup: [SPEC_FOLDER],
      }),
      // Beside the code too, each file in a process of its own: processes are started and killed, or the process itself is changed, measured or holds a database.
      project('process', ['**/*.process.test.ts', 'tests/e2e/agent-process/*.test.ts'], {
        exclude: ['**/node_modules/**'],
      }),
      // Import rules and the shape of the code.
      project('architecture', ['tests/architecture/**/*.test.ts'], { pool: 'threads', isolate: false }),
      // Real servers; each suite says what it needs.
      project('int', ['**/*.int.test.ts'], {
        isolate: false,
        exclude: ['**/node_modules/**'],
        globalSetup: [TEST_SERVERS],
        setupFiles: [PROVIDE_STARTS],
        provide: { sharedServers: ['postgres', 'nats', 'minio', 'versitygw'] },
      }),
      // Queries over a database that has grown: what each reads is counted.
      project('queries', ['packages/database/contract/large/*.test.ts'], {
        globalSetup: [TEST_SERVERS],
        setupFiles: [PROVIDE_STARTS],
        provide: { sharedServers: [] },
      }),
      // What costs much and seldom breaks, and limits as long as they really are: by `npm run test:long` alone, each file in a process of its own.
      project('long', ['**/*.long.test.ts'], {
        ...LIMITS_OF_LONG,
        exclude: ['**/node_modules/**'],
        globalSetup: [TEST_SERVERS],
        setupFiles: [PROVIDE_STARTS, EXPLAIN_FAILURES],
        provide: { sharedServers: ['postgres', 'nats', 'minio', 'versitygw'] },
      }),
      // What generators make of the public contract, in a language that the tests bring themselves.
      project('clients', ['tests/generated-clients/*.test.ts']),
      // The composed product over HTTP, with real agent subprocesses: the same suites on both stacks.
      project('e2e', ['tests/e2e/**/*.test.ts'], {
        isolate: false,
        exclude: [...NOT_END_TO_END],
        globalSetup: [SHARED_STACKS],
        setupFiles: [EXPLAIN_FAILURES],
        provide: { stack: 'embedded' },
      }),
      // `npm test` runs those whose outcome the second stack can change.
      project('e2e-hosted', [...listTagged(root, 'hosted', 'every'), ...listTagged(root, 'hosted', 'long')], {
        isolate: false,
        globalSetup: [TEST_SERVERS, SHARED_STACKS],
        setupFiles: [EXPLAIN_FAILURES],
        provide: { stack: 'hosted', sharedServers: ['postgres', 'minio'] },
      }),
      // What pages of users do, in a real Chromium, on an embedded stack that all suites share.
      project('browser', ['tests/browser/**/*.test.ts'], { maxWorkers: 2, isolate: false, globalSetup: [BROWSER] }),
      // Bad input on a running product.
      project('hostile', ['tests/hostile/**/*.test.ts'], {
        isolate: false,
        setupFiles: [EXPLAIN_FAILURES],
      }),
      // Real agents from npm, and a stub of the model APIs behind them.
      project('agents', listTestFiles(process.env), {
        maxWorkers: 4,
        isolate: false,
        globalSetup: [COLLECT_ROWS],
        setupFiles: [EXPLAIN_FAILURES],
      }),
      // Kills at random moments.
      project('faults', ['tests/faults/**/*.test.ts'], { ...LIMITS_OF_LONG, setupFiles: [EXPLAIN_FAILURES] }),
      // The same for the hosted stack, its servers included; each suite starts servers of its own, to kill them.
      project('faults-hosted', ['tests/{faults-hosted,takeover}/**/*.test.ts'], {
        ...LIMITS_OF_LONG,
        setupFiles: [EXPLAIN_FAILURES],
        globalSetup: [TEST_SERVERS],
        provide: { sharedServers: [] },
      }),
    ],
  },
});
