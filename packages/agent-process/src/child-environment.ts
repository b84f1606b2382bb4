import { AGENT_SOCKET_VARIABLE, AGENT_TOKEN_VARIABLE } from '@attache/contracts';
import { agentFolders } from './agent-folders.ts';
import { CHILD_MARKER_VARIABLE } from './child-marker.ts';
import type { AgentSpec } from './driver.ts';
import type { ProgramSettings } from './settings/program-settings.ts';

/** All that a child inherits of its gateway's environment. */
export type InheritedEnvironment = { PATH: string; LANG?: string | undefined; TZ?: string | undefined };

/** A child's whole environment. What the profile gives never replaces what the gateway sets. */
export function childEnvironment(
  spec: Pick<AgentSpec, 'env' | 'folder' | 'socketPath' | 'token' | 'marker'>,
  { defaults, env }: Pick<ProgramSettings, 'defaults' | 'env'>,
  inherited: InheritedEnvironment,
): Record<string, string> {
  const folders = agentFolders(spec.folder);
  return {
    PATH: inherited.PATH,
    ...(inherited.LANG === undefined ? {} : { LANG: inherited.LANG }),
    ...(inherited.TZ === undefined ? {} : { TZ: inherited.TZ }),
    ...defaults,
    ...spec.env,
    ...env,
    HOME: folders.home,
    TMPDIR: folders.temporary,
    [AGENT_SOCKET_VARIABLE]: spec.socketPath,
    [AGENT_TOKEN_VARIABLE]: spec.token,
    [CHILD_MARKER_VARIABLE]: spec.marker,
  };
}
