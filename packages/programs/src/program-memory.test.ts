import { describe, expect, it } from 'vitest';
import { isMemoryPath } from './program-memory.ts';
import { programs } from './programs.ts';

const reference = '01999999-0000-7000-8000-0123456789ab';
const memoryOf = (name: string) => {
  const memory = programs.find((program) => program.name === name)?.memory;
  if (memory === undefined) throw new Error(`nothing is known of ${name}`);
  return memory;
};

describe('a checkpoint may hold [BX-26]', () => {
  it.each([
    ['claude', `config/projects/-agent-work/${reference}.jsonl`],
    ['claude-agent-acp', `config/projects/-agent-work/${reference}/tool-results/toolu_1.txt`],
    ['codex', `config/sessions/2026/11/26/rollout-2026-11-26T01-00-00-${reference}.jsonl`],
    ['codex-acp', `config/sessions/2026/11/26/rollout-2026-11-26T01-00-00-${reference}.jsonl`],
    ['opencode', 'config/data/opencode/opencode.db'],
    ['opencode', 'config/data/opencode/tool-output/tool_1'],
    ['gemini', 'config/.gemini/tmp/work/chats/session-2026-01-01T00-00-01999999.jsonl'],
    ['pi', `config/sessions/2026-11-26T01-00-00-000Z_${reference}.jsonl`],
  ])('of %s: %s', (name, path) => {
    expect(isMemoryPath(memoryOf(name), reference, path)).toBe(true);
  });
});

describe('no checkpoint holds a file [S19 S27]', () => {
  const other = reference.replace('0', '1');
  it.each([
    ['claude', `config/projects/-agent-work/${other}.jsonl`],
    ['claude', `config/projects/../${reference}.jsonl`],
    ['claude', `config/projects/a/b/${reference}.jsonl`],
    ['claude', `config/projects/a/${reference}`],
    ['claude', `config/projects/a/${reference}/`],
    ['claude', `config/projects/a/${reference}/../../../.credentials.json`],
    ['claude', `config/projects/a\0/${reference}.jsonl`],
    ['claude', `/config/projects/a/${reference}.jsonl`],
    ['claude', 'config/.credentials.json'],
    ['codex', 'config/auth.json'],
    ['codex', 'config/state_5.sqlite'],
    ['codex', `config/shell_snapshots/${reference}.sh`],
    ['opencode', 'config/data/opencode/auth.json'],
    ['opencode', 'config/data/opencode/opencode.db-wal'],
    ['gemini', 'config/.gemini/oauth_creds.json'],
    ['gemini', 'config/.gemini/tmp/work/chats/session-2026-11-26T01-00-01999999.jsonl'],
    ['pi', 'config/models.json'],
  ])('of %s: %s', (name, path) => {
    expect(isMemoryPath(memoryOf(name), reference, path)).toBe(false);
  });
});
