import { setImmediate as nextRound } from 'node:timers/promises';
import { Fault } from '@attache/contracts';
import { copyDatabase } from '../copy-database.ts';
import type { DeliverRequest, RunningAgent, TurnOutcome } from '../driver.ts';
import { type Frame, measureFrame } from '../frames/create-frame.ts';
import type { WriteHooks } from '../frames/write-frame.ts';
import type { ConnectionEnd } from '../messages/connection-end.ts';
import type { OpenedSession, SentTurn, TurnEnd } from '../protocol.ts';
import { contentsInside } from '../sandbox/spec-inside.ts';
import { terminateAgent } from '../terminate-agent.ts';
import { within } from '../within.ts';
import { abandon, failByEnd, failByWrite, failTurn, type TurnContext } from './turn-failures.ts';
import type { TurnState } from './turn-state.ts';

const MAX_LABEL_LENGTH = 64;

export type RunningAgentOptions = Omit<TurnContext, 'lifecycle'> & {
  opened: OpenedSession;
  cancelGraceMs: number;
  /** How long an agent may live on that has closed its output. */
  closedOutputMs: number;
};

type Running = RunningAgentOptions & TurnContext;

/** An agent whose protocol is open. */
export function createRunningAgent(options: RunningAgentOptions): RunningAgent {
  const { child, protocol, turns, opened } = options;
  const { declared, programVersion, isResumed } = opened;
  const lifecycle = { isStopping: false, isClosed: false, isKilled: false };
  const running: Running = { ...options, lifecycle };
  void protocol.closed.then((end) => {
    lifecycle.isClosed = true;
    return killAfter(running, end);
  });
  return {
    declared,
    isResumed,
    get isOpen() {
      return !lifecycle.isClosed && !lifecycle.isStopping;
    },
    get isSteerable() {
      return protocol.steering?.isOpen() ?? false;
    },
    ...(programVersion === undefined ? {} : { programVersion }),
    get resumeReference() {
      return protocol.resumeReference;
    },
    exited: child.exited,
    deliver: (request) => deliver(running, { ...request, contents: contentsInside(running.spec, request.contents) }),
    interrupt: () => interrupt(running, turns.current),
    copyDatabase: (path) => copyDatabase(running, path),
    async stop({ graceMs }) {
      lifecycle.isStopping = true;
      child.stdin.end();
      await terminateAgent(child, { graceMs });
    },
  };
}

/** An agent that broke its protocol is of no more use; one that closed its output gets time to end by itself. */
async function killAfter({ child, lifecycle, closedOutputMs }: Running, end: ConnectionEnd): Promise<void> {
  if (end.reason === 'ended') await within(child.exited, closedOutputMs);
  // Its end may be on its way to us.
  await nextRound();
  if (!lifecycle.isStopping) lifecycle.isKilled ||= child.signalGroup('SIGKILL');
}

async function interrupt({ protocol }: Running, turn: TurnState | undefined): Promise<void> {
  if (turn === undefined) return;
  turn.interrupt();
  await protocol.interrupt();
}

async function deliver(running: Running, request: DeliverRequest): Promise<TurnOutcome> {
  const { protocol, turns } = running;
  const { current } = turns;
  if (current !== undefined) {
    if (protocol.steering === undefined)
      throw new Fault('INTERNAL', 'A turn is running; wait for its end before the next.');
    const outcome = await runTurn(running, request, current, protocol.steering);
    if (outcome !== 'not-entered') return outcome;
    await current.over;
    // It was written and refused: the second line is the same delivery's, and says nothing new about it. Whether it may still be written is asked again.
    return await deliver(running, { ...request, onWritten: async () => undefined });
  }
  const turn = turns.begin();
  try {
    const outcome = await runTurn(running, request, turn, protocol);
    if (outcome === 'not-entered') throw new Fault('INTERNAL', 'A turn that was begun cannot have been entered late.');
    return outcome;
  } finally {
    turns.end();
  }
}

type Way = {
  compose(request: DeliverRequest): Frame;
  send(request: DeliverRequest, frame: Frame, hooks: WriteHooks): SentTurn;
};

async function runTurn(
  running: Running,
  request: DeliverRequest,
  turn: TurnState,
  way: Way,
): Promise<TurnOutcome | 'not-entered'> {
  const { spec } = running;
  const { signal } = request;
  const frame = way.compose(request);
  const lineBytes = measureFrame(frame);
  if (lineBytes > spec.lineBytes) return failLineTooLong(running, lineBytes);
  const onAbort = () => void interrupt(running, turn);
  const onWriting = async () => {
    await request.onWriting();
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted) onAbort();
  };
  try {
    const sent = way.send(request, frame, { onWriting, signal });
    const written = await sent.written;
    if (written.status !== 'written') return await failByWrite(running, written);
    const settled = request.onWritten();
    // The gateway lets a delivery enter only a turn that it has recorded as written.
    void settled
      .then(() => running.protocol.steering?.awaitOpen())
      .then((isOpen) => isOpen && request.onSteerable?.())
      .catch(() => undefined);
    turn.isWriting = false;
    // Its end need not wait for the record of its beginning, but a turn that could not be recorded ends here.
    const unrecorded = settled.then(() => new Promise<never>(() => undefined));
    return await outcomeOf(running, await Promise.race([unrecorded, awaitEnd(running, sent.end, turn)]));
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}

type Awaited = TurnEnd | 'timeout' | 'interrupted';

/** The turn's end. Where it does not come in time, or not after an interrupt, the agent is asked to end it, then killed. */
async function awaitEnd(running: Running, end: Promise<TurnEnd>, turn: TurnState): Promise<Awaited> {
  const first = await within(Promise.race([end, turn.interrupted]), running.spec.turnMs);
  if (first !== 'timeout' && first !== 'interrupted') return first;
  if (first === 'timeout') void interrupt(running, turn);
  const late = await within(end, running.cancelGraceMs);
  if (late === 'timeout') abandon(running);
  return first === 'interrupted' && late !== 'timeout' ? late : first;
}

async function outcomeOf(running: Running, end: Awaited): Promise<TurnOutcome | 'not-entered'> {
  if (end === 'timeout') {
    return failTurn(running, 'delivery_turn_timeout', running.child.diagnostic(), { turnMs: running.spec.turnMs });
  }
  if (end === 'interrupted') {
    const text = 'the agent did not end the turn and was stopped';
    return failTurn(running, 'delivery_cancelled', text, { phase: 'after-write' });
  }
  if (end.status === 'closed') return await failByEnd(running, end.end, 'after-write');
  if (end.status === 'not-entered') return end.status;
  if (end.status === 'failed') {
    const { failure } = failTurn(running, end.code, end.text, end.safeDetails, end.isSpoiled);
    return { status: 'failed', failure, ...(end.isForgotten ? { isForgotten: true } : {}) };
  }
  const { proof, usage, removedMedia } = end;
  const stopReason = end.stopReason.slice(0, MAX_LABEL_LENGTH);
  return {
    status: 'responded',
    stopReason,
    proof,
    ...(usage === undefined ? {} : { usage }),
    ...(removedMedia ? { removedMedia } : {}),
  };
}

function failLineTooLong(running: Running, lineBytes: number): TurnOutcome {
  const limitBytes = running.spec.lineBytes;
  const text = `a line of ${lineBytes} bytes, at most ${limitBytes}`;
  return failTurn(running, 'attachment_serialized_payload_too_large', text, { lineBytes, limitBytes });
}
