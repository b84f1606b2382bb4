import type { ConnectionEnd } from './messages/connection-end.ts';
import type { OpenFailure } from './protocol.ts';

/** The program's output ended, or broke its protocol, before it answered. */
export function failureOfEnd(method: string, end: ConnectionEnd): OpenFailure {
  switch (end.reason) {
    case 'ended':
      return startFailed(`the program ended before it answered ${method}`);
    case 'protocol-error':
      return { status: 'failed', code: 'delivery_protocol_error', diagnostic: end.diagnostic };
    case 'stalled':
      return startFailed(`the program does not read what it is answered before ${method}`);
    case 'fault':
      throw end.error;
    default:
      return end satisfies never;
  }
}

export function startFailed(diagnostic: string): OpenFailure {
  return { status: 'failed', code: 'delivery_agent_start_failed', diagnostic };
}
