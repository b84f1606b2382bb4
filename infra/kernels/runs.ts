import type { Architecture } from './machines.ts';

/** One boot of a machine: which tests of `packages/agent-process/src` it runs there, and as whom. */
export type KernelRun = { name: string; architecture: Architecture; user: number; files: readonly string[] };

const ROOT = 0;
const NOBODY = 65_534;

const calls = 'sandbox/seccomp/system-calls.process';
const limits = 'limits/cgroup/cgroup.process';
const agents = ['sandbox/sandbox.process', calls, limits];
const box = ['sandbox/attache-box.process'];
const forwarder = ['sandbox/attache-box-forwarder.process'];
const separated = ['users/own-user.process', 'sandbox/hostile-agent.process'];

/** In each of them every test has to run: none may be skipped. */
export const kernelRuns: readonly KernelRun[] = [
  { name: 'arm64-box', architecture: 'arm64', user: ROOT, files: box },
  { name: 'arm64-forwarder', architecture: 'arm64', user: ROOT, files: forwarder },
  { name: 'arm64-root', architecture: 'arm64', user: ROOT, files: agents },
  { name: 'arm64-users', architecture: 'arm64', user: ROOT, files: separated },
  { name: 'arm64-nobody', architecture: 'arm64', user: NOBODY, files: agents },
  { name: 'x64-root', architecture: 'x64', user: ROOT, files: [calls, limits] },
  { name: 'x64-nobody', architecture: 'x64', user: NOBODY, files: [calls, limits] },
];
