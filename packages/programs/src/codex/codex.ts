import type { Program } from '../program.ts';
import { codexMemory } from './codex-memory.ts';
import { codexRows } from './codex-rows.ts';

/** Codex, by its app server. */
export const codex: Program = {
  name: 'codex',
  runtime: 'codex-app-server',
  takesAnyCommand: true,
  rows: codexRows,
  providers: ['openai'],
  gate: {
    place: 'approvals under the policy `untrusted`',
    coversEveryCall: false,
    note: 'Every shell command and every change of a file asks; `view_image`, plans and goals, and the tools of MCP servers of its own home run without.',
    runsAnyway: ['view_image'],
    denial: 'no environment to run in, and its features switched off',
  },
  listsToolsAtStart: true,
  isBundled: false,
  profile: { name: 'codex', command: ['codex'], provider: 'openai' },
  package: { key: 'codex', npmPackage: '@openai/codex', version: '0.169.0', bin: 'codex' },
  hosts: ['api.openai.com:443', 'chatgpt.com:443', 'auth.openai.com:443'],
  errands: [],
  maxTurnCharacters: 1_048_576,
  turnRequests: { carryTools: true, errandTexts: [] },
  memory: codexMemory,
  words: {
    endpoint: { apis: ['openai-responses'], by: 'settings; the key in a variable', model: 'told' },
    proof: {
      written: 'the same of the `turn/start` request, or of `turn/steer` where the delivery entered a turn that ran',
      responded: '`turn/completed`',
    },
    resumesBy: 'its thread, by `thread/resume`',
    homeUnderDeny: 'its `config.toml` does not count: it may name MCP servers and hooks',
  },
  loadDriver: async () => (await import('./codex-driver.ts')).codexDriver,
  loadTrial: async () => (await import('./codex-trial.ts')).codexTrial,
};
