import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { readLines } from '../frames/read-lines.ts';
import type { ConnectionEnd } from './connection-end.ts';

// Some programs print a line or two of their own before they speak their protocol.
const MAX_GARBAGE_LINES = 8;
const DRAIN_POLL_MS = 50;

export type MessageReading<Message> = {
  stdout: Readable;
  incomingLineBytes: number;
  /** The bytes that an agent may send until `resetAllowance`; a program that floods its gateway is stopped. */
  allowanceBytes?: number | undefined;
  parse(line: Buffer): Message | 'blank' | 'garbage';
  /** Awaited before the next message is read. A throw ends the reading with a fault. */
  handle(message: Message): Promise<void>;
};

export type MessageReader = {
  readonly closed: Promise<ConnectionEnd>;
  resetAllowance(): void;
  /** Ends the reading once all that came has been handled; for when the agent has ended but its pipe has not. */
  closeWhenDrained(): Promise<void>;
  /** Ends the reading at once, for the reason given. */
  breakOff(end: ConnectionEnd): void;
};

type State = {
  isClosed: boolean;
  isHandling: boolean;
  handledLines: number;
  garbageLines: number;
  takenBytes: number;
  brokenOff: ConnectionEnd | undefined;
};

/** Reads an agent's output as one message a line, in order, until it ends or breaks its protocol. */
export function readMessages<Message extends object>(reading: MessageReading<Message>): MessageReader {
  const state: State = {
    ...{ isClosed: false, isHandling: false, brokenOff: undefined },
    ...{ handledLines: 0, garbageLines: 0, takenBytes: 0 },
  };
  const closed = readAll(reading, state).finally(() => {
    state.isClosed = true;
  });
  return {
    closed,
    resetAllowance: () => {
      state.takenBytes = 0;
    },
    closeWhenDrained: () => closeWhenDrained(reading.stdout, state),
    breakOff(end) {
      state.brokenOff ??= end;
      reading.stdout.destroy();
    },
  };
}

async function readAll<Message extends object>(reading: MessageReading<Message>, state: State): Promise<ConnectionEnd> {
  try {
    for await (const line of readLines(reading.stdout, reading.incomingLineBytes)) {
      if (line.type === 'too-long') return protocolError(`a line of more than ${line.limitBytes} bytes`);
      state.isHandling = true;
      const end = await takeLine(reading, state, line.bytes);
      state.isHandling = false;
      state.handledLines += 1;
      if (end !== undefined) return end;
      if (state.brokenOff !== undefined) break;
    }
    return state.brokenOff ?? { reason: 'ended' };
  } catch {
    // The pipe was destroyed under the reader, which is an end like any other.
    return state.brokenOff ?? { reason: 'ended' };
  }
}

async function takeLine<Message extends object>(
  { allowanceBytes = Number.POSITIVE_INFINITY, parse, handle }: MessageReading<Message>,
  state: State,
  bytes: Buffer,
): Promise<ConnectionEnd | undefined> {
  state.takenBytes += bytes.length;
  if (state.takenBytes > allowanceBytes) return protocolError(`more than ${allowanceBytes} bytes in one turn`);
  const message = parse(bytes);
  if (message === 'blank') return undefined;
  if (message === 'garbage') {
    state.garbageLines += 1;
    if (state.garbageLines <= MAX_GARBAGE_LINES) return undefined;
    return protocolError(`${state.garbageLines} lines that are no messages of its protocol`);
  }
  try {
    await handle(message);
    return undefined;
  } catch (error) {
    return { reason: 'fault', error };
  }
}

function protocolError(diagnostic: string): ConnectionEnd {
  return { reason: 'protocol-error', diagnostic };
}

async function closeWhenDrained(stdout: Readable, state: State): Promise<void> {
  for (let seen = -1; !state.isClosed && (state.isHandling || seen !== state.handledLines); ) {
    seen = state.handledLines;
    await delay(DRAIN_POLL_MS);
  }
  stdout.destroy();
}
