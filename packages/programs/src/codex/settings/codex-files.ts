import path from 'node:path';
import { type AgentSpec, agentFolders } from '@attache/agent-process';
import type { SettingsFile } from '@attache/agent-process/settings/program-settings';

// A snapshot holds the whole environment of its shell, our token and the model's key with it, in a file that anybody may read.
export const NO_SNAPSHOTS = { shell_snapshot: false };

const BARE_CONFIG = 'web_search = "disabled"\n\n[features]\nshell_snapshot = false\n';

/**
 * The place for tools of every thread of the process. Without a place, no command runs and no file is read or changed, by any tool; MCP servers are started
 * even so. A home's own tools, servers and hooks then do not count.
 */
export function codexFiles(spec: AgentSpec): SettingsFile[] {
  const isDenied = spec.permissionMode === 'deny';
  const environments = {
    path: placeOf(spec, 'environments.toml'),
    text: `default = "${isDenied ? 'none' : 'local'}"\n`,
  };
  return isDenied ? [environments, { path: placeOf(spec, 'config.toml'), text: BARE_CONFIG }] : [environments];
}

/**
 * Threads that codex-acp opens for itself, to find a title, have the settings of the file alone. A key by which it signs in would be written next to it; if a
 * home may hold a sign-in, that is read from there.
 */
export function codexAcpFiles(spec: AgentSpec): SettingsFile[] {
  const signIn = spec.home === undefined ? { cli_auth_credentials_store: 'ephemeral' } : {};
  return [...codexFiles(spec), { path: placeOf(spec, 'config.toml'), toml: { ...signIn, features: NO_SNAPSHOTS } }];
}

const placeOf = ({ folder }: AgentSpec, name: string): string => path.join(agentFolders(folder).config, name);
