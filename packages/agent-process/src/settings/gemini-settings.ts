import path from 'node:path';
import { agentFolders } from '../agent-folders.ts';
import type { AgentSpec } from '../driver.ts';
import type { ProgramSettings } from './program-settings.ts';
import { refuseEndpoint } from './refuse-endpoint.ts';

// Without it, tools that only read run without asking.
const ASK_ALWAYS = '[[rule]]\ntoolName = "*"\ndecision = "ask_user"\npriority = 900\n';

/** Gemini CLI as an agent of the Agent Client Protocol. */
export function geminiSettings(spec: AgentSpec): ProgramSettings {
  const { config } = agentFolders(spec.folder);
  const { endpoint } = spec;
  return {
    defaults: {},
    env: {
      GEMINI_CLI_HOME: config,
      GEMINI_CLI_NO_RELAUNCH: 'true',
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
      ...(endpoint === undefined ? {} : { GOOGLE_GEMINI_BASE_URL: endpoint.baseUrl.replace(/\/v1beta\/?$/, '') }),
      ...(endpoint?.apiKey === undefined ? {} : { GEMINI_API_KEY: endpoint.apiKey }),
    },
    args: spec.model === 'default' ? [] : ['-m', spec.model],
    files: [
      { path: path.join(config, '.gemini', 'settings.json'), json: settingsFile(spec) },
      { path: path.join(config, '.gemini', 'policies', 'attache.toml'), text: ASK_ALWAYS },
    ],
    homeFolder: config,
    refusal: endpoint === undefined ? undefined : refuseEndpoint(endpoint, ['google']),
  };
}

function settingsFile({ endpoint }: AgentSpec): Record<string, unknown> {
  const signIn = endpoint === undefined ? {} : { auth: { selectedType: 'gemini-api-key' } };
  return {
    // Ten are its own choice, with pauses of up to half a minute.
    general: { enableAutoUpdate: false, maxAttempts: 2 },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    security: { folderTrust: { enabled: false }, ...signIn },
  };
}
