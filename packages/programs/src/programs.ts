import { otherAgents } from './acp/other-agents.ts';
import { claude } from './claude/claude.ts';
import { claudeAcp } from './claude-acp/claude-acp.ts';
import { codex } from './codex/codex.ts';
import { codexAcp } from './codex-acp/codex-acp.ts';
import { example } from './example/example.ts';
import { gemini } from './gemini/gemini.ts';
import { openCode } from './opencode/opencode.ts';
import { pi } from './pi/pi.ts';
import type { Program } from './program.ts';

/** Every program that this release drives, in the order in which documents list them. */
export const programs: readonly Program[] = [
  example,
  claude,
  codex,
  gemini,
  openCode,
  claudeAcp,
  codexAcp,
  pi,
  otherAgents,
];
