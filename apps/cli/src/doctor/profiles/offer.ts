import type { DriverOptions, FoundBubblewrap, UserRange } from '@attache/agent-process';
import type { Profile, Profiles } from '@attache/contracts';
import type { PermissionDefault } from '@attache/domain';
import type { ReadVariable } from '@attache/process-setup';
import type { SandboxDefault } from '@attache/programs/choose-sandbox';

/** The agents that a stack started here would offer, and what they would be started with. */
export type Offer = {
  /** Undefined: they were found on PATH. */
  profilesFile: string | undefined;
  profiles: Profiles;
  /** For profiles that do not say. */
  permissionMode: PermissionDefault;
  /** The sandbox of agents whose profile does not say. */
  sandbox: SandboxDefault;
  /** The machine's bubblewrap. */
  bubblewrap: FoundBubblewrap;
  /** The platform's own folders, of which a sandbox shows nothing. */
  privateFolders: readonly string[];
  /** The users of whom each sandboxed agent gets one. */
  agentUsers: UserRange | undefined;
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
