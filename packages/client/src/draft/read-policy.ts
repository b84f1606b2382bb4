import type { SessionPolicy } from '@attache/contracts';
import type { DraftSession } from './draft-session.ts';

export type PolicyReader = {
  /** The policy as it was read last; the first one is waited for. Undefined where this server or caller has none. */
  read(): Promise<SessionPolicy | undefined>;
  /** Reads it again, behind the back of those who have the last one. */
  renew(): void;
};

/** Keeps the policy of a session: files and targets change it, so each use asks for a newer one. */
export function createPolicyReader(
  session: Pick<DraftSession, 'policy'>,
  to: readonly string[] | undefined,
  onRead: (policy: SessionPolicy) => void,
): PolicyReader {
  let last: Promise<SessionPolicy | undefined> | undefined;
  let isRenewing = false;
  const ask = async () => {
    try {
      const policy = await session.policy({ agents: to });
      onRead(policy);
      return policy;
    } catch {
      // An older server has no such route, and a caller may lack the right: the server judges alone then.
      return undefined;
    }
  };
  const renew = async () => {
    if (isRenewing) return;
    isRenewing = true;
    const policy = await ask();
    if (policy) last = Promise.resolve(policy);
    isRenewing = false;
  };
  return {
    async read() {
      if (last === undefined) last = ask();
      else void renew();
      return last;
    },
    renew: () => void renew(),
  };
}
