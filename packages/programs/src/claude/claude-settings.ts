import { type AgentSpec, agentFolders } from '@attache/agent-process';
import type { ProgramSettings } from '@attache/agent-process/settings/program-settings';
import { refuseEndpoint } from '@attache/agent-process/settings/refuse-endpoint';

const quiet = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  // Otherwise the program asks the model what a person may type next, and nobody shows it here.
  CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: 'false',
  // Ten are its own choice: a key that is refused would then keep a turn open for more than a minute.
  CLAUDE_CODE_MAX_RETRIES: '2',
};

/** The environment for every program that has Claude Code inside. */
export function claudeEnvironment(spec: AgentSpec): Omit<ProgramSettings, 'args' | 'files'> {
  const { config } = agentFolders(spec.folder);
  const base = { defaults: quiet, homeFolder: config };
  const { endpoint } = spec;
  // Otherwise `@path` in a participant's text brings the content of that file to the model, and no gate is asked.
  const own = { CLAUDE_CONFIG_DIR: config, CLAUDE_CODE_DISABLE_ATTACHMENTS: '1' };
  if (endpoint === undefined) return { ...base, env: own };
  return {
    ...base,
    env: {
      ...own,
      // It adds the version itself.
      ANTHROPIC_BASE_URL: endpoint.baseUrl.replace(/\/v1\/?$/, ''),
      ...(endpoint.apiKey === undefined ? {} : { ANTHROPIC_API_KEY: endpoint.apiKey }),
    },
    refusal: refuseEndpoint(endpoint, ['anthropic']),
  };
}

/** Claude Code as a long-lived process that takes a line a turn. No settings of the workspace are read: they may run commands. */
export function claudeSettings(spec: AgentSpec): ProgramSettings {
  return { ...claudeEnvironment(spec), args: claudeArguments(spec), files: [] };
}

function claudeArguments(spec: AgentSpec): string[] {
  const protocol = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
  const [command, ...args] = spec.mcpCommand ?? [];
  const servers = command === undefined ? {} : { attache: { type: 'stdio', command, args } };
  return [
    ...protocol,
    '--include-partial-messages',
    ...['--permission-prompt-tool', 'stdio'],
    ...['--setting-sources', spec.home === undefined ? '' : 'user'],
    ...['--strict-mcp-config', '--mcp-config', JSON.stringify({ mcpServers: servers })],
    ...(spec.permissionMode === 'deny' ? ['--tools', ''] : []),
    ...(spec.model === 'default' ? [] : ['--model', spec.model]),
    ...(spec.resumeReference === undefined ? [] : ['--resume', spec.resumeReference]),
  ];
}
