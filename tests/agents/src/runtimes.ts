import type { profileSchema } from '@attache/contracts';
import type { AgentName } from '@attache/infra/agents/agent-table';
import { claudeTools, codexTools, geminiTools, type OwnTools, openCodeTools } from './own-tools.ts';

export type ProfileInput = (typeof profileSchema)['_input'];

/** A real program as it is driven here. */
export type RuntimeUnderTest = {
  /** Name of its profile. */
  key: string;
  program: AgentName;
  runtime: ProfileInput['runtime'];
  args: readonly string[];
  api: 'anthropic' | 'openai-responses' | 'openai-chat' | 'google';
  provider: string;
  model: string;
  /** What the model sees of the program's own shell. */
  shell(command: string): { name: string; input: unknown };
  /** The same as the program takes it by default: where a shell can be asked to leave its sandbox, it is not. */
  bareShell(command: string): { name: string; input: unknown };
  /** Its tools beside the shell. */
  ownTools: OwnTools;
  /** What the model sees of a tool of Attaché's MCP server. */
  ownTool(name: string): string;
  /** Whether a later process goes on with the conversation. */
  isResumable: boolean;
};

const mcpStyle = (name: string) => `mcp__attache__${name}`;
const bash = (command: string) => ({ name: 'Bash', input: { command, description: 'try' } });
const lowerBash = (command: string) => ({ ...bash(command), name: 'bash' });
const runShellCommand = (command: string) => ({ ...bash(command), name: 'run_shell_command' });
const execCommand = (command: string) => ({ name: 'exec_command', input: { cmd: command } });

export const runtimesUnderTest: readonly RuntimeUnderTest[] = [
  {
    ...{ key: 'claude', program: 'claude-code', runtime: 'claude-stream-json', args: [] },
    ...{ api: 'anthropic', provider: 'anthropic', model: 'claude-sonnet-5' },
    ...{ shell: bash, bareShell: bash, ownTools: claudeTools, ownTool: mcpStyle, isResumable: true },
  },
  {
    ...{ key: 'codex', program: 'codex', runtime: 'codex-app-server', args: [] },
    ...{ api: 'openai-responses', provider: 'openai', model: 'gpt-5.5' },
    ...{ shell: execCommand, bareShell: execCommand, ownTools: codexTools, ownTool: mcpStyle, isResumable: true },
  },
  {
    ...{ key: 'claude-acp', program: 'claude-agent-acp', runtime: 'acp', args: [] },
    ...{ api: 'anthropic', provider: 'anthropic', model: 'claude-sonnet-5' },
    ...{ shell: bash, bareShell: bash, ownTools: claudeTools, ownTool: mcpStyle, isResumable: true },
  },
  {
    ...{ key: 'codex-acp', program: 'codex-acp', runtime: 'acp', args: [] },
    ...{ api: 'openai-responses', provider: 'openai', model: 'gpt-5.5' },
    // Its sandbox lets reading pass; what it does not let pass is asked about.
    shell: (command) => ({
      name: 'exec_command',
      input: { cmd: command, sandbox_permissions: 'require_escalated', justification: 'try' },
    }),
    ...{ bareShell: execCommand, ownTools: codexTools, ownTool: mcpStyle, isResumable: true },
  },
  {
    ...{ key: 'gemini', program: 'gemini-cli', runtime: 'acp', args: ['--acp'] },
    ...{ api: 'google', provider: 'google', model: 'gemini-2.5-pro' },
    ...{ shell: runShellCommand, bareShell: runShellCommand },
    ownTools: geminiTools,
    ownTool: (name) => `mcp_attache_${name}`,
    isResumable: false,
  },
  {
    ...{ key: 'opencode', program: 'opencode-ai', runtime: 'acp', args: ['acp'] },
    ...{ api: 'openai-chat', provider: 'gw', model: 'm' },
    ...{ shell: lowerBash, bareShell: lowerBash },
    ownTools: openCodeTools,
    ownTool: (name) => `attache_${name}`,
    isResumable: true,
  },
];

const everything = { image: true, pdf: true, text: true, audio: true };
const wordsOnly = { image: false, pdf: false, text: true, audio: false };

/** The profile of a runtime, pointed at a stub; with a model that takes every kind, or only text. */
export function profileOf(
  { runtime, args, api, provider, model }: RuntimeUnderTest,
  program: string,
  stubUrl: string,
  ability: 'everything' | 'text',
): ProfileInput {
  const isVersioned = api === 'openai-responses' || api === 'openai-chat';
  return {
    runtime,
    command: [program, ...args],
    ...{ provider, model },
    endpoint: { api, baseUrl: isVersioned ? `${stubUrl}/v1` : stubUrl, apiKey: 'env:STUB_KEY' },
    capability: ability === 'everything' ? everything : wordsOnly,
  };
}
