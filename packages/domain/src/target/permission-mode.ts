import type { Profile } from '@attache/contracts';

export type PermissionMode = 'gated' | 'deny';

/** The stack's choice if a profile has no mode. `gated-in-sandbox`: `deny` if the profile has no sandbox. */
export type PermissionDefault = PermissionMode | 'gated-in-sandbox';

/** A profile's permission mode on a stack with this default. What is no mode is the stricter one. */
export function permissionModeOf(
  { permissionMode = 'default', sandbox }: Pick<Profile, 'permissionMode' | 'sandbox'>,
  byDefault: PermissionDefault,
): PermissionMode {
  if (permissionMode !== 'default') return permissionMode === 'gated' ? 'gated' : 'deny';
  if (byDefault !== 'gated-in-sandbox') return byDefault;
  return sandbox?.mode === 'none' ? 'deny' : 'gated';
}

/** Whether a profile's agents may use tools of their own program. */
export function allowsOwnTools(
  profile: Pick<Profile, 'permissionMode' | 'ownTools' | 'sandbox'>,
  byDefault: PermissionDefault,
): boolean {
  return permissionModeOf(profile, byDefault) === 'gated' && profile.ownTools !== 'none';
}
