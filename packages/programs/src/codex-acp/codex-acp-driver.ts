import type { AgentSpec } from '@attache/agent-process';
import type { ProgramSettings } from '@attache/agent-process/settings/program-settings';
import { plainTraits } from '../acp/acp-traits.ts';
import { createAcpDriver } from '../acp/create-acp-driver.ts';
import { codexAcpFiles } from '../codex/settings/codex-files.ts';
import { CODEX_PROVIDER, codexConfig, codexEnvironment } from '../codex/settings/codex-settings.ts';

export const codexAcpDriver = createAcpDriver(codexAcpSettings, {
  ...plainTraits,
  authMethod: 'api-key',
  resendsRefusedFiles: true,
  isAboutAttache: (_, { meta, earlier }) => meta.is_mcp_tool_approval === true && earlier.server === 'attache',
});

function codexAcpSettings(spec: AgentSpec): ProgramSettings {
  const base = codexEnvironment(spec);
  const provider = spec.endpoint === undefined ? {} : { MODEL_PROVIDER: CODEX_PROVIDER };
  const key = spec.endpoint?.apiKey === undefined ? {} : { CODEX_API_KEY: spec.endpoint.apiKey };
  const config = { CODEX_CONFIG: JSON.stringify(codexConfig(spec)), NO_BROWSER: '1' };
  // It asks only about what its sandbox does not let pass.
  const defaults = { ...base.defaults, INITIAL_AGENT_MODE: 'read-only', CODEX_ACP_PROMPT_SUGGESTIONS: 'false' };
  const env = { ...base.env, ...config, ...provider, ...key };
  return { ...base, defaults, env, args: [], files: codexAcpFiles(spec) };
}
