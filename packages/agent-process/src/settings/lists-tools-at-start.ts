import path from 'node:path';

// Seen of each (versions of docs/compatibility.md): asked for the list of our tools within a second of its start, before any prompt.
const programs: ReadonlySet<string> = new Set([
  'claude',
  'codex',
  'claude-agent-acp',
  'codex-acp',
  'gemini',
  'opencode',
]);

/** Whether a program asks for the tools of its MCP servers by itself when it starts. Of one that is not known, nobody would know how long to wait. */
export function listsToolsAtStart([program = '']: readonly string[]): boolean {
  return programs.has(path.parse(program).name);
}
