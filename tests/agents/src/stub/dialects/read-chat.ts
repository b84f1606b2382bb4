import { type Conversation, makeTurn, type Turn } from '../conversation.ts';
import { listParts, type OpenAiPart, readPart } from './read-openai-content.ts';

type Message = {
  role: string;
  content?: string | OpenAiPart[] | null;
  tool_calls?: { id: string; function?: { name: string } }[];
  tool_call_id?: string;
};
type Body = {
  model?: string;
  stream?: boolean;
  messages?: Message[];
  tools?: { type: string; function?: { name: string } }[];
  response_format?: { json_schema?: { schema?: unknown } };
};

/** Reads the body of a request to OpenAI's Chat Completions API. */
export function readChat(_path: string, given: unknown): Conversation {
  const body = given as Body;
  const callNames = new Map<string, string>();
  return {
    model: body.model ?? '',
    isStreaming: body.stream === true,
    isTokenCount: false,
    turns: (body.messages ?? []).map((message) => readMessage(message, callNames)),
    tools: (body.tools ?? []).map((tool) => ({ name: tool.function?.name ?? tool.type, kind: 'function' })),
    answerSchema: body.response_format?.json_schema?.schema,
  };
}

function readMessage(message: Message, callNames: Map<string, string>): Turn {
  if (message.role === 'tool') return readToolResult(message, callNames);
  for (const call of message.tool_calls ?? []) callNames.set(call.id, call.function?.name ?? '');
  const turn = makeTurn(roleOf(message));
  for (const part of listParts(message.content)) readPart(turn, part, 'message');
  return turn;
}

function roleOf({ role }: Message): Turn['role'] {
  return role === 'user' || role === 'assistant' ? role : 'system';
}

function readToolResult(message: Message, callNames: ReadonlyMap<string, string>): Turn {
  const turn = makeTurn('user');
  const texts: string[] = [];
  for (const part of listParts(message.content))
    readPart({ texts, attachments: turn.attachments }, part, 'tool-result');
  const callId = message.tool_call_id ?? '';
  const name = callNames.get(callId);
  turn.toolResults.push({ callId, ...(name !== undefined && { name }), text: texts.join('\n') });
  return turn;
}
