import { type Conversation, makeTurn, type OfferedTool, type Turn } from './conversation.ts';
import { listParts, type OpenAiPart, readPart } from './read-openai-content.ts';

type Item = {
  type?: string;
  role?: string;
  content?: string | OpenAiPart[];
  call_id?: string;
  name?: string;
  namespace?: string;
  output?: string | OpenAiPart[];
};
type WireTool = { type: string; name?: string; tools?: WireTool[] };
type Body = {
  model?: string;
  stream?: boolean;
  input?: string | Item[];
  tools?: WireTool[];
  text?: { format?: { schema?: unknown } };
};

/** Reads the body of a request to OpenAI's Responses API. */
export function readResponses(_path: string, given: unknown): Conversation {
  const body = given as Body;
  const items = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : (body.input ?? []);
  const callNames = new Map<string, string>();
  return {
    model: body.model ?? '',
    isStreaming: body.stream === true,
    isTokenCount: false,
    turns: items.map((item) => readItem(item, callNames)),
    tools: (body.tools ?? []).flatMap(listTools),
    answerSchema: body.text?.format?.schema,
  };
}

// Tools of an MCP server come as one namespace. Its name is made part of theirs, as other CLIs spell them.
function listTools(tool: WireTool): OfferedTool[] {
  const name = tool.name ?? tool.type;
  if (tool.tools) return tool.tools.map((inner) => ({ name: `${name}__${inner.name ?? ''}`, kind: 'function' }));
  return [{ name, kind: tool.type === 'custom' ? 'custom' : 'function' }];
}

function readItem(item: Item, callNames: Map<string, string>): Turn {
  if (item.output !== undefined) return readToolResult(item, callNames);
  if (item.call_id !== undefined) callNames.set(item.call_id, [item.namespace, item.name].filter(Boolean).join('__'));
  const turn = makeTurn(roleOf(item));
  if (turn.role !== 'assistant') for (const part of listParts(item.content)) readPart(turn, part, 'message');
  return turn;
}

// Calls and reasoning are items without a role; they are the model's.
function roleOf({ role }: Item): Turn['role'] {
  if (role === 'user') return 'user';
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
