import { AGENT_SOCKET_VARIABLE, AGENT_TOKEN_VARIABLE } from '@attache/contracts';
import { agentFolders } from './agent-folders.ts';
import { CHILD_MARKER_VARIABLE } from './child-marker.ts';
import type { AgentSpec } from './driver.ts';
import { EGRESS_PORT } from './sandbox/places.ts';
import type { ProgramSettings } from './settings/program-settings.ts';

/** All that a child inherits of its gateway's environment. */
export type InheritedEnvironment = { PATH: string; LANG?: string | undefined; TZ?: string | undefined };

const PROXY = `http://127.0.0.1:${EGRESS_PORT}`;
const NO_PROXY = '127.0.0.1,localhost';
/** In both spellings: programs differ. */
const proxyVariables = { HTTPS_PROXY: PROXY, https_proxy: PROXY, NO_PROXY, no_proxy: NO_PROXY };

type EnvironmentSpec = Pick<AgentSpec, 'env' | 'folder' | 'socketPath' | 'token' | 'marker' | 'egressSocketPath'> &
  Partial<Pick<AgentSpec, 'endpoint' | 'model'>>;

/** A child's whole environment. What the profile gives never replaces what the gateway sets. */
export function childEnvironment(
  spec: EnvironmentSpec,
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
    ...fillEndpoint(spec),
    ...env,
    HOME: folders.home,
    TMPDIR: folders.temporary,
    ...(spec.egressSocketPath === undefined ? {} : proxyVariables),
    [AGENT_SOCKET_VARIABLE]: spec.socketPath,
    [AGENT_TOKEN_VARIABLE]: spec.token,
    [CHILD_MARKER_VARIABLE]: spec.marker,
  };
}

/** The variables in which a profile has its program find the endpoint. */
function fillEndpoint({ endpoint, model = '' }: EnvironmentSpec): Record<string, string> {
  const values: Readonly<Record<string, string>> = {
    baseUrl: endpoint?.baseUrl ?? '',
    key: endpoint?.apiKey ?? '',
    model,
  };
  const fill = (text: string) => text.replace(/\{(baseUrl|key|model)\}/g, (_, name: string) => values[name] ?? '');
  return Object.fromEntries(Object.entries(endpoint?.env ?? {}).map(([name, text]) => [name, fill(text)]));
}
