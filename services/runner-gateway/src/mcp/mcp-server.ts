import { McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { AgentTool, ToolScope } from './agent-tool.ts';
import { toolsFor } from './agent-tools.ts';
import { runTool } from './run-tool.ts';
import { describeInputSchema } from './tool-inputs.ts';

const INSTRUCTIONS =
  'Files of this session that were given to you. Each is announced by a marker, [attachment id=att_… type=… name=…]; ' +
  'copy its id verbatim. resource_view shows an image, a PDF or a text, or a part of it; attachment_file, where you have it, gives you the path of a file of any type; ' +
  'attachment_save_output gives a file back.';

/** The answer to one message of an agent, by a server and a transport for this one: there is no session that could be mixed up. */
export async function answerMessage(scope: ToolScope, message: Record<string, unknown>): Promise<Response> {
  const server = createMcpServer(scope);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const request = new Request('http://agent/agent/mcp', { method: 'POST', headers });
    return await transport.handleRequest(request, { parsedBody: message });
  } finally {
    await server.close();
  }
}

/** The MCP server with the tools of one agent. */
function createMcpServer(scope: ToolScope): McpServer {
  const server = new McpServer({ name: 'attache', version: '0.1.0' }, { instructions: INSTRUCTIONS });
  for (const tool of toolsFor(scope.owner)) addTool(server, tool, scope);
  return server;
}

function addTool(server: McpServer, tool: AgentTool, scope: ToolScope): void {
  const { name, title, description, isReadOnly } = tool;
  const annotations = { readOnlyHint: isReadOnly, destructiveHint: false, openWorldHint: false };
  const config = { title, description, inputSchema: passThrough(tool), annotations };
  server.registerTool(name, config, async (input, { mcpReq }) => {
    const traceparent = mcpReq._meta?.traceparent;
    return runTool(tool, scope, {
      callId: String(mcpReq.id),
      input,
      traceparent: typeof traceparent === 'string' ? traceparent : undefined,
    });
  });
}

const described = new Map<AgentTool, Record<string, unknown>>();

// Told as a schema, but not checked by it: `runTool` first asks whether the call may be made, and then answers a fault as all others.
function passThrough(tool: AgentTool) {
  const jsonSchema = described.get(tool) ?? describeInputSchema(tool.input);
  described.set(tool, jsonSchema);
  const describe = () => jsonSchema;
  return {
    '~standard': {
      version: 1,
      vendor: 'attache',
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: describe, output: describe },
    },
  } as const;
}
