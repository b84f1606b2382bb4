import { describe, expect, it, vi } from 'vitest';
import { givenSpec } from '../__fixtures__/given-spec.ts';
import type { AgentExit, DeliverRequest } from '../driver.ts';
import type { WriteHooks } from '../frames/write-frame.ts';
import type { ConnectionEnd } from '../messages/connection-end.ts';
import type { Protocol, SentTurn, TurnEnd } from '../protocol.ts';
import type { SpawnedAgent } from '../spawn-agent.ts';
import { createRunningAgent } from './running-agent.ts';
import { createTurnKeeper } from './turn-state.ts';

const ended: TurnEnd = { status: 'ended', stopReason: 'end_turn', proof: 'a proof' };

/** An agent without a process, whose turns end when a test ends them. */
function given({ isRecorded = true } = {}) {
  const closed = Promise.withResolvers<ConnectionEnd>();
  const exited = Promise.withResolvers<AgentExit>();
  const signals: string[] = [];
  const lines: { way: 'turn' | 'steer'; end: (end: TurnEnd) => void }[] = [];
  const send =
    (way: 'turn' | 'steer') =>
    (_request: DeliverRequest, _frame: unknown, hooks: WriteHooks): SentTurn => {
      const { promise, resolve } = Promise.withResolvers<TurnEnd>();
      const write = async () => {
        await hooks.onWriting?.();
        lines.push({ way, end: resolve });
        return { status: 'written', sizeBytes: 1 } as const;
      };
      return { written: write(), end: promise };
    };
  const compose = () => ({ pieces: [], named: [] }) as never;
  const opening = Promise.withResolvers<boolean>();
  const protocol = {
    ...{ closed: closed.promise, compose, send: send('turn'), flush: async () => {}, interrupt: async () => {} },
    steering: { isOpen: () => true, awaitOpen: () => opening.promise, compose, send: send('steer') },
  } as unknown as Protocol;
  const child = {
    exited: exited.promise,
    diagnostic: () => '',
    signalGroup: (signal: string) => signals.push(signal) > 0,
  } as unknown as SpawnedAgent;
  const agent = createRunningAgent({
    ...{ spec: givenSpec({ turnMs: 60_000 }), child, protocol, turns: createTurnKeeper(), redact: (text) => text },
    ...{ limits: { excess: undefined } as never, cancelGraceMs: 1_000, closedOutputMs: 1 },
    opened: { status: 'opened', declared: { image: true, audio: false, embeddedContext: true }, isResumed: false },
  });
  const asked: string[] = [];
  const onSteerable = vi.fn();
  // Its `written` is recorded at once, unless a test delays it.
  const recorded = Promise.withResolvers<void>();
  if (isRecorded) recorded.resolve();
  const deliver = (name: string, onWriting: () => Promise<void> = async () => undefined) =>
    agent.deliver({
      deliveryId: 'dlv_AAAAAAAAAAAAAAAAAAAAAA',
      parts: [],
      contents: {} as never,
      async onWriting() {
        asked.push(name);
        await onWriting();
      },
      onWritten: () => recorded.promise,
      onSteerable,
    });
  return { agent, closed, exited, signals, lines, asked, deliver, opening, recorded, onSteerable };
}

describe('a delivery that was to enter a turn which is over', () => {
  it('is asked about once more before it gets a turn of its own [DL-52 SR-28]', async () => {
    const { lines, asked, deliver } = given();
    const first = deliver('first');
    await expect.poll(() => lines.length).toBe(1);
    const late = deliver('late');
    await expect.poll(() => lines.length).toBe(2);
    lines[1]?.end({ status: 'not-entered' });
    lines[0]?.end(ended);
    expect(await first).toMatchObject({ status: 'responded' });
    await expect.poll(() => lines.length).toBe(3);
    lines[2]?.end(ended);
    expect(await late).toMatchObject({ status: 'responded' });
    expect(lines.map(({ way }) => way)).toEqual(['turn', 'steer', 'turn']);
    expect(asked).toEqual(['first', 'late', 'late']);
  });

  it('is not written any more where it may not be by then [SR-28]', async () => {
    const { lines, deliver } = given();
    const first = deliver('first');
    await expect.poll(() => lines.length).toBe(1);
    let isRevoked = false;
    const late = deliver('late', async () => {
      if (isRevoked) throw new Error('the grant is gone');
    });
    await expect.poll(() => lines.length).toBe(2);
    isRevoked = true;
    lines[1]?.end({ status: 'not-entered' });
    lines[0]?.end(ended);
    await first;
    await expect(late).rejects.toThrow('the grant is gone');
    expect(lines).toHaveLength(2);
  });
});

describe('a turn that can be entered', () => {
  it.each([
    ['is told of when it can, and not before', true],
    ['is not told of where it ended first', false],
  ])('%s [DL-52]', async (_title, isOpen) => {
    const { lines, deliver, opening, onSteerable } = given();
    const first = deliver('first');
    await expect.poll(() => lines.length).toBe(1);
    expect(onSteerable).not.toHaveBeenCalled();
    opening.resolve(isOpen);
    await opening.promise;
    lines[0]?.end(ended);
    await first;
    expect(onSteerable).toHaveBeenCalledTimes(isOpen ? 1 : 0);
  });

  it('is told of only once it is recorded as written, so that whoever looks finds it [DL-52 DL-61]', async () => {
    const { lines, deliver, opening, recorded, onSteerable } = given({ isRecorded: false });
    const first = deliver('first');
    await expect.poll(() => lines.length).toBe(1);
    opening.resolve(true);
    for (let round = 0; round < 5; round += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(onSteerable).not.toHaveBeenCalled();
    recorded.resolve();
    lines[0]?.end(ended);
    await first;
    expect(onSteerable).toHaveBeenCalledTimes(1);
  });
});

describe('an agent whose output ended', () => {
  it.each([
    ['by itself, however late that is seen', { exitCode: 3, signal: null }, 'delivery_agent_crashed'],
    ['by our signal', { exitCode: null, signal: 'SIGKILL' }, 'delivery_runtime_transport_failed'],
  ])('ended %s: its exit status decides [DL-82]', async (_title, exit, code) => {
    const { closed, exited, signals, lines, deliver } = given();
    const turn = deliver('first');
    await expect.poll(() => lines.length).toBe(1);
    lines[0]?.end({ status: 'closed', end: { reason: 'ended' } });
    closed.resolve({ reason: 'ended' });
    await expect.poll(() => signals).toEqual(['SIGKILL']);
    exited.resolve({ ...exit, diagnostic: '' });
    expect(await turn).toMatchObject({ status: 'failed', failure: { code } });
  });
});
