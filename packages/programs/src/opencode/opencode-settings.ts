import path from 'node:path';
import { type AgentEndpoint, type AgentSpec, agentFolders } from '@attache/agent-process';
import type { ProgramSettings } from '@attache/agent-process/settings/program-settings';

const offline = {
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
  OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  OPENCODE_DISABLE_PROJECT_CONFIG: '1',
  // Otherwise each start installs packages into its configuration.
  NPM_CONFIG_OFFLINE: 'true',
};

const packages: Record<AgentEndpoint['api'], string> = {
  anthropic: '@ai-sdk/anthropic',
  'openai-responses': '@ai-sdk/openai',
  'openai-chat': '@ai-sdk/openai-compatible',
  google: '@ai-sdk/google',
};

/** OpenCode, whose settings are in one variable. */
export function openCodeSettings(spec: AgentSpec): ProgramSettings {
  const { config } = agentFolders(spec.folder);
  const isDenied = spec.permissionMode === 'deny';
  return {
    defaults: offline,
    env: {
      OPENCODE_CONFIG_CONTENT: JSON.stringify(openCodeConfig(spec)),
      // A copied home may say there which tools may run, and have some of its own.
      XDG_CONFIG_HOME: path.join(config, isDenied ? 'no-config' : 'config'),
      XDG_DATA_HOME: path.join(config, 'data'),
      XDG_STATE_HOME: path.join(config, 'state'),
      XDG_CACHE_HOME: path.join(config, 'cache'),
    },
    args: [],
    files: [],
    homeFolder: config,
  };
}

function openCodeConfig(spec: AgentSpec): object {
  const base = {
    autoupdate: false,
    share: 'disabled',
    snapshot: false,
    // Each tool call asks, and waits for the answer; what is denied is not even offered.
    permission: spec.permissionMode === 'deny' ? { '*': 'deny', 'attache_*': 'ask' } : { '*': 'ask' },
  };
  return spec.endpoint === undefined
    ? { ...base, ...modelOf(spec.provider, spec.model) }
    : { ...base, ...providerConfig(spec, spec.endpoint) };
}

// Titles would else go to another model.
function modelOf(provider: string, model: string): object {
  if (model === 'default') return {};
  return { model: `${provider}/${model}`, small_model: `${provider}/${model}` };
}

/**
 * A model that is not listed with a kind gets none of it. What is unknown is listed: plans block it until a tenant or a message opens it, and that may
 * be while the program runs.
 */
function providerConfig(spec: AgentSpec, { api, baseUrl, apiKey }: AgentEndpoint): object {
  const { provider, model, modelTakes } = spec;
  const kinds = (['image', 'pdf', 'audio', 'video'] as const).filter((kind) => modelTakes[kind] !== 'no');
  return {
    ...modelOf(provider, model),
    provider: {
      [provider]: {
        npm: packages[api],
        options: { baseURL: baseUrl, ...(apiKey === undefined ? {} : { apiKey }) },
        models: {
          [model]: {
            attachment: kinds.length > 0,
            tool_call: true,
            modalities: { input: ['text', ...kinds], output: ['text'] },
            limit: { context: 200_000, output: 8_000 },
          },
        },
      },
    },
  };
}
