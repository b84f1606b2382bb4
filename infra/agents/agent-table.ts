/** Programs of agents that Attaché is tried against, each from npm and of one version. */
export type AgentName = keyof typeof agentTable;

export type AgentPackage = { npmPackage: string; version: string; bin: string };

export const agentTable = {
  'claude-code': { npmPackage: '@anthropic-ai/claude-code', version: '2.1.329', bin: 'claude' },
  codex: { npmPackage: '@openai/codex', version: '0.169.0', bin: 'codex' },
  'opencode-ai': { npmPackage: 'opencode-ai', version: '1.18.33', bin: 'opencode' },
  'gemini-cli': { npmPackage: '@google/gemini-cli', version: '0.61.0', bin: 'gemini' },
  'claude-agent-acp': {
    npmPackage: '@agentclientprotocol/claude-agent-acp',
    version: '0.100.0',
    bin: 'claude-agent-acp',
  },
  'codex-acp': { npmPackage: '@agentclientprotocol/codex-acp', version: '2.6.0', bin: 'codex-acp' },
} as const satisfies Record<string, AgentPackage>;

export const agentNames = Object.keys(agentTable) as AgentName[];
