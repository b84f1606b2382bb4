import type { AgentUser } from './agent-users.ts';
import type { UserRange } from './users-of-machine.ts';

/** The division of a range of users: agents get all but the last, which is for the processes that inspect files. A single user is an agent's. */
export type SharedUsers = { agents: UserRange; media: AgentUser | undefined };

/** Shares a range. The group is the same for all: by it they pass through the platform's folders to their own. */
export function shareUsers({ first, last }: UserRange): SharedUsers {
  if (first === last) return { agents: { first, last }, media: undefined };
  return { agents: { first, last: last - 1 }, media: { uid: last, gid: first } };
}
