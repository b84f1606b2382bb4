import { type AgentSpec, agentFolders } from '@attache/agent-process';
import type { ProgramSettings } from '@attache/agent-process/settings/program-settings';
import { plainTraits } from './acp-traits.ts';
import { createAcpDriver } from './create-acp-driver.ts';

const UNKNOWN_ENDPOINT =
  'its profile has an endpoint, but how this program is given one is not known: name its variables in the "env" of the "endpoint", as in ' +
  '{"OPENAI_BASE_URL": "{baseUrl}", "OPENAI_API_KEY": "{key}", "OPENAI_MODEL": "{model}"}';

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
