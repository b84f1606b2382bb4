import path from 'node:path';
import { type AgentSpec, agentFolders } from '@attache/agent-process';
import { ATTACHE_TOOLS } from '@attache/agent-process/settings/attache-tools';
import type { ProgramSettings } from '@attache/agent-process/settings/program-settings';
import { refuseEndpoint } from '@attache/agent-process/settings/refuse-endpoint';

// Without it, tools that only read run without asking.
const ASK_ALWAYS = '[[rule]]\ntoolName = "*"\ndecision = "ask_user"\npriority = 900\n';

// A rule for the whole server is not found where a call is judged (seen with 0.61.0).
const ASK_ATTACHE_ONLY = `[[rule]]
toolName = "*"
decision = "deny"
priority = 998

[[rule]]
toolName = ${JSON.stringify(ATTACHE_TOOLS.map((name) => `mcp_attache_${name}`))}
decision = "ask_user"
priority = 999
`;

/** Gemini CLI as an agent of the Agent Client Protocol. */
export function geminiSettings(spec: AgentSpec): ProgramSettings {
  const { config } = agentFolders(spec.folder);
  const { endpoint } = spec;
  const isDenied = spec.permissionMode === 'deny';
  const policy = path.join(config, '.gemini', 'policies', 'attache.toml');
  return {
    defaults: {},
    env: {
      GEMINI_CLI_HOME: config,
      GEMINI_CLI_NO_RELAUNCH: 'true',
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
      ...(endpoint === undefined ? {} : { GOOGLE_GEMINI_BASE_URL: endpoint.baseUrl.replace(/\/v1beta\/?$/, '') }),
      ...(endpoint?.apiKey === undefined ? {} : { GEMINI_API_KEY: endpoint.apiKey }),
    },
    args: [
      ...(spec.model === 'default' ? [] : ['-m', spec.model]),
      // So that no rule of a copied home comes before it.
      ...(isDenied ? ['--admin-policy', policy] : []),
    ],
    files: [
      { path: path.join(config, '.gemini', 'settings.json'), json: settingsFile(spec) },
      { path: policy, text: isDenied ? ASK_ATTACHE_ONLY : ASK_ALWAYS },
    ],
    homeFolder: config,
    refusal: endpoint === undefined ? undefined : refuseEndpoint(endpoint, ['google']),
  };
}

function settingsFile({ endpoint, folder, permissionMode }: AgentSpec): Record<string, unknown> {
  const signIn = endpoint === undefined ? {} : { auth: { selectedType: 'gemini-api-key' } };
  return {
    // Ten are its own choice, with pauses of up to half a minute.
    general: { enableAutoUpdate: false, maxAttempts: 2 },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    security: { folderTrust: { enabled: false }, ...signIn },
    // Its reader opens nothing outside of its working folder but this.
    ...(permissionMode === 'deny' ? {} : { context: { includeDirectories: [agentFolders(folder).files] } }),
  };
}
