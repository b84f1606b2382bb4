import { defineConfig } from 'vitest/config';

const project = (name: string, include: string[], options: Record<string, unknown> = {}) => ({
  test: { name, include, exclude: ['**/node_modules/**', '**/*.int.test.ts', '**/*.process.test.ts'], ...options },
});

export default defineConfig({
  test: {
    projects: [
      // Fast and without network: beside the code. Files share their modules, which halves the time.
      project(
        'unit',
        ['{packages,services,apps,bench}/**/src/**/*.test.ts', 'packages/*/*.test.ts', 'scripts/*.test.ts'],
        { pool: 'threads', isolate: false },
      ),
      // Beside the code too, each file in a process of its own: processes are started and killed, or the process itself is changed, measured or holds a database.
      project('process', ['**/*.process.test.ts'], { exclude: ['**/node_modules/**'], testTimeout: 30_000 }),
      // Import rules and the shape of the code.
      project('architecture', ['tests/architecture/**/*.test.ts'], { testTimeout: 60_000, hookTimeout: 60_000 }),
      // Real servers; each suite says what it needs.
      project('int', ['**/*.int.test.ts'], {
        exclude: ['**/node_modules/**'],
        testTimeout: 60_000,
        hookTimeout: 60_000,
      }),
      // The composed product over HTTP, with real agent subprocesses.
      project('e2e', ['tests/e2e/**/*.test.ts'], { testTimeout: 60_000, hookTimeout: 60_000 }),
      // Bad input on a running product.
      project('hostile', ['tests/hostile/**/*.test.ts'], { testTimeout: 120_000, hookTimeout: 60_000 }),
      // Kills at random moments.
      project('faults', ['tests/faults/**/*.test.ts'], { testTimeout: 900_000, hookTimeout: 60_000 }),
    ],
  },
});
