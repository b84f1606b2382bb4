import { Fault } from '@attache/contracts';
import type { DeliverRequest, RunningAgent, TurnOutcome } from '../driver.ts';
import { measureFrame } from '../frames/create-frame.ts';
import { terminateAgent } from '../terminate-agent.ts';
import { within } from '../within.ts';
import { type TurnState, usageOf } from './agent-session.ts';
import type { Answer, ConnectionEnd } from './exchange.ts';
import { recordOf, stringOf } from './json-values.ts';
import type { OpenedSession } from './open-session.ts';
import { promptFrame } from './prompt-frame.ts';
import { failByEnd, failByError, failByWrite, failTurn, type TurnContext } from './turn-failures.ts';

const CLOSED_OUTPUT_MS = 2000;
const MAX_LABEL_LENGTH = 64;

export type RunningAgentOptions = Omit<TurnContext, 'lifecycle'> & { opened: OpenedSession; cancelGraceMs: number };

type Running = RunningAgentOptions & TurnContext;

/** An agent with an open ACP session. */
export function createRunningAgent(options: RunningAgentOptions): RunningAgent {
  const { child, connection, session, opened } = options;
  const lifecycle = { isStopping: false };
  const running: Running = { ...options, lifecycle };
  void connection.closed.then((end) => killAfter(running, end));
  return {
    declared: opened.declared,
    ...(opened.programVersion === undefined ? {} : { programVersion: opened.programVersion }),
    exited: child.exited,
    deliver: (request) => deliver(running, request),
    interrupt: () => interrupt(running, session.turn),
    async stop({ graceMs }) {
      lifecycle.isStopping = true;
      child.stdin.end();
      await terminateAgent(child, { graceMs });
    },
  };
}

/** An agent that broke its protocol is of no more use; one that closed its output gets time to end by itself. */
async function killAfter({ child, lifecycle }: Running, end: ConnectionEnd): Promise<void> {
  if (end.reason === 'ended') await within(child.exited, CLOSED_OUTPUT_MS);
  if (!lifecycle.isStopping) child.signalGroup('SIGKILL');
}

async function interrupt({ connection, opened }: Running, turn: TurnState | undefined): Promise<void> {
  if (turn === undefined) return;
  turn.interrupt();
  await connection.notify('session/cancel', { sessionId: opened.sessionId });
}

async function deliver(running: Running, request: DeliverRequest): Promise<TurnOutcome> {
  const { session } = running;
  if (session.turn !== undefined) throw new Fault('INTERNAL', 'A turn is running; wait for its end before the next.');
  const turn = session.beginTurn();
  const onAbort = () => void interrupt(running, turn);
  try {
    return await runTurn(running, request, turn, onAbort);
  } finally {
    request.signal?.removeEventListener('abort', onAbort);
    session.endTurn();
  }
}

async function runTurn(
  running: Running,
  request: DeliverRequest,
  turn: TurnState,
  onAbort: () => void,
): Promise<TurnOutcome> {
  const { spec, connection, opened } = running;
  const { deliveryId, parts, contents, trace, signal } = request;
  const { sessionId, declared } = opened;
  const frame = promptFrame({ deliveryId, sessionId, parts, contents, embedsText: declared.embeddedContext, trace });
  const lineBytes = measureFrame(frame);
  if (lineBytes > spec.lineBytes) return failLineTooLong(running, lineBytes);
  const onWriting = async () => {
    await request.onWriting();
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted) onAbort();
  };
  const sent = connection.request(deliveryId, frame, { onWriting, signal });
  const written = await sent.written;
  if (written.status !== 'written') return await failByWrite(running, written);
  const settled = request.onWritten();
  turn.settlingWritten = settled.catch(() => undefined);
  turn.isWriting = false;
  await settled;
  return await outcomeOf(running, request, await awaitAnswer(running, sent.answer, turn));
}

type Awaited = Answer | 'timeout' | 'interrupted';

/** The turn's answer. Where it does not come in time, or not after an interrupt, the agent is asked to end it, then killed. */
async function awaitAnswer(running: Running, answer: Promise<Answer>, turn: TurnState): Promise<Awaited> {
  const first = await within(Promise.race([answer, turn.interrupted]), running.spec.turnMs);
  if (first !== 'timeout' && first !== 'interrupted') return first;
  if (first === 'timeout') void interrupt(running, turn);
  const late = await within(answer, running.cancelGraceMs);
  if (late === 'timeout') running.child.signalGroup('SIGKILL');
  return first === 'interrupted' && late !== 'timeout' ? late : first;
}

async function outcomeOf(running: Running, request: DeliverRequest, answer: Awaited): Promise<TurnOutcome> {
  if (answer === 'timeout') {
    return failTurn(running, 'delivery_turn_timeout', running.child.diagnostic(), { turnMs: running.spec.turnMs });
  }
  if (answer === 'interrupted') {
    const text = 'the agent did not end the turn and was stopped';
    return failTurn(running, 'delivery_cancelled', text, { phase: 'after-write' });
  }
  if (answer.status === 'closed') return await failByEnd(running, answer.end, 'after-write');
  if (answer.status === 'error') return failByError(running, answer, request.parts);
  const stopReason = (stringOf(recordOf(answer.result).stopReason) ?? 'unknown').slice(0, MAX_LABEL_LENGTH);
  const usage = usageOf(answer.result);
  const proof = `session/prompt ${request.deliveryId} answered ${stopReason}`;
  return { status: 'responded', stopReason, proof, ...(usage === undefined ? {} : { usage }) };
}

function failLineTooLong(running: Running, lineBytes: number): TurnOutcome {
  const limitBytes = running.spec.lineBytes;
  const text = `a line of ${lineBytes} bytes, at most ${limitBytes}`;
  return failTurn(running, 'attachment_serialized_payload_too_large', text, { lineBytes, limitBytes });
}
