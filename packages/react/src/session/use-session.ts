import type { SessionClient } from '@attache/client';
import type { Agent } from '@attache/contracts';
import { useEffect, useMemo } from 'react';
import { type ClientSource, useClient } from '../provider/use-client.ts';
import { useStore } from '../store.ts';
import { createSessionFollower, type SessionState } from './follow-session.ts';

export type SessionOptions = ClientSource & { sessionId: string };

export type SessionView = SessionState & {
  client: SessionClient;
  agents: readonly Agent[];
  /** The name of an agent; its id until the session was read. */
  nameOfAgent(agentId: string): string;
};

const NO_AGENTS: readonly Agent[] = [];

/** Follows a session while the component is mounted: its transcript, the text that agents are writing, and their state. */
export function useSession({ sessionId, ...source }: SessionOptions): SessionView {
  const root = useClient(source);
  const client = useMemo(() => root.session(sessionId), [root, sessionId]);
  const follower = useMemo(() => createSessionFollower(client), [client]);
  useEffect(() => follower.start(), [follower]);
  const state = useStore(follower);
  return useMemo(() => {
    const agents = state.session?.agents ?? NO_AGENTS;
    const nameOfAgent = (agentId: string) => agents.find(({ id }) => id === agentId)?.name ?? agentId;
    return { ...state, client, agents, nameOfAgent };
  }, [state, client]);
}
