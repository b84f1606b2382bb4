import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  type AgentSpec,
  agentFolders,
  childEnvironment,
  type InheritedEnvironment,
  resolveProgram,
} from '@attache/agent-process';
import type { ProgramSettings, SettingsFile } from '@attache/agent-process/settings/program-settings';
import { refuseEndpoint } from '@attache/agent-process/settings/refuse-endpoint';
import { AGENT_SOCKET_VARIABLE, AGENT_TOKEN_VARIABLE } from '@attache/contracts';
import { codexFiles, NO_SNAPSHOTS } from './codex-files.ts';
import { describeHearingModel } from './codex-models.ts';

export const CODEX_PROVIDER = 'attache';
const KEY_VARIABLE = 'ATTACHE_MODEL_KEY';

// Tools without a switch of their own find no place to run: see `codexFiles`.
const NO_TOOLS = {
  ...{ shell_tool: false, unified_exec: false, view_image: false, image_generation: false, multi_agent: false },
  ...{ goals: false, sleep_tool: false, tool_suggest: false },
};
const NO_QUESTIONS = { update_plan: { enabled: false }, experimental_request_user_input: { enabled: false } };

/** Settings of Codex as its configuration file would hold them. */
export type CodexConfig = Readonly<Record<string, unknown>>;

/** The settings of Codex for one agent, by whichever door. */
export function codexConfig(spec: AgentSpec): CodexConfig {
  const isDenied = spec.permissionMode === 'deny';
  return {
    check_for_update_on_startup: false,
    analytics: { enabled: false },
    features: { plugins: false, apps: false, ...NO_SNAPSHOTS, ...(isDenied ? NO_TOOLS : {}) },
    ...(isDenied || isSearchRefused(spec) ? { web_search: 'disabled' } : {}),
    ...(isDenied ? { tools: NO_QUESTIONS } : {}),
    ...(spec.model === 'default' ? {} : { model: spec.model }),
    ...providerConfig(spec),
    ...mcpConfig(spec),
  };
}

// Its relay would refuse every request that offers a search by the provider.
function isSearchRefused({ endpoint }: AgentSpec): boolean {
  return endpoint?.serverTools !== undefined && !endpoint.serverTools.includes('web_search');
}

function providerConfig({ endpoint }: AgentSpec): CodexConfig {
  if (endpoint === undefined) return {};
  return {
    model_provider: CODEX_PROVIDER,
    model_providers: {
      [CODEX_PROVIDER]: {
        name: CODEX_PROVIDER,
        base_url: endpoint.baseUrl,
        wire_api: 'responses',
        request_max_retries: 1,
        stream_max_retries: 1,
        supports_websockets: false,
        ...(endpoint.apiKey === undefined ? {} : { env_key: KEY_VARIABLE }),
      },
    },
  };
}

// The token stays in the environment: what a setting says is kept in files and shown in lists of processes.
function mcpConfig({ mcpCommand }: AgentSpec): CodexConfig {
  const [command, ...args] = mcpCommand ?? [];
  if (command === undefined) return {};
  return { mcp_servers: { attache: { command, args, env_vars: [AGENT_SOCKET_VARIABLE, AGENT_TOKEN_VARIABLE] } } };
}

/** The environment for every program that has Codex inside. */
export function codexEnvironment(spec: AgentSpec): Omit<ProgramSettings, 'args' | 'files'> {
  const { config } = agentFolders(spec.folder);
  const base = { defaults: {}, homeFolder: config };
  const { endpoint } = spec;
  if (endpoint === undefined) return { ...base, env: { CODEX_HOME: config } };
  return {
    ...base,
    env: { CODEX_HOME: config, ...(endpoint.apiKey === undefined ? {} : { [KEY_VARIABLE]: endpoint.apiKey }) },
    refusal: refuseEndpoint(endpoint, ['openai-responses']),
  };
}

/** `codex app-server`; settings go by argument, so that those of a copied home stay as they are. */
export async function codexAppServerSettings(
  spec: AgentSpec,
  inherited: InheritedEnvironment,
): Promise<ProgramSettings> {
  const environment = codexEnvironment(spec);
  const models = await findModels(spec, environment, inherited);
  const config = { ...codexConfig(spec), ...(models === undefined ? {} : { model_catalog_json: models.path }) };
  const overrides = flatten(config).flatMap(([key, value]) => ['-c', `${key}=${writeToml(value)}`]);
  const files = [...codexFiles(spec), ...(models === undefined ? [] : [models])];
  return { ...environment, args: ['app-server', ...overrides], files };
}

/** A program that cannot be asked is reported when it is started. */
async function findModels(
  spec: AgentSpec,
  environment: Omit<ProgramSettings, 'args' | 'files'>,
  inherited: InheritedEnvironment,
): Promise<SettingsFile | undefined> {
  const env = childEnvironment(spec, environment, inherited);
  const program = await resolveProgram(spec.command[0] ?? '', env.PATH ?? '');
  if (program === undefined) return undefined;
  if (spec.sandbox === undefined) return await describeHearingModel(spec, program, env);
  // It is asked outside of the sandbox: in a home of nobody's, since the agent may have written into its own.
  const home = await mkdtemp(path.join(tmpdir(), 'attache-codex-'));
  try {
    return await describeHearingModel(spec, program, { ...env, CODEX_HOME: home, HOME: home, TMPDIR: home });
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

function flatten(config: CodexConfig, prefix = ''): [string, unknown][] {
  return Object.entries(config).flatMap(([key, value]): [string, unknown][] => {
    const isTable = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isTable ? flatten(value as CodexConfig, `${prefix}${key}.`) : [[`${prefix}${key}`, value]];
  });
}

/** Strings, numbers, booleans and arrays of them are written alike in JSON and TOML, but for the one character that TOML forbids. */
function writeToml(value: unknown): string {
  return JSON.stringify(value).replaceAll('\u007f', '\\u007f');
}
