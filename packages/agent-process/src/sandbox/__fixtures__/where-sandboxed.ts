import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findBubblewrap } from '../find-bubblewrap.ts';
import { readMachineFacts } from '../machine-facts.ts';

const NAMESPACES = ['--user', '--map-root-user', '--pid', '--fork', '--kill-child', '--net', '--mount-proc'];

/** Whether tests can make sandboxes here. With CI=true a machine where they cannot is a failure, and not a test less. */
export async function whereSandboxed(): Promise<boolean> {
  const found = await findBubblewrap(process.env.PATH ?? '', readMachineFacts);
  if (found.status === 'works') return true;
  return isMissing(`no sandbox works here, ${found.cause}: ${found.remedy} ${found.said}`);
}

/** The same, with Python for what is tried from inside. */
export async function whereAttacked(): Promise<boolean> {
  if (!(await whereSandboxed())) return false;
  return (await canRun('python3', ['--version'])) || isMissing('python3 is not here: install it.');
}

/** Whether tests can start a program as the first of new namespaces. */
export async function whereNamespaced(): Promise<boolean> {
  const args = [...NAMESPACES, 'setpriv', '--no-new-privs', 'true'];
  return (
    (await canRun('unshare', args)) || isMissing('this user may make no namespaces, or has no unshare and setpriv.')
  );
}

const canRun = (program: string, args: readonly string[]): Promise<boolean> =>
  promisify(execFile)(program, args).then(
    () => true,
    () => false,
  );

function isMissing(reason: string): false {
  if (process.env.CI === 'true') throw new Error(reason);
  process.stderr.write(`Tests of the sandbox are skipped: ${reason}\n`);
  return false;
}
