import { Fault } from '@attache/contracts';
import type { Check, Finding } from './finding.ts';

const TIMEOUT_MS = 15_000;

function explain(error: unknown): string {
  if (error instanceof Fault) return error.message;
  return error instanceof Error ? error.message : 'it failed without saying why';
}

async function runCheck(check: Check): Promise<Finding> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<Omit<Finding, 'name'>>((resolve) => {
    const seconds = TIMEOUT_MS / 1000;
    const late = {
      state: 'failed',
      detail: `no answer for ${seconds} s`,
      fix: 'Check the address and the network.',
    } as const;
    timer = setTimeout(() => resolve(late), TIMEOUT_MS);
  });
  try {
    return { name: check.name, ...(await Promise.race([check.run(), timeout])) };
  } catch (error) {
    return { name: check.name, state: 'failed', detail: 'not usable', fix: explain(error) };
  } finally {
    clearTimeout(timer);
  }
}

/** Runs all checks side by side; the findings come in the order of the checks. */
export function runChecks(checks: readonly Check[]): Promise<Finding[]> {
  return Promise.all(checks.map(runCheck));
}
