import type { ProgramMemory } from '../program-memory.ts';

/** The memory of Claude Code, alone and behind its adapter: they read each other's transcripts, wherever these were written (seen with 2.1.329). */
export const claudeMemory: ProgramMemory = {
  files: [
    { path: 'config/projects/*/{reference}.jsonl', form: 'lines', isNeeded: true },
    // Results of tools that are too long for the transcript.
    { path: 'config/projects/*/{reference}/**', form: 'whole', isNeeded: false },
  ],
};
