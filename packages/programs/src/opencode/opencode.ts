import { PERMISSION_REQUEST } from '../gate-place.ts';
import type { Program } from '../program.ts';
import { openCodeRows } from './opencode-rows.ts';

const PROGRAM = 'opencode';

/** OpenCode as an agent of the Agent Client Protocol. */
export const openCode: Program = {
  name: PROGRAM,
  runtime: 'acp',
  takesAnyCommand: false,
  rows: openCodeRows,
  providers: ['anthropic', 'openai', 'google'],
  gate: {
    place: `${PERMISSION_REQUEST}, with the permission \`"*": "ask"\``,
    coversEveryCall: true,
    note: 'A refused call ends the turn. Its `glob`, `grep` and lists of skills need ripgrep: install `rg`.',
    runsAnyway: [],
    denial: 'the permission `"*": "deny"`',
  },
  listsToolsAtStart: true,
  isBundled: false,
  profile: { name: 'opencode', command: [PROGRAM, 'acp'] },
  package: { key: 'opencode-ai', npmPackage: 'opencode-ai', version: '1.18.33', bin: PROGRAM },
  hosts: [
    ...['opencode.ai:443', 'api.anthropic.com:443', 'api.openai.com:443', 'auth.openai.com:443', 'chatgpt.com:443'],
    'generativelanguage.googleapis.com:443',
  ],
  // A title, by the model of its turns.
  errands: [{ kind: 'generate' }],
  turnRequests: { carryTools: true, errandTexts: [] },
  memory: {
    files: [
      { path: 'config/data/opencode/opencode.db', form: 'database', isNeeded: true },
      { path: 'config/data/opencode/tool-output/**', form: 'whole', isNeeded: false },
    ],
    hindrances: ['config/data/opencode/opencode.db-*'],
  },
  words: {
    endpoint: {
      apis: ['anthropic', 'openai-responses', 'openai-chat', 'google'],
      by: 'settings in a variable, as the provider named `provider`',
      model: 'told, as `provider/model`',
    },
    resumesBy: '`session/resume`',
    homeUnderDeny: 'its settings do not count, its sign-in does',
  },
  loadDriver: async () => (await import('./opencode-driver.ts')).openCodeDriver,
  loadTrial: async () => (await import('./opencode-trial.ts')).openCodeTrial,
};
