import { findBubblewrap } from '../find-bubblewrap.ts';
import { readMachineFacts } from '../machine-facts.ts';

/** Whether tests can make sandboxes here. With CI=true a machine where they cannot is a failure, and not a test less. */
export async function whereSandboxed(): Promise<boolean> {
  const found = await findBubblewrap(process.env.PATH ?? '', readMachineFacts);
  if (found.status === 'works') return true;
  const reason = `no sandbox works here, ${found.cause}: ${found.remedy} ${found.said}`;
  if (process.env.CI === 'true') throw new Error(reason);
  process.stderr.write(`Tests of the sandbox are skipped: ${reason}\n`);
  return false;
}
