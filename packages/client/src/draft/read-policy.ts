import type { SessionPolicy } from '@attache/contracts';
import { pause } from '../request/pause.ts';
import type { DraftSession } from './draft-session.ts';

/** People see their files at once, also while the server cannot be reached. */
const MOST_WAIT_MS = 5_000;

export type PolicyReader = {
  /** The policy as it was read last; the first one is waited for, though not for long. Undefined where this server or caller has none. */
  read(): Promise<SessionPolicy | undefined>;
  /** Reads it again, in the background. */
  renew(): void;
  /** Reads that of other agents; the last one is of no use. */
  forget(): void;
};

/** Keeps the policy of a session: files and targets change it, so each use asks for a newer one. */
export function createPolicyReader(
  session: Pick<DraftSession, 'policy'>,
  readTo: () => readonly string[] | undefined,
  onRead: (policy: SessionPolicy) => void,
): PolicyReader {
  let last: Promise<SessionPolicy | undefined> | undefined;
  let newest = 0;
  const ask = async () => {
    newest += 1;
    const mine = newest;
    try {
      const policy = await session.policy({ agents: readTo() });
      // A later question may have been answered first.
      if (mine === newest) onRead(policy);
      return policy;
    } catch {
      // An older server has no such route, and a caller may lack the right: the server judges alone then.
      return undefined;
    }
  };
  const renew = async () => {
    const asked = newest + 1;
    const policy = await ask();
    if (policy && asked === newest) last = Promise.resolve(policy);
  };
  return {
    async read() {
      if (last === undefined) last = ask();
      else void renew();
      const waiting = new AbortController();
      const tired = pause(MOST_WAIT_MS, waiting.signal).catch(() => {});
      return Promise.race([last, tired.then(() => undefined)]).finally(() => waiting.abort());
    },
    renew: () => void renew(),
    forget() {
      last = ask();
    },
  };
}
