import { type Conversation, makeTurn, type Turn } from '../conversation.ts';
import { seeBase64, seeUrl } from './see-attachment.ts';

type Part = {
  text?: string;
  thought?: boolean;
  inlineData?: { mimeType: string; data: string };
  fileData?: { mimeType?: string; fileUri: string };
  functionResponse?: { id?: string; name?: string; response?: unknown; parts?: Part[] };
};
type Body = {
  contents?: { role?: string; parts?: Part[] }[];
  tools?: { functionDeclarations?: { name: string }[] }[];
  generationConfig?: { responseSchema?: unknown; responseJsonSchema?: unknown };
};

const MODEL_METHOD = /\/models\/([^/:]+):(\w+)$/;

/** Reads the body of a request to Google's Gemini API; model and method stand in the path. */
export function readGoogle(path: string, given: unknown): Conversation {
  const body = given as Body;
  const [, model = '', method = ''] = MODEL_METHOD.exec(path) ?? [];
  const declarations = (body.tools ?? []).flatMap(({ functionDeclarations }) => functionDeclarations ?? []);
  return {
    model,
    isStreaming: method === 'streamGenerateContent',
    isTokenCount: method === 'countTokens',
    turns: (body.contents ?? []).map(readContent),
    tools: declarations.map(({ name }) => ({ name, kind: 'function' })),
    answerSchema: body.generationConfig?.responseJsonSchema ?? body.generationConfig?.responseSchema,
  };
}

function readContent({ role, parts }: { role?: string; parts?: Part[] }): Turn {
  const turn = makeTurn(role === 'model' ? 'assistant' : 'user');
  const hasToolResult = parts?.some(({ functionResponse }) => functionResponse !== undefined) === true;
  for (const part of parts ?? []) {
    // The CLI puts what a tool returned next to the result: such a message has nothing of the user's.
    readPart(turn, part, hasToolResult ? 'tool-result' : 'message');
  }
  return turn;
}

function readPart(turn: Turn, part: Part, where: 'message' | 'tool-result'): void {
  const { inlineData, fileData, functionResponse } = part;
  if (part.text !== undefined) turn.texts.push(part.text);
  if (inlineData) turn.attachments.push(seeBase64({ type: 'inlineData', where }, inlineData.mimeType, inlineData.data));
  if (fileData) turn.attachments.push(seeUrl({ type: 'fileData', where }, fileData.fileUri));
  if (!functionResponse) return;
  const { id, name, response } = functionResponse;
  const text = JSON.stringify(response ?? {});
  turn.toolResults.push({ ...(id !== undefined && { callId: id }), ...(name !== undefined && { name }), text });
  for (const inner of functionResponse.parts ?? []) readPart(turn, inner, 'tool-result');
}
