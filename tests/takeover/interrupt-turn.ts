import type { Api } from '@attache/test-harness';
import { expect } from 'vitest';

/** Ends a turn that hangs, which then counts as answered. */
export async function interruptTurn(api: Api, sessionId: string, agentId: string): Promise<void> {
  const { status } = await api.call('POST', `/sessions/${sessionId}/interrupt`, { body: { agentId } });
  expect(status).toBe(202);
}
