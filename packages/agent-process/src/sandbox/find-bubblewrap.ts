import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { resolveProgram } from '../resolve-program.ts';
import type { AgentUser } from '../users/agent-users.ts';
import { INSIDE_ID } from './places.ts';

const TRIAL_MS = 10_000;
const OUTPUT_BYTES = 64 * 1024;

export type SandboxCause =
  | 'no-program'
  | 'too-old'
  | 'user-namespaces'
  | 'seccomp'
  | 'masked-proc'
  | 'apparmor'
  | 'loopback'
  | 'unknown';

export type FoundBubblewrap =
  | { status: 'works'; program: string }
  | { status: 'unavailable'; cause: SandboxCause; remedy: string; said: string };

const remedies: Readonly<Record<SandboxCause, string>> = {
  'no-program': 'bubblewrap is not installed. Install the package bubblewrap, so that bwrap is on PATH.',
  'too-old': 'This bubblewrap has no --disable-userns. Install version 0.8.0 or later.',
  'user-namespaces':
    'This user may not make user namespaces. Set user.max_user_namespaces to at least 1000, and kernel.unprivileged_userns_clone to 1 where the system has it.',
  seccomp:
    'A seccomp filter around this process refuses what bubblewrap does. In a container, run it with a seccomp profile that allows unshare, mount and pivot_root.',
  'masked-proc':
    'Parts of /proc are masked, so no new /proc can be mounted. In a container, run it with systempaths=unconfined.',
  apparmor:
    'AppArmor refuses user namespaces to bubblewrap. Install an AppArmor profile that allows userns to bwrap, or set kernel.apparmor_restrict_unprivileged_userns to 0.',
  loopback:
    'The loopback of a new network namespace cannot be set up. Allow network administration in user namespaces of this user; a container or AppArmor may refuse it.',
  unknown:
    'bubblewrap does not work here, for a reason that is not known. Run the bwrap command by hand and read what it says.',
};

/** Facts that distinguish the causes of a refusal. */
export type MachineFacts = {
  /** Contents of the files, undefined where there is none. */
  maxUserNamespaces: string | undefined;
  unprivilegedClone: string | undefined;
  apparmorRestricts: string | undefined;
  /** From `/proc/self/status`. */
  seccompMode: string | undefined;
};

/** The arguments of the trial: every kind of isolation that agents get, around a program that does nothing. */
const trialArguments: readonly string[] = [
  ...['--unshare-all', '--unshare-user', '--disable-userns', '--cap-drop', 'ALL', '--die-with-parent', '--new-session'],
  ...['--as-pid-1', '--uid', String(INSIDE_ID), '--gid', String(INSIDE_ID)],
  ...['--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev'],
  ...['--', '/bin/true'],
];

/** Why bubblewrap's trial failed, from its output and from the machine's settings. */
export function judgeTrial(said: string, facts: MachineFacts): SandboxCause {
  if (/unknown option|Unknown option/.test(said)) return 'too-old';
  if (/loopback|RTM_NEWADDR|RTM_NEWLINK/i.test(said)) return 'loopback';
  if (/mount proc|\/proc: /i.test(said) && !/namespace/i.test(said)) return 'masked-proc';
  if (facts.apparmorRestricts === '1' && /permission|permitted|uid map/i.test(said)) return 'apparmor';
  if (facts.maxUserNamespaces === '0' || facts.unprivilegedClone === '0') return 'user-namespaces';
  if (/No space left|max_user_namespaces|kernel does not allow|No permissions to creat/i.test(said)) {
    return facts.seccompMode === '2' ? 'seccomp' : 'user-namespaces';
  }
  if (/Operation not permitted|Function not implemented/i.test(said) && facts.seccompMode === '2') return 'seccomp';
  return 'unknown';
}

const unavailable = (cause: SandboxCause, said = ''): FoundBubblewrap => ({
  status: 'unavailable',
  cause,
  remedy: remedies[cause],
  said,
});

/** The machine's bubblewrap, tried once, as `user` where one is given; or why it does not work and what to do. */
export async function findBubblewrap(
  searchPath: string,
  readFacts: () => Promise<MachineFacts>,
  user?: AgentUser,
): Promise<FoundBubblewrap> {
  const program = await resolveProgram('bwrap', searchPath);
  if (program === undefined) return unavailable('no-program');
  const options = { timeout: TRIAL_MS, maxBuffer: OUTPUT_BYTES, env: { LC_ALL: 'C' }, cwd: '/', ...user };
  try {
    await promisify(execFile)(program, trialArguments, options);
    return { status: 'works', program };
  } catch (error) {
    const said = String((error as { stderr?: unknown }).stderr ?? error)
      .trim()
      .slice(0, 500);
    return unavailable(judgeTrial(said, await readFacts()), said);
  }
}
