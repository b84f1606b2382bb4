import type { RunningAgent } from '@attache/agent-process';

/** A loaded machine takes some seconds for it. */
const TOOLS_MS = 10_000;

export type ToolsListed = { note(): void; readonly listed: Promise<void>; isListed(): boolean };

/** Called when an agent's program has asked what tools there are. */
export function createToolsListed(): ToolsListed {
  const { promise, resolve } = Promise.withResolvers<void>();
  let isListed = false;
  const note = () => {
    isListed = true;
    resolve();
  };
  return { note, listed: promise, isListed: () => isListed };
}

/**
 * Waits until a program has our tools, so that its first turn has them too. False if it has not asked for them in time, or has ended:
 * then its turn may begin without.
 */
export async function waitForTools(
  { listed }: ToolsListed,
  { exited }: Pick<RunningAgent, 'exited'>,
  timeoutMs = TOOLS_MS,
): Promise<boolean> {
  const { promise: expired, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(resolve, timeoutMs, false);
  try {
    return await Promise.race([listed.then(() => true), exited.then(() => false), expired]);
  } finally {
    clearTimeout(timer);
  }
}
