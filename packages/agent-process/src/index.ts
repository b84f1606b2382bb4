export * from './agent-folders.ts';
export * from './child-environment.ts';
export * from './child-marker.ts';
export type { DriverOptions } from './create-driver.ts';
export * from './driver.ts';
export type { EmbeddedBytes } from './frames/create-frame.ts';
export * from './resolve-program.ts';
export { type FoundBubblewrap, findBubblewrap } from './sandbox/find-bubblewrap.ts';
export { findProgramBarrier } from './sandbox/find-program-barrier.ts';
export { readMachineFacts } from './sandbox/machine-facts.ts';
export * from './sandbox/places.ts';
export {
  type PreparedWorkerSandbox,
  prepareWorkerSandbox,
  sandboxWorkers,
} from './sandbox/worker/prepare-worker-sandbox.ts';
export * from './spawn-agent.ts';
export * from './sweep-orphans.ts';
export * from './terminate-agent.ts';
export { type AgentUser, type AgentUsers, createAgentUsers } from './users/agent-users.ts';
export { describeBarrier } from './users/find-barrier.ts';
export { giveToOwnerOfFolder } from './users/give-folder.ts';
export type { UserRange } from './users/users-of-machine.ts';
