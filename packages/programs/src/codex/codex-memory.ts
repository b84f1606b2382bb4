import type { ProgramMemory } from '../program-memory.ts';

/**
 * The memory of Codex, alone and behind its adapter. Its databases hold the path of the folder in which they were made, and a copy of them writes into the file
 * of the agent that it was copied from (seen with 0.169.0); it rebuilds them from this file.
 */
export const codexMemory: ProgramMemory = {
  files: [{ path: 'config/sessions/*/*/*/rollout-*-{reference}.jsonl', form: 'lines', isNeeded: true }],
  hindrances: ['config/state_*.sqlite*', 'config/thread_history_*.sqlite*'],
};
