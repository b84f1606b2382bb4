import { type FoundBubblewrap, tryBubblewrap } from '@attache/agent-process';
import type { PermissionDefault } from '@attache/domain';
import type { SandboxDefault } from './choose-sandbox.ts';

/** `where-it-works`: agents run without one where none works. `required`: they do so only where the gateway serves one tenant alone. */
export type SandboxPolicy = { need: 'where-it-works' } | { need: 'required'; pinnedTenant: string | undefined };

/** A gateway's sandbox for agents whose profile does not set one. `notice` explains to people why there is none, or why it cannot be created. */
export type SettledSandbox = { byDefault: SandboxDefault; notice: string | undefined };

/** Looks once whether a sandbox works on this machine: what was there at the start is not left out later. */
export async function settleSandbox(policy: SandboxPolicy, searchPath: string): Promise<SettledSandbox> {
  return judgeSandbox(policy, await tryBubblewrap(searchPath));
}

export function judgeSandbox(policy: SandboxPolicy, found: FoundBubblewrap): SettledSandbox {
  if (found.status === 'works') return { byDefault: 'bubblewrap', notice: undefined };
  const why = `(${found.cause}) ${found.remedy}`;
  if (policy.need === 'where-it-works')
    return { byDefault: 'none', notice: `Agents run without a sandbox and see what this user sees. ${why}` };
  if (policy.pinnedTenant === undefined)
    return {
      byDefault: 'bubblewrap',
      notice: `No sandbox works here, so no agent starts whose profile does not say "sandbox": {"mode": "none"}. ${why} Or set ATTACHE_PINNED_TENANT.`,
    };
  return {
    byDefault: 'none',
    notice: `Agents run without a sandbox, for the tenant ${policy.pinnedTenant} alone, and see what this gateway sees. ${why}`,
  };
}

/** A stack's permission mode where nothing is put around agents: what it gates for their sandbox, it denies. */
export function settlePermissions(mode: PermissionDefault, { byDefault }: SettledSandbox): PermissionDefault {
  return mode === 'gated-in-sandbox' && byDefault === 'none' ? 'deny' : mode;
}
