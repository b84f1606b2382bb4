import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Delivery, SessionEvent } from '@attache/contracts';
import type { Api } from '@attache/test-harness';
import type { ClusterGateway } from './cluster.ts';
import type { Conversation } from './load.ts';

/** An agent's own record of a delivery that it received, whichever gateway had started it. */
type AgentRecord = { deliveryId: string; at: number; gateway: string; files: { sha256: string }[] };

export type Verdict = { violations: string[]; ends: Record<string, number>; epochs: number };

/** Compares what was acknowledged with what agents received, and with the timelines and the logs. */
export async function checkCluster(
  api: Api,
  gateways: readonly ClusterGateway[],
  conversations: readonly Conversation[],
  ends: ReadonlyMap<string, Delivery>,
): Promise<Verdict> {
  const records = await readRecords(gateways);
  const violations: string[] = [];
  let epochs = 0;
  for (const conversation of conversations) {
    violations.push(...checkReceived(conversation, ends, records));
    const events = await readLog(api, conversation.sessionId);
    const found = checkLog(conversation, events);
    violations.push(...found.violations);
    epochs += found.epochs;
  }
  const counts: Record<string, number> = {};
  for (const [deliveryId, { status, failure, timeline }] of ends) {
    const end = failure?.code ?? status;
    counts[end] = (counts[end] ?? 0) + 1;
    if (end === 'responded' || end === 'delivery_outcome_unknown') continue;
    const way = timeline.map((step) => `${step.status} ${step.epoch ?? ''}`.trim()).join(', ');
    violations.push(`${deliveryId} ended as ${end}: ${failure?.diagnostic} (${way})`);
  }
  return { violations, ends: counts, epochs };
}

/** All of it, page by page. */
async function readLog(api: Api, sessionId: string): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  for (;;) {
    const path = `/sessions/${sessionId}/events?limit=1000&after=${events.at(-1)?.seq ?? 0}`;
    const { items } = (await api.call<{ items: SessionEvent[] }>('GET', path)).body;
    if (items.length === 0) return events;
    events.push(...items);
  }
}

async function readRecords(gateways: readonly ClusterGateway[]): Promise<Map<string, AgentRecord[]>> {
  const records = new Map<string, AgentRecord[]>();
  for (const { name, dataDir } of gateways) {
    for await (const path of glob('agents/*/home/deliveries.jsonl', { cwd: dataDir })) {
      const lines = (await readFile(join(dataDir, path), 'utf8')).split('\n').filter(Boolean);
      for (const line of lines) {
        const record = { ...(JSON.parse(line) as Omit<AgentRecord, 'gateway'>), gateway: name };
        records.set(record.deliveryId, [...(records.get(record.deliveryId) ?? []), record]);
      }
    }
  }
  return records;
}

/** No agent got a delivery twice, none that was answered was not received, and each agent got its own in their order. */
function checkReceived(
  { sent }: Conversation,
  ends: ReadonlyMap<string, Delivery>,
  records: ReadonlyMap<string, AgentRecord[]>,
): string[] {
  const violations: string[] = [];
  let lastAt = 0;
  for (const { deliveryId, sha256s } of sent) {
    const received = records.get(deliveryId) ?? [];
    const status = ends.get(deliveryId)?.status;
    if (received.length > 1)
      violations.push(`${deliveryId} came ${received.length} times: ${received.map(({ gateway }) => gateway).join()}`);
    if (status === 'responded' && received.length === 0) violations.push(`${deliveryId} was answered and never came`);
    const [first] = received;
    if (first === undefined) continue;
    if (first.at < lastAt) violations.push(`${deliveryId} came before one that was sent earlier`);
    lastAt = first.at;
    const digests = first.files.map(({ sha256 }) => sha256);
    if (digests.join() !== sha256s.join()) violations.push(`${deliveryId} came with ${digests.join() || 'no file'}`);
  }
  return violations;
}

/** The log has no gap, each delivery one end, and nothing of a lower epoch after a higher one. */
function checkLog({ sessionId, sent }: Conversation, events: readonly SessionEvent[]) {
  const violations: string[] = [];
  if (events.some(({ seq }, index) => seq !== index + 1)) violations.push(`${sessionId} has a gap in its log`);
  let epoch = 0;
  const epochs = new Set<number>();
  const endCounts = new Map<string, number>();
  for (const { kind, data } of events) {
    const { epoch: written, deliveryId } = data as { epoch?: number; deliveryId?: string };
    if (written !== undefined) {
      if (written < epoch) violations.push(`${sessionId}: ${kind} of epoch ${written} after epoch ${epoch}`);
      epoch = Math.max(epoch, written);
      epochs.add(written);
    }
    if (deliveryId !== undefined && (kind === 'delivery.responded' || kind === 'delivery.failed'))
      endCounts.set(deliveryId, (endCounts.get(deliveryId) ?? 0) + 1);
  }
  for (const { deliveryId } of sent) {
    const count = endCounts.get(deliveryId) ?? 0;
    if (count !== 1) violations.push(`${deliveryId} has ${count} ends in the log`);
  }
  return { violations, epochs: epochs.size };
}
