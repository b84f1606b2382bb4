import { asText, notCarried, type TransportRow } from '@attache/domain';
import { codexMemory } from '../codex/codex-memory.ts';
import { inlineImages } from '../codex/codex-rows.ts';
import { overAcp, seenOn } from '../evidence.ts';
import { PERMISSION_REQUEST } from '../gate-place.ts';
import type { Program } from '../program.ts';

const PROGRAM = 'codex-acp';

const row: TransportRow = {
  ...overAcp,
  program: PROGRAM,
  tools: 'yes',
  readsFiles: seenOn(
    '2026-11-22',
    'codex-acp 2.6.0: its shell read a .docx by the path that attachment_file told. It has no other reader but view_image.',
  ),
  kinds: { image: inlineImages, document: notCarried, text: asText, audio: notCarried, video: notCarried },
  evidence: seenOn(
    '2026-11-21',
    'codex-acp 2.6.0 (and that of Zed, 0.16.0): image blocks reached the model; an embedded PDF was pasted as base64 text (or dropped), ' +
      'sound was an error (or dropped).',
  ),
};

/** Codex behind an adapter to the Agent Client Protocol. */
export const codexAcp: Program = {
  name: PROGRAM,
  runtime: 'acp',
  takesAnyCommand: false,
  rows: [row],
  providers: ['openai'],
  gate: {
    place: `${PERMISSION_REQUEST}, where a call wants out of its read-only sandbox`,
    coversEveryCall: false,
    note: 'Every command runs inside it without asking, and so does `view_image`: whatever its account may read, it reads. Eighteen of twenty-four commands brought another session’s file back; the others were kept from writing. A refused call ends the turn.',
    runsAnyway: [
      'cat',
      'head',
      'tail',
      'grep',
      'sed',
      'awk',
      'sort',
      'nl',
      'tac',
      'cut',
      'echo "$(cat …)"',
      'ls',
      'ls … && cat …',
      'find',
      'git',
      'sh -c',
      'bash -lc',
      'env cat',
      'xargs …; cat < …',
      'view_image',
    ],
    denial: 'no environment to run in, and its features switched off',
  },
  listsToolsAtStart: true,
  isBundled: false,
  profile: { name: 'codex-acp', command: [PROGRAM], provider: 'openai' },
  package: { key: PROGRAM, npmPackage: '@agentclientprotocol/codex-acp', version: '2.6.0', bin: PROGRAM },
  hosts: ['api.openai.com:443', 'chatgpt.com:443', 'auth.openai.com:443'],
  // A title.
  errands: [{ kind: 'generate', model: 'gpt-5.6-luna' }],
  // A title.
  maxTurnCharacters: 1_048_576,
  turnRequests: { carryTools: true, errandTexts: ['This is an app-generated request'] },
  memory: codexMemory,
  words: {
    endpoint: { apis: ['openai-responses'], by: 'settings; the key in a variable', model: 'told' },
    resumesBy: '`session/resume`',
    homeUnderDeny: 'its `config.toml` does not count: it may name MCP servers and hooks',
  },
  loadDriver: async () => (await import('./codex-acp-driver.ts')).codexAcpDriver,
  loadTrial: async () => (await import('./codex-acp-trial.ts')).codexAcpTrial,
};
