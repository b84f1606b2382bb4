import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

type Part = { type: string; text?: string; source?: { data: string } };
type Body = { messages: { role: string; content: string | Part[] }[] };

/** A stub of a model that does not take every picture. */
export type PickyModel = {
  url: string;
  /** Digests of pictures that it refuses: by their place, or in words alone. */
  refused: Map<string, 'by its place' | 'in words'>;
  /** The parts of the user's messages of each request, texts as they are and pictures as their digests. */
  requests: string[][];
  /** Called with each request before it is answered, and what is answered then. */
  onAsked: (said: readonly string[]) => void;
  /** Called when an answer is out, with its status. */
  onAnswered: (status: number) => void;
  /** More than this many messages are too large. */
  maxMessages: number;
  stop(): Promise<void>;
};

export async function startPickyModel(): Promise<PickyModel> {
  const nothing = () => undefined;
  const model = {
    refused: new Map(),
    requests: [],
    maxMessages: Number.POSITIVE_INFINITY,
    onAsked: nothing,
    onAnswered: nothing,
  } as unknown as PickyModel;
  const server = createServer(async (request, response) => {
    const body: Body = JSON.parse(Buffer.concat(await request.toArray()).toString());
    const { status, answer } = answerOf(model, body);
    model.onAsked(model.requests.at(-1) ?? []);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    response.once('close', () => model.onAnswered(status));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(model, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

function answerOf(model: PickyModel, { messages }: Body): { status: number; answer: object } {
  const parts = messages.flatMap(({ role, content }, message) =>
    role !== 'user' || typeof content === 'string'
      ? []
      : content.map((part, index) => ({ said: describe(part), place: `messages.${message}.content.${index}` })),
  );
  model.requests.push(parts.map(({ said }) => said));
  if (messages.length > model.maxMessages) return refuse(413, 'request_too_large', 'Request exceeds the maximum size');
  const bad = parts.find(({ said }) => model.refused.has(said));
  if (bad === undefined) return { status: 200, answer: { type: 'message', content: [{ type: 'text', text: 'seen' }] } };
  const named = model.refused.get(bad.said) === 'by its place' ? `${bad.place}.image.source.base64.data: ` : '';
  return refuse(400, 'invalid_request_error', `${named}Could not process image`);
}

const refuse = (status: number, type: string, message: string) => {
  return { status, answer: { type: 'error', error: { type, message } } };
};

function describe({ text = '', source }: Part): string {
  return source === undefined ? text : createHash('sha256').update(Buffer.from(source.data, 'base64')).digest('hex');
}
