import type { SessionKey } from '../session-ownership.ts';

/** The one agent that a socket is for. */
export type SocketOwner = {
  session: SessionKey;
  /** Uuid. */
  agentId: string;
  token: string;
  folder: string;
};
