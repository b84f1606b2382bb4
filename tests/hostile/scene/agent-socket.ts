import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Profile, profileSchema } from '@attache/contracts';
import { scriptedAgent } from '@attache/test-harness';
import { expect } from 'vitest';
import type { HostileStack } from './hostile-stack.ts';

/** What came over an agent's socket; status 0 where it was not even connected. */
export type SocketAnswer = { status: number; body: Record<string, unknown> };

/** A program that is inside an agent and means harm. */
export type Intruder = {
  agentId: string;
  sessionId: string;
  /** The working folder. */
  work: string;
  /** Sends a body as it is: to the MCP server, where no other path is named. */
  post(body: string | Uint8Array, path?: string): Promise<SocketAnswer>;
  /** What a tool answers. */
  call(tool: string, input: unknown): Promise<Record<string, unknown>>;
};

export const intruderProfile: Profile = profileSchema.parse({
  runtime: 'acp',
  command: [process.execPath, scriptedAgent],
  capability: { image: true },
  // Its place is taken from outside: the socket must hold by itself.
  sandbox: { mode: 'none' },
});

/** Starts an agent of the profile `intruder`, these attachments granted to it, and takes its place at its socket. */
export async function openIntruder(
  stack: HostileStack,
  place: { sessionId: string; agentId: string },
  attachmentIds: string[] = [],
): Promise<Intruder> {
  const message = { to: [place.agentId], text: 'do: keep-access', attachmentIds };
  const { deliveries } = await stack.api.send(place.sessionId, message);
  expect(await stack.api.settled(deliveries[0].id)).toMatchObject({ status: 'responded' });
  const folder = join(stack.dataDir, 'agents', place.agentId);
  const access = JSON.parse(await readFile(join(folder, 'home', 'access.json'), 'utf8'));
  const post: Intruder['post'] = (body, path = '/agent/mcp') => postToSocket(access, path, body);
  return {
    ...place,
    work: join(folder, 'work'),
    post,
    async call(name, input) {
      const params = { name, arguments: input };
      const { body } = await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }));
      return (body.result ?? body.error ?? body) as Record<string, unknown>;
    },
  };
}

function postToSocket(
  { socketPath, token }: { socketPath: string; token: string },
  path: string,
  body: string | Uint8Array,
): Promise<SocketAnswer> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const outgoing = request({ socketPath, method: 'POST', path, headers, agent: false });
    outgoing.once('response', (response) => {
      const read = async () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(await text(response)) });
      read().catch(() => resolve({ status: 0, body: {} }));
    });
    outgoing.on('error', () => resolve({ status: 0, body: {} }));
    outgoing.end(body);
  });
}
