import { onTestFinished } from 'vitest';
import { type ModelStub, startModelStub } from './model-stub.ts';

/** The path at which each API answers in one piece. */
export const paths = {
  anthropic: '/v1/messages',
  'openai-responses': '/v1/responses',
  'openai-chat': '/v1/chat/completions',
  google: '/v1beta/models/m:generateContent',
} as const;

export async function startStubForTest(): Promise<ModelStub> {
  const stub = await startModelStub();
  onTestFinished(() => stub.stop());
  return stub;
}

export function post(stub: ModelStub, path: string, body: unknown, userAgent = 'a-program'): Promise<Response> {
  const headers = { 'content-type': 'application/json', 'user-agent': userAgent };
  return fetch(`${stub.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
}

/** The places where each API puts the text of the model; an answer has only those of its API. */
export type WireAnswer = {
  id?: string;
  responseId?: string;
  output: { content: { text: string }[] }[];
  choices: { message: { content: string } }[];
  candidates: { content: { parts: { text: string }[] } }[];
};

export async function readAnswer(response: Response): Promise<WireAnswer> {
  return (await response.json()) as WireAnswer;
}

/** The data of a stream's events, the JSON parsed. */
export async function readEvents(response: Response): Promise<unknown[]> {
  const lines = (await response.text()).split('\n').filter((line) => line.startsWith('data: '));
  return lines.map((line) => line.slice('data: '.length)).map((data) => (data === '[DONE]' ? data : JSON.parse(data)));
}
