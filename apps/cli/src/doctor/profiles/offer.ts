import type { DriverOptions } from '@attache/agent-process';
import type { Profile, Profiles } from '@attache/contracts';
import type { ReadVariable } from '@attache/operations';

/** The agents that a stack started here would offer, and what they would be started with. */
export type Offer = {
  /** Undefined: they were found on PATH. */
  profilesFile: string | undefined;
  profiles: Profiles;
  /** Of profiles that do not say. */
  permissionMode: 'gated' | 'deny';
  bundledPrograms: Readonly<Record<string, readonly string[]>>;
  inherited: DriverOptions['inherited'];
  readVariable: ReadVariable;
};

/** A profile's command; a program that comes with the product is named by the file that runs it. */
export function commandOf({ bundledPrograms }: Offer, { command }: Profile): readonly string[] {
  const [program = '', ...rest] = command;
  const bundled = Object.hasOwn(bundledPrograms, program) ? bundledPrograms[program] : undefined;
  return bundled === undefined ? command : [...bundled, ...rest];
}
