// The configuration inside an emulated machine: one project, and time for a processor that is many times slower. Every limit ends a hang.
export default {
  root: '/repository',
  cacheDir: '/tmp/vite',
  test: {
    name: 'process',
    include: ['packages/agent-process/src/**/*.process.test.ts'],
    maxWorkers: 1,
    experimental: { viteModuleRunner: false },
    ...{ testTimeout: 400_000, hookTimeout: 400_000 },
    expect: { requireAssertions: true, poll: { timeout: 200_000 } },
  },
};
