import type { Profile } from '@attache/contracts';

export type PermissionMode = 'gated' | 'deny';

/** A profile's permission mode on a stack with this default. What is no mode is the stricter one. */
export function permissionModeOf(
  { permissionMode = 'default' }: Pick<Profile, 'permissionMode'>,
  byDefault: PermissionMode,
): PermissionMode {
  if (permissionMode === 'default') return byDefault;
  return permissionMode === 'gated' ? 'gated' : 'deny';
}

/** Whether a profile's agents may use tools of their own program. */
export function allowsOwnTools(
  profile: Pick<Profile, 'permissionMode' | 'ownTools'>,
  byDefault: PermissionMode,
): boolean {
  return permissionModeOf(profile, byDefault) === 'gated' && profile.ownTools !== 'none';
}
