export { agentUserSettings, readAgentUsers } from './agent-users/agent-user-settings.ts';
export type { UserRange } from './agent-users/user-range.ts';
export { closeDataFolder } from './close-data-folder.ts';
export { describeSettings } from './describe-settings.ts';
export { readDescriptorLimit } from './descriptors/read-descriptor-limit.ts';
export { shareDescriptors } from './descriptors/share-descriptors.ts';
export { leaveOutUnreachable } from './leave-out-unreachable.ts';
export { createLiveProfiles, type LiveProfiles, reloadProfiles } from './live-profiles.ts';
export { type MediaSettings, mediaSettings, readMediaSettings } from './media-settings.ts';
export { nameBundledPrograms, type OfferedProfiles, readOfferedProfiles } from './offered-profiles.ts';
export { findMissingSecrets, type ReadVariable, readSecret, type SecretSources } from './profile-secrets.ts';
export {
  type Environment,
  readSettings,
  type SettingTable,
  type SettingValues,
  warnOfUnknown,
} from './read-settings.ts';
export { readTogether } from './read-together.ts';
export { requireFreePort } from './require-free-port.ts';
export { runtimeFolderOf } from './runtime-folder.ts';
export { type DependencyCheck, type OperationsServer, serveOperations } from './serve-operations.ts';
export { httpUrl, integer, type Setting, text, urlOf } from './setting.ts';
export * from './shared-settings.ts';
export { nameWellKnownProgram } from './well-known-profiles.ts';
