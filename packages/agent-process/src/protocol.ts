import type { Readable, Writable } from 'node:stream';
import type { DeclaredCapability, Usage } from '@attache/contracts';
import type { AgentFailureCode } from './agent-failure.ts';
import type { AgentSpec, DeliverRequest, DriverHooks } from './driver.ts';
import type { Frame } from './frames/create-frame.ts';
import type { WriteHooks, WriteOutcome } from './frames/write-frame.ts';
import type { ConnectionEnd } from './messages/connection-end.ts';
import type { TurnKeeper } from './turns/turn-state.ts';

export type SafeDetails = Readonly<Record<string, string | number>>;

/** How a turn ended, on the runtime's own word. */
export type TurnEnd =
  | {
      status: 'ended';
      stopReason: string;
      proof: string;
      usage?: Usage | undefined;
      removedMedia?: boolean | undefined;
    }
  | {
      status: 'failed';
      code: AgentFailureCode;
      text: string;
      safeDetails?: SafeDetails;
      /** The runtime has taken the turn out of its conversation again. */
      isForgotten?: boolean;
      /** The provider has refused the request itself, and was not away, nor the account used up. `perhaps`: the program does not say which. */
      mayBeRefused?: boolean | 'perhaps';
      /** A file of an earlier turn, which the provider refused, is sent again with every turn of this conversation. */
      isSpoiled?: boolean | 'perhaps';
    }
  | { status: 'closed'; end: ConnectionEnd }
  /** The turn to be steered was over, on the runtime's own word: nothing of the delivery was taken. */
  | { status: 'not-entered' };

export type OpenFailure = { status: 'failed'; code: AgentFailureCode; diagnostic: string };
export type OpenedSession = {
  status: 'opened';
  declared: DeclaredCapability;
  programVersion?: string | undefined;
  /** Whether it went on with an earlier conversation. */
  isResumed: boolean;
};

export type SentTurn = { written: Promise<WriteOutcome>; end: Promise<TurnEnd> };

/** One runtime's protocol over the standard input and output of one process. */
export type Protocol = {
  /** The handshake, until the agent can take a prompt. */
  open(): Promise<OpenedSession | OpenFailure>;
  readonly closed: Promise<ConnectionEnd>;
  /** The resume reference, by which the runtime reopens this conversation in a later process, once it is known. */
  readonly resumeReference: string | undefined;
  /** Ends the reading once all that came has been handled. */
  closeWhenDrained(): Promise<void>;
  /** The line that carries a delivery. */
  compose(request: DeliverRequest): Frame;
  send(request: DeliverRequest, frame: Frame, hooks: WriteHooks): SentTurn;
  /** Adds a delivery to the turn that runs, where the runtime can. Its end is that turn's. */
  readonly steering?: {
    /** Whether a turn runs that can be entered. */
    isOpen(): boolean;
    /** Waits until the turn that was sent last can be entered. False: it ended before. */
    awaitOpen(): Promise<boolean>;
    compose(request: DeliverRequest): Frame;
    send(request: DeliverRequest, frame: Frame, hooks: WriteHooks): SentTurn;
  };
  /** Asks the running turn to end. */
  interrupt(): Promise<void>;
  /** Gives out what is unfinished; only once the connection is closed. */
  flush(): Promise<void>;
};

/** The context in which a protocol is spoken. */
export type ProtocolContext = {
  spec: AgentSpec;
  stdin: Writable;
  stdout: Readable;
  hooks: DriverHooks;
  turns: TurnKeeper;
  /** Said to the agent about its host. */
  client: { name: string; version: string };
  incomingLineBytes: number;
  stallMs: number;
};
