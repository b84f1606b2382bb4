import type { ConnectionEnd } from '../messages/connection-end.ts';

export type Answer =
  | { status: 'result'; result: unknown }
  | { status: 'error'; code: number; message: string; data: unknown }
  | { status: 'closed'; end: ConnectionEnd };

export type AgentRequests = {
  /** Undefined if the method is not offered. */
  onRequest(method: string, params: unknown): Promise<unknown> | undefined;
  /** Awaited before the next message is read. */
  onNotification(method: string, params: unknown): Promise<void>;
  /** Awaited before the answer is passed on, so that all that came before it has been handled. */
  onAnswer(answer: Answer): Promise<void>;
};
