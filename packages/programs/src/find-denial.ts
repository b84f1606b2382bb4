import type { Profile } from '@attache/contracts';
import { type PermissionDefault, permissionModeOf, programNameOf } from '@attache/domain';
import { findProgram } from './find-program.ts';

/** Why a profile's agents have no tools of their own under `deny`. */
export type Denial = { evidence: 'trial'; by: string } | { evidence: 'operator' };

type Asked = Pick<Profile, 'runtime' | 'command' | 'permissionMode' | 'ownTools' | 'sandbox'>;

/** Undefined if nothing shows that the program has none: a program whose calls are not checked may do everything that its account may. */
export function findDenial({ runtime, command, ownTools }: Asked): Denial | undefined {
  const by = findProgram(runtime, programOf(command))?.gate.denial;
  if (by !== undefined) return { evidence: 'trial', by };
  return ownTools === 'none' ? { evidence: 'operator' } : undefined;
}

/** The program itself: one that only names a known program, as one that runs it elsewhere does, may keep its settings from it. */
function programOf([program = '', script]: readonly string[]): string[] {
  const isInterpreter = programNameOf(program) === 'node';
  return [isInterpreter ? (script ?? '') : program];
}

/** Whether a profile asks for what nobody can promise: `deny`, of a program whose own tools nothing switches off. */
export function isUndeniable(profile: Asked, byDefault: PermissionDefault): boolean {
  return permissionModeOf(profile, byDefault) === 'deny' && findDenial(profile) === undefined;
}

/** Advice about such a profile, in a sentence. */
export const describeUndeniable = (name: string): string =>
  `The profile ${name} denies the tools of its program, and nothing is known to switch them off: ` +
  'say "ownTools": "none" in it if the program has none, or "permissionMode": "gated" if they may run.';
