import type { Readable } from 'node:stream';
import { guardSlowStream, readChunks } from '@attache/intake';
import type { OwningDeps } from '../gateway-deps.ts';
import type { SocketOwner } from '../granted/socket-owner.ts';
import type { AgentTool, ToolScope } from './agent-tool.ts';
import { toolsFor } from './agent-tools.ts';
import { createCallLane } from './call-lane.ts';
import { readCall, toolOf } from './read-call.ts';
import { runTool } from './run-tool.ts';

/** The MCP server of one agent. It keeps nothing between calls. */
export type McpApp = { answer(call: { body: Readable; signal: AbortSignal }): Promise<Response> };

const RUNNING_CALLS = 8;
const WAITING_CALLS = 256;
const RUNNING_LARGE_CALLS = 1;

export function createMcpApp(deps: OwningDeps, owner: SocketOwner): McpApp {
  const calls = createCallLane({ running: RUNNING_CALLS, waiting: WAITING_CALLS });
  const largeCalls = createCallLane({ running: RUNNING_LARGE_CALLS, waiting: RUNNING_CALLS });
  const tools = toolsFor(owner);
  const { maxOutputBytes } = deps.settings;
  return {
    answer: ({ body, signal }) =>
      calls.run(async () => {
        const read = await readCall(guardSlowStream(readChunks(body)), { maxOutputBytes, largeCalls });
        if ('code' in read) return answerError(read, null);
        const { message, isTooDeep } = read;
        const name = toolOf(message);
        const tool = tools.find((each) => each.name === name);
        if (name !== undefined && !tool) return answerUnknownTool(message.id, tools);
        const scope = { deps, owner, signal };
        const answer = await (tool && isTooDeep ? answerTooDeep(tool, scope, message) : exchange(scope, message));
        if (message.method === 'tools/list') owner.noteToolsListed?.();
        return answer;
      }),
  };
}

// The first call loads it: it is 0.6 MB of source, which a gateway does not need to start.
async function exchange(scope: ToolScope, message: Record<string, unknown>): Promise<Response> {
  const { answerMessage } = await import('./mcp-server.ts');
  return answerMessage(scope, message);
}

/** The answer that any denied call gets. The server would go through the message by recursion. */
async function answerTooDeep(tool: AgentTool, scope: ToolScope, message: Record<string, unknown>): Promise<Response> {
  const call = { callId: String(message.id), input: message.params, traceparent: undefined, isTooDeep: true };
  return Response.json({ jsonrpc: '2.0', id: readId(message.id), result: await runTool(tool, scope, call) });
}

function answerUnknownTool(id: unknown, tools: readonly AgentTool[]): Response {
  const names = tools.map(({ name }) => name).join(', ');
  return answerError({ code: -32602, reason: `There is no such tool. There are ${names}.` }, readId(id));
}

const readId = (id: unknown): string | number | null => (typeof id === 'string' || typeof id === 'number' ? id : null);

function answerError({ code, reason }: { code: number; reason: string }, id: string | number | null): Response {
  return Response.json({ jsonrpc: '2.0', id, error: { code, message: reason } });
}
