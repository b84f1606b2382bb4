import { type Conversation, makeTurn, type OfferedTool, type Turn } from '../conversation.ts';
import { listParts, type OpenAiPart, readPart } from './read-openai-content.ts';

type Item = {
  type?: string;
  role?: string;
  content?: string | OpenAiPart[];
  call_id?: string;
  name?: string;
  namespace?: string;
  output?: string | OpenAiPart[];
  tools?: WireTool[];
};
type WireTool = { type: string; name?: string; tools?: WireTool[] };
type Body = {
  model?: string;
  stream?: boolean;
  input?: string | Item[];
  tools?: WireTool[];
  text?: { format?: { schema?: unknown } };
};

// Holds the CLI's own tools if it offers them in a message.
const PLAIN_NAMESPACE = 'functions';

/** Reads the body of a request to OpenAI's Responses API. */
export function readResponses(_path: string, given: unknown): Conversation {
  const body = given as Body;
  const items: Item[] = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : (body.input ?? []);
  const callNames = new Map<string, string>();
  return {
    model: body.model ?? '',
    isStreaming: body.stream === true,
    isTokenCount: false,
    turns: items.map((item) => readItem(item, callNames)),
    tools: [...(body.tools ?? []), ...items.flatMap((item) => item.tools ?? [])].flatMap(listTools),
    answerSchema: body.text?.format?.schema,
  };
}

function listTools(tool: WireTool): OfferedTool[] {
  const name = tool.name ?? tool.type;
  if (tool.tools) return tool.tools.flatMap(listTools).map((inner) => placeTool(name, inner));
  return [{ name, kind: tool.type === 'custom' ? 'custom' : 'function' }];
}

// The tools of an MCP server are one namespace, and get the name by which other CLIs offer them.
function placeTool(namespace: string, tool: OfferedTool): OfferedTool {
  return { ...tool, namespace, name: qualifyName(namespace, tool.name) };
}

function qualifyName(namespace: string | undefined, name: string): string {
  return namespace === undefined || namespace === PLAIN_NAMESPACE ? name : `${namespace}__${name}`;
}

function readItem(item: Item, callNames: Map<string, string>): Turn {
  if (item.output !== undefined) return readToolResult(item, callNames);
  if (item.call_id !== undefined) callNames.set(item.call_id, qualifyName(item.namespace, item.name ?? ''));
  const turn = makeTurn(roleOf(item));
  if (turn.role !== 'assistant') for (const part of listParts(item.content)) readPart(turn, part, 'message');
  return turn;
}

// Calls and reasoning are items without a role, and the model's; so are the results of calls, and not.
function roleOf({ role, type }: Item): Turn['role'] {
  if (role === 'user' || type?.endsWith('_output')) return 'user';
  return role === 'system' || role === 'developer' ? 'system' : 'assistant';
}

function readToolResult(item: Item, callNames: ReadonlyMap<string, string>): Turn {
  const turn = makeTurn('user');
  const texts: string[] = [];
  for (const part of listParts(item.output)) readPart({ texts, attachments: turn.attachments }, part, 'tool-result');
  const callId = item.call_id ?? '';
  const name = callNames.get(callId);
  turn.toolResults.push({ callId, ...(name !== undefined && { name }), text: texts.join('\n') });
  return turn;
}
