import type { Failure, FailureCode } from '@attache/contracts';
import { exitCodes } from '../../exit-codes.ts';

/** What lies with the agent's program, its sign-in or its provider, and not with what was sent. */
const ofDependencies: ReadonlySet<FailureCode> = new Set<FailureCode>([
  'delivery_agent_start_failed',
  'delivery_agent_auth_required',
  'delivery_runtime_transport_failed',
  'attachment_provider_auth_required',
  'attachment_provider_quota_exceeded',
]);

/** Where a key may be what is missing: some programs end at their start without one. */
const ofSignIn: ReadonlySet<FailureCode> = new Set<FailureCode>([
  'delivery_agent_start_failed',
  'delivery_agent_auth_required',
  'attachment_provider_auth_required',
]);

export const isOfSignIn = ({ code }: Failure): boolean => ofSignIn.has(code);

/** The exit code of a delivery that failed. */
export function exitCodeOf(failure: Failure | undefined): number {
  return failure !== undefined && ofDependencies.has(failure.code) ? exitCodes.dependencyDown : exitCodes.failed;
}
