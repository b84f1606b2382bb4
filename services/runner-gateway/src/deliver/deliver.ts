import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DeliveryContents } from '@attache/agent-process';
import { idFromUuid, isFault, uuidFromId } from '@attache/contracts';
import { dismissAgent, forgetVariant, type NextDelivery, setAgentStatus } from '@attache/database';
import { noteEvent, recordStage, withSpan } from '@attache/telemetry';
import type { OwningDeps } from '../gateway-deps.ts';
import { bringHistory } from '../history/bring-history.ts';
import type { AgentHost } from '../host/agent-host.ts';
import { beginsConversation, mustBeTold } from '../host/agent-memory.ts';
import type { HostedAgent } from '../host/launch-agent.ts';
import type { EarlyBytes } from '../materialise/early-bytes.ts';
import { fitsInMemory, type Materialised, materialiseParts, sumBytes } from '../materialise/materialise-parts.ts';
import { holdsEarlierAttempt } from '../memory/earlier-attempt.ts';
import type { SessionKey } from '../ownership/session-ownership.ts';
import type { Placement } from '../placement/placement.ts';
import { isAside } from '../quarantine/agent-quarantine.ts';
import { describeUnexpected } from './describe-unexpected.ts';
import { HistoryOutdated, StoppedBeforeWrite } from './note-writing.ts';
import { type DeliveryTask, failDelivery, type OnNext, recordMove } from './record-delivery.ts';
import { runTurn } from './run-turn.ts';
import { settleLost } from './settle-lost.ts';

export type DeliverDeps = OwningDeps & {
  host: AgentHost;
  placement: Pick<Placement, 'admit' | 'begin' | 'end' | 'forget'>;
  isDraining: () => boolean;
  early: EarlyBytes;
};

/** Who asked for a delivery learns when another one may enter its turn, and what the record of its answer found next in the agent's line. */
export type Progress = { onSteerable: () => void; onNext: OnNext };

/**
 * Brings one prepared delivery to its agent: claimed, written, responded, or failed by code. Hangs under its message's trace, and is
 * linked to those that made what it brings.
 */
export async function deliver(
  deps: DeliverDeps,
  session: SessionKey,
  next: NextDelivery,
  progress: Progress,
): Promise<void> {
  const { row, agent, attachments } = next;
  const links = attachments.map(({ trace }) => trace ?? undefined);
  const attributes = {
    'delivery.id': idFromUuid('delivery', row.id),
    'delivery.attempt': row.attempts,
    'delivery.runtime': agent.runtime,
    'delivery.bytes': sumBytes(row.parts ?? []),
    'gateway.id': deps.ownership.identity.replicaId,
    'session.epoch': deps.ownership.fenceOf(session).epoch,
  };
  await withSpan(
    { name: 'attachment.deliver', kind: 'consumer', parent: row.trace ?? 'root', links, attributes },
    async () => {
      try {
        await bringDelivery(deps, { ...next, session }, progress);
      } catch (error) {
        if (error instanceof StoppedBeforeWrite)
          return error.failure && failDelivery(deps, session, row, error.failure);
        if (isFault(error, 'OWNERSHIP_LOST')) throw error;
        if (isFault(error, 'DATABASE_UNAVAILABLE')) return void (await settleLost(deps, session, row, 'database-away'));
        deps.log.error({ err: error }, 'delivery.failed_unexpectedly');
        await failDelivery(deps, session, row, describeUnexpected(error));
      }
    },
  );
}

async function bringDelivery(deps: DeliverDeps, prepared: DeliveryTask, progress: Progress): Promise<void> {
  const { session, agent, row } = prepared;
  if (holdsEarlierAttempt(prepared)) await deps.host.leaveConversation(agent.id, 'message-retried');
  // A small delivery's bytes are on their way while it is claimed.
  const isEarly = fitsInMemory(row.parts ?? []) && !deps.drivers[agent.runtime]?.traits.takesFiles;
  const early = isEarly ? materialise(deps, prepared, undefined) : undefined;
  early?.catch(() => {});
  // To an agent that runs, what is in memory is claimed in the step that notes its first byte.
  const task = isEarly && deps.host.isRunning(agent) ? prepared : await claim(deps, prepared);
  if (!task) return;
  const started = await withSpan({ name: 'agent.start' }, () => deps.host.start(session, agent));
  if (started.status === 'started') return bring(deps, task, { hosted: started.agent, early, progress });
  await settleNotStarted(deps, task);
  if (!deps.isDraining()) await failDelivery(deps, session, row, started.failure);
}

async function claim(deps: DeliverDeps, prepared: DeliveryTask): Promise<DeliveryTask | undefined> {
  const claimed = await recordMove(deps, prepared, 'claimed');
  if (claimed) noteEvent('claimed', { 'session.epoch': claimed.row.epoch ?? 0 });
  return claimed;
}

type Bringing = { hosted: HostedAgent; early: Promise<Materialised> | undefined; progress: Progress };

async function bring(deps: DeliverDeps, task: DeliveryTask, { hosted, early, progress }: Bringing): Promise<void> {
  const { session, agent, row } = task;
  const folder = join(hosted.folder, 'inbox', idFromUuid('delivery', row.id));
  const isTold = mustBeTold(hosted.memory);
  let isIdle = false;
  try {
    const materialised = await (early ?? materialise(deps, task, folder));
    if (!hosted.isInTurn()) hosted.quarantine?.sync(listQuarantined(task, hosted));
    if (materialised.status === 'ready')
      isIdle = await runWithHistory(deps, task, { hosted, folder, contents: materialised.contents, progress });
    // The row that came with a ring may be out of date: the lane reads the database next.
    else if (!task.isRung) await failDelivery(deps, session, row, materialised.failure);
  } finally {
    if (!early || isTold) await rm(folder, { recursive: true, force: true });
    const reason = hosted.isInTurn() ? undefined : findReasonToBeginAnew(hosted);
    // Before it rests, because no checkpoint of this conversation may be taken then.
    if (reason) await beginAnew(deps, agent.id, hosted, reason);
    deps.host.rest(agent.id, hosted);
    if (!hosted.isInTurn()) hosted.checkpoints?.rest();
    if (!isIdle) await settleAgentStatus(deps, task);
  }
}

/** Pictures that were set aside in a conversation before do not count in one that begins. */
const listQuarantined = ({ quarantined }: DeliveryTask, { memory }: HostedAgent): DeliveryTask['quarantined'] =>
  beginsConversation(memory) ? quarantined.filter((part) => !isAside(part)) : quarantined;

type Told = Omit<Bringing, 'early'> & { folder: string; contents: DeliveryContents };

const MAX_HISTORIES = 3;

/** If the agent remembers nothing of the conversation, the history goes first. It is composed again if one of its files is gone meanwhile. */
async function runWithHistory(deps: DeliverDeps, task: DeliveryTask, told: Told): Promise<boolean> {
  const { hosted, contents, progress } = told;
  const { memory } = hosted;
  const takesFiles = deps.drivers[task.agent.runtime]?.traits.takesFiles === true;
  const telling = { memory, contents, takesFiles, folder: join(told.folder, 'history') };
  for (let count = 1; ; count += 1) {
    const history = mustBeTold(memory) ? await bringHistory(deps, task, telling) : undefined;
    try {
      return await runTurn(deps, task, { hosted, contents, history, ...progress });
    } catch (error) {
      if (!(error instanceof HistoryOutdated) || count === MAX_HISTORIES) throw error;
    }
  }
}

function findReasonToBeginAnew({ quarantine, memory }: HostedAgent): 'context-full' | 'memory-lost' | undefined {
  if (quarantine?.mustBeginAnew()) return 'context-full';
  return memory.isLost ? 'memory-lost' : undefined;
}

/** Its next message begins a conversation of its own. */
async function beginAnew(
  { host }: Pick<DeliverDeps, 'host'>,
  agentId: string,
  hosted: HostedAgent,
  reason: 'context-full' | 'memory-lost',
): Promise<void> {
  hosted.checkpoints?.cancel();
  await hosted.dropReference();
  await host.stop(agentId, reason);
}

async function materialise(
  deps: DeliverDeps,
  { session, row, attachments }: DeliveryTask,
  folder: string | undefined,
): Promise<Materialised> {
  const startedAt = performance.now();
  const materialised = await withSpan({ name: 'attachment.materialise' }, () =>
    materialiseParts(deps, { tenantId: session.tenantId, parts: row.parts ?? [], plan: row.plan, attachments, folder }),
  );
  for (const { variantId, blobKey } of materialised.lost)
    await deps.db.asTenant(session.tenantId, (tx) => forgetVariant(tx, uuidFromId(variantId), blobKey));
  if (materialised.status === 'ready') recordStage('materialise', performance.now() - startedAt);
  return materialised;
}

async function settleAgentStatus(deps: Pick<OwningDeps, 'ownership'>, { session, agent }: DeliveryTask): Promise<void> {
  await deps.ownership.asOwner(session, (tx) => setAgentStatus(tx, agent.id, 'idle', 'busy'));
}

async function settleNotStarted(
  { ownership }: Pick<OwningDeps, 'ownership'>,
  { session, agent }: DeliveryTask,
): Promise<void> {
  await ownership.asOwner(session, async (tx) => {
    await setAgentStatus(tx, agent.id, 'idle', 'busy');
    await dismissAgent(tx, agent.id);
  });
}
