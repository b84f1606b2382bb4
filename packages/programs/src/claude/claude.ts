import type { Program } from '../program.ts';
import { claudeMemory } from './claude-memory.ts';
import { claudeRows } from './claude-rows.ts';

/** Claude Code, by its stream-json input and its control protocol. */
export const claude: Program = {
  name: 'claude',
  runtime: 'claude-stream-json',
  takesAnyCommand: true,
  rows: claudeRows,
  providers: ['anthropic'],
  gate: {
    place: 'the PreToolUse callback of the control protocol',
    coversEveryCall: true,
    note: 'It comes before every call, with the arguments, whatever the permission mode would let pass.',
    runsAnyway: [],
    denial: 'an empty list of tools',
  },
  listsToolsAtStart: true,
  isBundled: false,
  profile: { name: 'claude', command: ['claude'], provider: 'anthropic' },
  package: { key: 'claude-code', npmPackage: '@anthropic-ai/claude-code', version: '2.1.329', bin: 'claude' },
  hosts: ['api.anthropic.com:443', 'platform.claude.com:443', 'claude.ai:443'],
  errands: [],
  // Suggestions of what the user may type next, and a summary.
  turnRequests: { carryTools: true, errandTexts: ['[SUGGESTION MODE:', 'CRITICAL: Respond with TEXT ONLY'] },
  memory: claudeMemory,
  words: {
    endpoint: { apis: ['anthropic'], by: 'variables', model: 'told' },
    proof: {
      written: "the operating system took the last byte of the user message's line for the program's standard input",
      responded: 'the `result` line of its turn',
    },
    resumesBy: 'its session, by `--resume`',
  },
  loadDriver: async () => (await import('./claude-driver.ts')).claudeDriver,
  loadTrial: async () => (await import('./claude-trial.ts')).claudeTrial,
};
