export type { AgentEgress, EgressLimits, EgressOptions } from './egress-types.ts';
export { openEgress } from './open-egress.ts';
