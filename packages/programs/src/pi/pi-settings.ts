import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AgentEndpoint, type AgentSpec, agentFolders } from '@attache/agent-process';
import type { ProgramSettings } from '@attache/agent-process/settings/program-settings';

const EXTENSION = fileURLToPath(new URL('./extension/attache-extension.ts', import.meta.url));
const KEY_VARIABLE = 'ATTACHE_MODEL_KEY';
// A key of its own that no provider knows: without one it would not ask a model that needs none.
const NO_KEY = 'none';

const quiet = { PI_OFFLINE: '1', PI_TELEMETRY: '0', PI_SKIP_VERSION_CHECK: '1' };

/** pi in its RPC mode. Of the workspace nothing is read, and no extension runs but ours: they may run commands. */
export function piSettings(spec: AgentSpec): ProgramSettings {
  const { config } = agentFolders(spec.folder);
  const { endpoint } = spec;
  return {
    defaults: quiet,
    env: {
      PI_CODING_AGENT_DIR: config,
      ...(endpoint?.apiKey === undefined ? {} : { [KEY_VARIABLE]: endpoint.apiKey }),
    },
    args: piArguments(spec, path.join(config, 'sessions')),
    files: [
      // Three retries are its own choice, with pauses of up to eight seconds.
      { path: path.join(config, 'settings.json'), json: { retry: { maxRetries: 1 } } },
      ...(endpoint === undefined
        ? []
        : [{ path: path.join(config, 'models.json'), json: { providers: providersOf(spec, endpoint) } }]),
    ],
    homeFolder: config,
  };
}

function piArguments(spec: AgentSpec, sessionsFolder: string): string[] {
  return [
    ...['--mode', 'rpc', '--no-approve'],
    ...['--no-extensions', '--no-skills', '--no-prompt-templates', '--no-themes', '--no-context-files'],
    ...['--extension', EXTENSION],
    ...['--session-dir', sessionsFolder],
    ...(spec.permissionMode === 'deny' ? ['--no-builtin-tools'] : []),
    ...(spec.model === 'default' ? [] : ['--model', `${spec.provider}/${spec.model}`]),
    ...(spec.resumeReference === undefined ? [] : ['--session', spec.resumeReference]),
  ];
}

const apis: Record<AgentEndpoint['api'], string> = {
  anthropic: 'anthropic-messages',
  'openai-responses': 'openai-responses',
  'openai-chat': 'openai-completions',
  google: 'google-generative-ai',
};

/** A model that is not listed with images gets none. What is unknown is listed, because it may be opened while the program runs. */
function providersOf({ provider, model, modelTakes }: AgentSpec, { api, baseUrl, apiKey }: AgentEndpoint): object {
  return {
    [provider]: {
      baseUrl: baseUrlOf(api, baseUrl),
      api: apis[api],
      apiKey: apiKey === undefined ? NO_KEY : `$${KEY_VARIABLE}`,
      models: [{ id: model, input: modelTakes.image !== 'no' ? ['text', 'image'] : ['text'] }],
    },
  };
}

/** It adds the version of one API itself and wants that of another. */
function baseUrlOf(api: AgentEndpoint['api'], baseUrl: string): string {
  const bare = baseUrl.replace(/\/v1(?:beta)?\/?$/, '');
  if (api === 'anthropic') return bare;
  return api === 'google' ? `${bare}/v1beta` : baseUrl;
}
