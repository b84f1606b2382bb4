import { request } from 'node:http';
import { type GatewayAccess, readAccess } from './config.ts';
import { GATE_ALLOWS, GATE_COMMAND, GATE_TITLE, type GateQuestion, OWN_TOOL_PREFIX } from './gate-dialog.ts';

// pi loads this file into its own process: it asks the gateway about every call of a tool, and offers Attaché's tools.

type Content = { type: 'text'; text: string } | { type: 'image'; data: string; mimeType: string };
type CallEvent = { toolCallId: string; toolName: string; input: unknown };
type Context = { ui: { input(title: string, text: string): Promise<string | undefined> } };
type Decision = { block: true; reason: string } | undefined;

/** The part of pi's interface for extensions that is used. */
type Pi = {
  on(event: 'session_start', handler: () => Promise<void>): void;
  on(event: 'tool_call', handler: (event: CallEvent, context: Context) => Promise<Decision>): void;
  registerCommand(name: string, command: { description: string; handler(): Promise<void> }): void;
  registerTool(tool: {
    name: string;
    label: string;
    description: string;
    parameters: unknown;
    execute(callId: string, input: unknown): Promise<{ content: Content[]; details: undefined }>;
  }): void;
};

export default function loadAttache(pi: Pi): void {
  pi.registerCommand(GATE_COMMAND, { description: 'Asks about every call of a tool.', handler: async () => undefined });
  pi.on('tool_call', askGate);
  pi.on('session_start', () => offerTools(pi));
}

/** A throw blocks the call, too. */
async function askGate({ toolCallId, toolName, input }: CallEvent, { ui }: Context): Promise<Decision> {
  const question: GateQuestion = { callId: toolCallId, tool: toolName, input };
  const answer = await ui.input(GATE_TITLE, JSON.stringify(question));
  return answer === GATE_ALLOWS ? undefined : { block: true, reason: answer ?? 'the gate did not answer' };
}

type ListedTool = { name: string; description?: string; inputSchema: unknown };

async function offerTools(pi: Pi): Promise<void> {
  const access = readAccess();
  if (access === undefined) return;
  const { tools } = await callGateway<{ tools: ListedTool[] }>(access, 'tools/list', {});
  for (const { name, description = name, inputSchema } of tools) {
    pi.registerTool({
      name: `${OWN_TOOL_PREFIX}${name}`,
      label: name,
      description,
      parameters: inputSchema,
      execute: (_, input) => runTool(access, name, input),
    });
  }
}

async function runTool(
  access: GatewayAccess,
  name: string,
  input: unknown,
): Promise<{ content: Content[]; details: undefined }> {
  const params = { name, arguments: input };
  const { content, isError } = await callGateway<{ content: Content[]; isError?: boolean }>(
    access,
    'tools/call',
    params,
  );
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  if (isError) throw new Error(texts.join('\n'));
  return { content: content.filter(({ type }) => type === 'text' || type === 'image'), details: undefined };
}

let calls = 0;

/** One call of the agent's socket. */
function callGateway<Result>({ socketPath, token }: GatewayAccess, method: string, params: object): Promise<Result> {
  calls += 1;
  const body = JSON.stringify({ jsonrpc: '2.0', id: calls, method, params });
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  return new Promise((resolve, reject) => {
    const call = request({ socketPath, path: '/agent/mcp', method: 'POST', headers }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('error', reject);
      response.on('end', () => {
        try {
          resolve(readResult<Result>(Buffer.concat(pieces).toString()));
        } catch (error) {
          reject(error);
        }
      });
    });
    call.on('error', reject);
    call.end(body);
  });
}

function readResult<Result>(text: string): Result {
  const { result, error, detail } = JSON.parse(text) as {
    result?: Result;
    error?: { message: string };
    detail?: string;
  };
  if (result === undefined) throw new Error(error?.message ?? detail ?? 'the gateway did not answer');
  return result;
}
