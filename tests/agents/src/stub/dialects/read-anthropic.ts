import { type Conversation, makeTurn, type SeenAttachment, type Turn } from '../conversation.ts';
import { seeBase64, seeUrl } from './see-attachment.ts';

type Source = { type: string; media_type?: string; data?: string; url?: string; content?: string | Block[] };
type Block = {
  type: string;
  text?: string;
  source?: Source;
  id?: string;
  name?: string;
  tool_use_id?: string;
  content?: string | Block[];
};
type Body = {
  model?: string;
  stream?: boolean;
  messages?: { role: Turn['role']; content: string | Block[] }[];
  tools?: { name?: string; type?: string }[];
  output_config?: { format?: { schema?: unknown } };
  output_format?: { schema?: unknown };
};
type Content = Pick<Turn, 'texts' | 'documentTexts' | 'attachments'>;

/** Reads the body of a request to Anthropic's Messages API. */
export function readAnthropic(path: string, given: unknown): Conversation {
  const body = given as Body;
  const callNames = new Map<string, string>();
  return {
    model: body.model ?? '',
    isStreaming: body.stream === true,
    isTokenCount: path.endsWith('/count_tokens'),
    turns: (body.messages ?? []).map(({ role, content }) => {
      const turn = makeTurn(role);
      for (const block of listBlocks(content)) readBlock(turn, block, callNames);
      return turn;
    }),
    tools: (body.tools ?? []).map(({ name, type }) => ({ name: name ?? type ?? '', kind: 'function' })),
    answerSchema: body.output_config?.format?.schema ?? body.output_format?.schema,
  };
}

function listBlocks(content: string | Block[] | undefined): Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
}

function readBlock(turn: Turn, block: Block, callNames: Map<string, string>): void {
  if (block.type === 'tool_use') callNames.set(block.id ?? '', block.name ?? '');
  else if (block.type === 'tool_result') readToolResult(turn, block, callNames);
  else readContent(turn, block, 'message');
}

function readToolResult(turn: Turn, block: Block, callNames: ReadonlyMap<string, string>): void {
  const texts: string[] = [];
  const into = { texts, documentTexts: texts, attachments: turn.attachments };
  for (const inner of listBlocks(block.content)) readContent(into, inner, 'tool-result');
  const callId = block.tool_use_id ?? '';
  const name = callNames.get(callId);
  turn.toolResults.push({ callId, ...(name !== undefined && { name }), text: texts.join('\n') });
}

function readContent(into: Content, block: Block, where: SeenAttachment['where']): void {
  const { type, source } = block;
  if (block.text !== undefined) into.texts.push(block.text);
  if (!source) return;
  if (source.type === 'text') into.documentTexts.push(source.data ?? '');
  else if (source.type === 'base64') {
    into.attachments.push(seeBase64({ type, where }, source.media_type ?? '', source.data ?? ''));
  } else if (source.type === 'content') {
    for (const inner of listBlocks(source.content)) readContent(into, inner, where);
  } else into.attachments.push(seeUrl({ type, where }, source.url ?? ''));
}
