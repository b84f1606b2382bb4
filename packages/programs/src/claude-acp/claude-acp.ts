import type { TransportRow } from '@attache/domain';
import { claudeMemory } from '../claude/claude-memory.ts';
import { claudeKinds } from '../claude/claude-rows.ts';
import { overAcp, seenOn } from '../evidence.ts';
import { PERMISSION_REQUEST } from '../gate-place.ts';
import type { Program } from '../program.ts';

const PROGRAM = 'claude-agent-acp';

const row: TransportRow = {
  ...overAcp,
  program: PROGRAM,
  tools: 'yes',
  readsFiles: seenOn(
    '2026-11-22',
    'claude-agent-acp 0.100.0: its shell read a .docx and Read an SVG by the path that attachment_file told.',
  ),
  kinds: claudeKinds,
  evidence: seenOn(
    '2026-11-21',
    'claude-agent-acp 0.100.0: image blocks of up to 512,000 bytes, 2000 px a side and 1920×1920 px, and PDF as embedded resources reached ' +
      'the model with the same digest; larger images reached it as another JPEG or PNG. Sound was an error.',
  ),
};

/** Claude Code behind an adapter to the Agent Client Protocol. */
export const claudeAcp: Program = {
  name: PROGRAM,
  runtime: 'acp',
  takesAnyCommand: false,
  rows: [row],
  providers: ['anthropic'],
  gate: {
    place: `${PERMISSION_REQUEST}, with settings that make its tools ask`,
    coversEveryCall: false,
    note: 'Bash, Read, Edit, Write, NotebookEdit, Glob, Grep, WebFetch, WebSearch, Task, Monitor and MCP tools ask; its plans, schedules and worktrees do not.',
    runsAnyway: [],
    denial: 'an empty list of tools',
  },
  listsToolsAtStart: true,
  isBundled: false,
  profile: { name: 'claude-acp', command: [PROGRAM], provider: 'anthropic' },
  package: { key: PROGRAM, npmPackage: '@agentclientprotocol/claude-agent-acp', version: '0.100.0', bin: PROGRAM },
  hosts: ['api.anthropic.com:443', 'platform.claude.com:443', 'claude.ai:443'],
  // A title, by the model of its turns, and how large the conversation is.
  errands: [{ kind: 'generate' }, { kind: 'count-tokens' }],
  // Suggestions of what the user may type next, and a summary.
  turnRequests: { carryTools: true, errandTexts: ['[SUGGESTION MODE:', 'CRITICAL: Respond with TEXT ONLY'] },
  memory: claudeMemory,
  words: {
    endpoint: { apis: ['anthropic'], by: 'variables', model: 'told' },
    resumesBy: '`session/resume`',
    homeUnderDeny:
      'its session asks for no MCP servers but ours; no trial has shown that others would run without that',
  },
  loadDriver: async () => (await import('./claude-acp-driver.ts')).claudeAcpDriver,
  loadTrial: async () => (await import('../claude/claude-trial.ts')).claudeTrial,
};
