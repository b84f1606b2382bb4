import type { DeliveryContents, TurnOutcome } from '@attache/agent-process';
import { idFromUuid, type TraceContext } from '@attache/contracts';
import { appendEvents } from '@attache/database';
import { type RequestLimits, referencesOf } from '@attache/domain';
import { currentTrace, noteEvent, recordStage, withSpan } from '@attache/telemetry';
import type { OwningDeps } from '../gateway-deps.ts';
import { type BroughtHistory, joinContents, type Rebuilt } from '../history/bring-history.ts';
import type { HostedAgent } from '../host/launch-agent.ts';
import { openTurn, type RunningTurn } from '../output/output-sink.ts';
import type { SessionKey } from '../ownership/session-ownership.ts';
import { explainRefusal, lookBeforeTurn } from '../quarantine/explain-refusal.ts';
import { keepQuarantined } from '../quarantine/keep-quarantined.ts';
import { noteDropped } from '../quarantine/note-dropped.ts';
import type { ModelCalls } from './compose-receipt.ts';
import { judgeMemory, noteLostMemory } from './judge-memory.ts';
import { nameWire } from './judge-on-wire.ts';
import { listSent } from './list-sent.ts';
import { noteWriting } from './note-writing.ts';
import {
  type DeliveryTask,
  failDelivery,
  type OnNext,
  type RecordDeps,
  recordResponse,
  startMove,
} from './record-delivery.ts';
import { settleLost } from './settle-lost.ts';

type TurnDeps = RecordDeps & Pick<OwningDeps, 'profiles'> & { isDraining: () => boolean };

type Turn = {
  hosted: Pick<
    HostedAgent,
    | 'running'
    | 'transport'
    | 'program'
    | 'keepReference'
    | 'modelCallsBy'
    | 'setTurn'
    | 'endTurn'
    | 'quarantine'
    | 'forwards'
    | 'memory'
    | 'checkpoints'
    | 'ways'
    | 'lacksTools'
  >;
  contents: DeliveryContents;
  /** Goes before it. */
  history?: BroughtHistory | undefined;
  /** Called when the next delivery may enter the turn. */
  onSteerable: () => void;
  onNext: OnNext;
};

/** Has an agent take a delivery, and records how its turn ended. True: with that it was recorded that the agent is idle. */
export async function runTurn(deps: TurnDeps, taken: DeliveryTask, turn: Turn): Promise<boolean> {
  const startedAt = performance.now();
  const before = lookBeforeTurn(turn.hosted.quarantine);
  const { isAtFirstTurn } = turn.hosted.memory;
  const hasConnected = turn.hosted.ways.watchEgress?.();
  const { outcome, task, writtenAt, running } = await takeTurn(deps, taken, turn);
  recordStage('turn', performance.now() - startedAt);
  await turn.hosted.keepReference();
  if (turn.hosted.quarantine !== undefined) {
    await keepQuarantined(deps, task, turn.hosted.quarantine);
    await noteDropped(deps, task, turn.hosted.quarantine, running);
  }
  if (outcome.status === 'responded') {
    if (running.lostOutput !== undefined) throw running.lostOutput.error;
    const ended = {
      ...{ ...outcome, writtenAt, handedOut: running.handedOut, refusal: running.refusal },
      modelCalls: describeModelCalls(taken, turn, running, hasConnected?.()),
      lacksTools: turn.hosted.lacksTools(),
      ...(isAtFirstTurn ? { continuedBy: await judgeMemory(deps, task, turn.hosted.memory, running) } : {}),
    };
    if (isAtFirstTurn && ended.lacksTools) noteToolsNotListed(deps, task);
    const isIdle = await recordResponse(deps, task, turn.hosted, ended, turn.onNext);
    noteEvent('confirmed');
    return isIdle;
  }
  // A gateway that stops leaves what it cut off to its next life: given back if never written, else of unknown outcome.
  if (deps.isDraining()) return false;
  // Its next process begins with the history, so that this happens once.
  const isLost = isAtFirstTurn && noteLostMemory(turn.hosted, outcome.failure, running);
  if (isLost && (await settleLost(deps, task.session, task.row, 'unforwarded')) !== 'left') return false;
  const sent = new Set((taken.row.parts ?? []).flatMap(referencesOf).map(({ sha256 }) => sha256));
  const { lastEnd } = running;
  const failure = explainRefusal(outcome.failure, { quarantine: turn.hosted.quarantine, before, sent, lastEnd });
  await failDelivery(deps, task.session, task.row, failure, outcome);
  return false;
}

type EndedTurn = {
  outcome: TurnOutcome;
  /** As the driver's calls have moved it. */
  task: DeliveryTask;
  writtenAt: Date | undefined;
  running: RunningTurn;
};

function takeTurn(deps: TurnDeps, taken: DeliveryTask, turn: Turn): Promise<EndedTurn> {
  const { hosted, history, onSteerable } = turn;
  const { row } = taken;
  const brought = [...(history?.parts ?? []), ...(row.parts ?? [])];
  for (const { sha256, attachmentId } of brought.flatMap(referencesOf)) hosted.quarantine?.learn(sha256, attachmentId);
  const markers = hosted.quarantine?.drops.listMarkers() ?? [];
  const parts = [...(history?.parts ?? []), ...markers, ...(row.parts ?? [])];
  const contents = history ? joinContents(history, turn.contents) : turn.contents;
  const deliveryId = idFromUuid('delivery', row.id);
  const nameWire = nameWireOf(taken, contents);
  return withSpan(describeSpan(taken), async (span) => {
    const running = openTurn({ deliveryId, trace: currentTrace(), nameWire });
    let task = taken;
    let writtenAt: Date | undefined;
    hosted.quarantine?.files.noteTurn();
    hosted.quarantine?.asides.noteTurn(findLimits(row.plan));
    hosted.setTurn(running);
    try {
      const outcome = await hosted.running.deliver({
        deliveryId,
        parts,
        contents,
        trace: currentTrace() as TraceContext | undefined,
        async onWriting() {
          task = await noteWriting(deps, task, contents, { history, isWatched: hosted.forwards !== undefined });
          hosted.forwards?.noteWriting();
          hosted.checkpoints?.begin(row.id);
          if (history) await noteRebuilt(deps, task, history.rebuilt);
          span.addEvent('writing');
        },
        async onWritten() {
          writtenAt = new Date();
          hosted.memory.isAtFirstTurn = false;
          hosted.quarantine?.drops.noteTold();
          // The agent's output queues behind it in the same order: nobody waits for the commit.
          const move = startMove(deps, task, 'written');
          task = move.task;
          await move.written;
          span.addEvent('written');
        },
        onSteerable,
      });
      span.setAttribute('delivery.outcome', outcome.status === 'responded' ? outcome.stopReason : outcome.failure.code);
      return { outcome, task, writtenAt, running };
    } finally {
      hosted.endTurn(running);
    }
  });
}

/** The limits that its plan was made with. */
const findLimits = ({ budget: { images, bytes } }: DeliveryTask['row']['plan']): RequestLimits => ({
  images: images?.limit,
  bytes: bytes?.limit,
});

/** Records that an agent gets its history, right before its first byte. */
async function noteRebuilt(
  { ownership }: Pick<OwningDeps, 'ownership'>,
  { session }: { session: SessionKey },
  data: Rebuilt,
): Promise<void> {
  const actor = { type: 'service', id: 'runner-gateway' } as const;
  await ownership.asOwner(session, (tx) =>
    appendEvents(tx, session.sessionId, [{ kind: 'agent.rebuilt', actor, data }]),
  );
}

function nameWireOf({ row, attachments }: DeliveryTask, contents: DeliveryContents): RunningTurn['nameWire'] {
  const { plan, parts } = row;
  return (request, { handedOut, earlier }) =>
    nameWire(listSent(plan, parts ?? [], handedOut), { parts: parts ?? [], contents, attachments }, request, earlier);
}

function describeModelCalls(
  { row, attachments }: DeliveryTask,
  { hosted, contents }: Turn,
  turn: RunningTurn,
  hasConnected: boolean | undefined,
): ModelCalls {
  if (hosted.modelCallsBy === 'program') return { by: 'program', hasConnected };
  if (hosted.modelCallsBy === 'nobody') return { by: 'nobody' };
  return { by: 'relay', evidence: { turn, parts: row.parts ?? [], contents, attachments } };
}

/** Files by tool then reach its model by no way: this is once for each process. */
function noteToolsNotListed({ log }: Pick<OwningDeps, 'log'>, { agent }: DeliveryTask): void {
  log.warn({ agentId: idFromUuid('agent', agent.id), profile: agent.profile }, 'agent.tools_not_listed');
}

function describeSpan({ agent, session }: DeliveryTask) {
  const attributes = {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.id': idFromUuid('agent', agent.id),
    'gen_ai.provider.name': agent.provider,
    'gen_ai.request.model': agent.model,
    'gen_ai.conversation.id': idFromUuid('session', session.sessionId),
  };
  return { name: `invoke_agent ${agent.name}`, attributes };
}
