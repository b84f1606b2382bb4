import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findProcessesIn, mcpBridge } from '@attache/test-harness';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Stack } from '../stack/stack.ts';
import { type Place, runScript } from './turns.ts';

export type ToolContent = { type: string; text?: string; data?: string; mimeType?: string };
export type ToolResult = { content: ToolContent[]; isError?: boolean; structuredContent?: { code?: string } };

/** The tools of one agent, as its runtime sees them: the official client, and the bridge as a program of its own. */
export type McpAgent = {
  client: Client;
  call(tool: string, input: Record<string, unknown>, meta?: Record<string, unknown>): Promise<ToolResult>;
  /** The facts that a call returns, if it returns facts. */
  facts(tool: string, input: Record<string, unknown>): Promise<Record<string, unknown>>;
  close(): Promise<void>;
};

/** How a scripted agent reaches its gateway, while it runs. Its socket is named as it is found from outside of its sandbox. */
async function readAccess(stack: Stack, place: Place, attachmentIds: string[] = []) {
  await runScript(stack.api, place, ['keep-access'], attachmentIds);
  const folder = stack.agentFolder(place.agent.id);
  const { socketPath, token } = JSON.parse(await readFile(join(folder, 'home', 'access.json'), 'utf8'));
  const [pid] = await (await findProcessesIn(folder)).list();
  return { socketPath: `/proc/${pid}/root${socketPath}`, token: String(token) };
}

/** Starts a scripted agent, with these attachments granted to it, and takes its place before the gateway. */
export async function openMcpAgent(stack: Stack, place: Place, attachmentIds: string[] = []): Promise<McpAgent> {
  const { socketPath, token } = await readAccess(stack, place, attachmentIds);
  const client = new Client({ name: 'e2e', version: '0' });
  const env = { ATTACHE_AGENT_SOCKET: socketPath, ATTACHE_AGENT_TOKEN: token };
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [mcpBridge], env }));
  const call: McpAgent['call'] = async (name, input, meta) =>
    (await client.callTool({ name, arguments: input, ...(meta ? { _meta: meta } : {}) })) as ToolResult;
  return {
    client,
    call,
    facts: async (tool, input) => readFacts(await call(tool, input)),
    close: () => client.close(),
  };
}

/** The facts next to the view in a tool's answer. */
export function readFacts({ content, isError }: ToolResult): Record<string, unknown> {
  const text = content.find(({ type }) => type === 'text')?.text ?? '';
  if (isError) throw new Error(text);
  return JSON.parse(text);
}
