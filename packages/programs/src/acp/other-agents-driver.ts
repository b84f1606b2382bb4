import { type AgentSpec, agentFolders } from '@attache/agent-process';
import type { ProgramSettings } from '@attache/agent-process/settings/program-settings';
import { plainTraits } from './acp-traits.ts';
import { createAcpDriver } from './create-acp-driver.ts';

const UNKNOWN_ENDPOINT =
  'nothing says how this program finds its endpoint: give that "env", as in {"ITS_URL": "{baseUrl}", "ITS_KEY": "{key}", "ITS_MODEL": "{model}"}';

export const otherAgentsDriver = createAcpDriver(plainSettings, plainTraits);

function plainSettings({ folder, endpoint }: AgentSpec): ProgramSettings {
  return {
    defaults: {},
    env: {},
    args: [],
    files: [],
    homeFolder: agentFolders(folder).home,
    refusal: endpoint !== undefined && endpoint.env === undefined ? UNKNOWN_ENDPOINT : undefined,
  };
}
