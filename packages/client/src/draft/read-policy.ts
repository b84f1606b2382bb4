import type { SessionPolicy } from '@attache/contracts';
import type { DraftSession } from './draft-session.ts';

export type PolicyReader = {
  /** The policy as it was read last; the first one is waited for. Undefined where this server or caller has none. */
  read(): Promise<SessionPolicy | undefined>;
  /** Reads it again, behind the back of those who have the last one. */
  renew(): void;
  /** Reads it for other agents. Those who ask from now on wait for that one. */
  restart(): void;
};

/** Keeps the policy of a session: files and targets change it, so each use asks for a newer one. */
export function createPolicyReader(
  session: Pick<DraftSession, 'policy'>,
  readTo: () => readonly string[] | undefined,
  onRead: (policy: SessionPolicy) => void,
): PolicyReader {
  let last: Promise<SessionPolicy | undefined> | undefined;
  let isRenewing = false;
  let asked = 0;
  const ask = async () => {
    asked += 1;
    const mine = asked;
    try {
      const policy = await session.policy({ agents: readTo() });
      if (mine === asked) onRead(policy);
      return policy;
    } catch {
      // An older server has no such route, and a caller may lack the right: the server judges alone then.
      return undefined;
    }
  };
  const renew = async () => {
    if (isRenewing) return;
    isRenewing = true;
    const before = last;
    const policy = await ask();
    if (policy && last === before) last = Promise.resolve(policy);
    isRenewing = false;
  };
  return {
    async read() {
      if (last === undefined) last = ask();
      else void renew();
      return last;
    },
    renew: () => void renew(),
    restart() {
      last = ask();
    },
  };
}
