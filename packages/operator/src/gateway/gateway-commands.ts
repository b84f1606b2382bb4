import { Fault, type GatewayView, type OperatorInput, type OperatorOutput } from '@attache/contracts';
import { askToDrain, type GatewayRow, listGateways } from '@attache/database';
import type { OperatorDeps } from '../operator-deps.ts';

export async function listAllGateways({ db }: OperatorDeps): Promise<OperatorOutput<'gateway.list'>> {
  return { items: (await listGateways(db)).map(toView) };
}

/** Asks a gateway to drain: it hears of it with its next renewal, within two seconds. */
export async function drainGateway(
  { db }: OperatorDeps,
  { gateway }: OperatorInput<'gateway.drain'>,
): Promise<OperatorOutput<'gateway.drain'>> {
  const isAsked = await askToDrain(db, gateway);
  const found = (await listGateways(db)).find(({ replicaId }) => replicaId === gateway);
  if (isAsked && found) return { gateway: toView(found) };
  throw new Fault(
    'INVALID_REQUEST',
    `No gateway of the name ${gateway} runs. \`attache gateway list\` shows those that do.`,
  );
}

function toView({ replicaId, state, leaseMs, isDrainAsked, startedAt, sessionCount }: GatewayRow): GatewayView {
  const isAlive = leaseMs > 0 && state !== 'gone';
  return {
    gateway: replicaId,
    state: isAlive ? (isDrainAsked ? 'draining' : state) : 'dead',
    sessions: sessionCount,
    leaseMs,
    startedAt: new Date(startedAt).toISOString(),
  };
}
