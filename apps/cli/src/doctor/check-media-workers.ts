import { type AgentUser, findWorkerBarrier } from '@attache/agent-process';
import { defaultMediaPoolOptions } from '@attache/media';
import type { Check } from './finding.ts';

export type MediaWorkers = {
  isSandboxed: boolean;
  isRoot: boolean;
  /** As whom they are to run outside of their sandbox; undefined: as the user of their service. */
  user: AgentUser | undefined;
  /** The part of their program that this user cannot enter or read. */
  barrier: string | undefined;
};

const SET =
  'Set ATTACHE_AGENT_UIDS=200000-265535, for gateway and projector: media workers run as the last of these users.';

/** Checks how the processes run that inspect files. */
export function checkOfMediaWorkers(findWorkers: () => Promise<MediaWorkers>): Check {
  return {
    name: 'media workers',
    async run() {
      const { isSandboxed, isRoot, user, barrier } = await findWorkers();
      if (!isSandboxed) return { state: 'warning', detail: 'run without a sandbox, as the user of their service' };
      if (user === undefined && !isRoot)
        return {
          state: 'ok',
          detail: 'run in a sandbox, as the user of their service: only root can give them another',
        };
      if (user === undefined)
        return { state: 'warning', detail: 'run in a sandbox, as root outside of it, without its rights', fix: SET };
      if (barrier === undefined)
        return { state: 'ok', detail: `run in a sandbox, as the user ${user.uid} outside of it` };
      const detail = `run as root outside of their sandbox, since the user ${user.uid} cannot enter or read ${barrier}`;
      return { state: 'warning', detail, fix: 'Let others enter and read it, or install Attaché where they can.' };
    },
  };
}

/** The reason why a user cannot run media workers of this installation; undefined if it can. */
export const findMediaBarrier = (searchPath: string, user: AgentUser): Promise<string | undefined> =>
  findWorkerBarrier(defaultMediaPoolOptions.workerPath, searchPath, user);
