import type { Seeker } from './slots.ts';

/** Agents of the same tenant may end on other gateways, which tell nobody. */
const LOOK_MS = 1_000;

/** Agents that wait because their tenant runs as many as it may, wherever these run. */
export type LimitQueue = {
  wait(seeker: Seeker, wake: () => void): void;
  leave(agentId: string): void;
  /** An agent of the tenant has ended here. */
  wake(tenantId: string): void;
  tenants(): string[];
  count(): number;
};

/** Each second the one of each tenant that has waited longest asks again. */
export function createLimitQueue(): LimitQueue {
  const waiting = new Map<string, { tenantId: string; wake: () => void }>();
  let timer: NodeJS.Timeout | undefined;
  const tenants = () => [...new Set([...waiting.values()].map(({ tenantId }) => tenantId))];
  const wake = (tenantId: string) => [...waiting.values()].find((one) => one.tenantId === tenantId)?.wake();
  const settle = () => {
    if (waiting.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  return {
    wait({ tenantId, agentId }, wakeAgain) {
      waiting.set(agentId, { tenantId, wake: wakeAgain });
      timer ??= setInterval(() => {
        for (const one of tenants()) wake(one);
      }, LOOK_MS);
      timer.unref();
    },
    leave(agentId) {
      waiting.delete(agentId);
      settle();
    },
    wake,
    tenants,
    count: () => waiting.size,
  };
}
