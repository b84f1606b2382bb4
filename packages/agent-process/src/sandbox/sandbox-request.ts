import type { AgentSandbox, AgentSpec } from '../driver.ts';
import type { AgentUser } from '../users/agent-users.ts';

/** A command that is to run in a sandbox. */
export type SandboxRequest = {
  spec: AgentSpec & { sandbox: AgentSandbox };
  /** An executable's absolute path, and its arguments: first those of the profile's command, which may name scripts. */
  program: string;
  fixedArgs: readonly string[];
  /** Those that its settings give it, which may name files of ours. */
  settingsArgs: readonly string[];
  args: readonly string[];
  /** Where programs are looked for, of the agent and of the gateway. */
  searchPath: string;
  hostSearchPath: string;
  /** Names of the variables of its environment. */
  environment: readonly string[];
  /** As whom all of it runs outside; undefined: as the gateway's own user. */
  user: AgentUser | undefined;
};
