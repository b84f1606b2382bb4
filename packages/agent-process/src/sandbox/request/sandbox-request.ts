import type { AgentSandbox, AgentSpec } from '../../driver.ts';
import type { AgentUser } from '../../users/agent-users.ts';

/** A command that is to run in a sandbox. */
export type SandboxRequest = {
  spec: AgentSpec & { sandbox: AgentSandbox };
  /** An executable's absolute path, and its arguments: first those of the profile's command, which may name scripts. */
  program: string;
  fixedArgs: readonly string[];
  /** The arguments from its settings, which may name files of ours. */
  settingsArgs: readonly string[];
  args: readonly string[];
  /** The search paths for programs, of the agent and of the gateway. */
  searchPath: string;
  hostSearchPath: string;
  /** Names of the variables of its environment. */
  environment: readonly string[];
  /** The user as which all of it runs outside; undefined: the gateway's own. */
  user: AgentUser | undefined;
};
