import path from 'node:path';
import { AGENT_SOCKET_VARIABLE, AGENT_TOKEN_VARIABLE } from '@attache/contracts';
import { CHILD_MARKER_VARIABLE } from './child-marker.ts';
import type { AgentSpec } from './driver.ts';

/** All that a child inherits of its gateway's environment. */
export type InheritedEnvironment = { PATH: string; LANG?: string | undefined; TZ?: string | undefined };

/** A child's whole environment. What the profile gives never replaces what the gateway sets. */
export function childEnvironment(
  spec: Pick<AgentSpec, 'env' | 'folder' | 'socketPath' | 'token' | 'marker'>,
  inherited: InheritedEnvironment,
): Record<string, string> {
  return {
    PATH: inherited.PATH,
    ...(inherited.LANG === undefined ? {} : { LANG: inherited.LANG }),
    ...(inherited.TZ === undefined ? {} : { TZ: inherited.TZ }),
    ...spec.env,
    HOME: spec.folder,
    TMPDIR: temporaryFolderOf(spec.folder),
    [AGENT_SOCKET_VARIABLE]: spec.socketPath,
    [AGENT_TOKEN_VARIABLE]: spec.token,
    [CHILD_MARKER_VARIABLE]: spec.marker,
  };
}

export function temporaryFolderOf(folder: string): string {
  return path.join(folder, 'tmp');
}
