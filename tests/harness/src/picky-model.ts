import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

type Part = { type: string; text?: string; source?: { data: string }; content?: Part[] };
type Body = { messages: { role: string; content: string | Part[] }[] };

/** A stub of a model that does not take every picture. */
export type PickyModel = {
  url: string;
  /** Digests of pictures that it refuses: by their place, or in words alone. */
  refused: Map<string, 'by its place' | 'in words'>;
  /** The parts of the user's messages of each request, results of tools included: texts as they are and pictures as their digests. */
  requests: string[][];
  /** Each request as it came. */
  bodies: string[];
  /** Called with each request before it is answered, and what is answered then. */
  onAsked: (said: readonly string[]) => void;
  /** Called when an answer is out, with its status. */
  onAnswered: (status: number) => void;
  /** More than this many messages are too large. */
  maxMessages: number;
  /** It refuses more pictures than this, and says so in words alone. */
  maxImages: number;
  /** It is out of order, and answers every request with this status. */
  troubleStatus: number | undefined;
  stop(): Promise<void>;
};

export async function startPickyModel(): Promise<PickyModel> {
  const nothing = () => undefined;
  const model = {
    refused: new Map(),
    requests: [],
    bodies: [],
    maxImages: Number.POSITIVE_INFINITY,
    maxMessages: Number.POSITIVE_INFINITY,
    troubleStatus: undefined,
    onAsked: nothing,
    onAnswered: nothing,
  } as unknown as PickyModel;
  const server = createServer(async (request, response) => {
    const text = Buffer.concat(await request.toArray()).toString();
    model.bodies.push(text);
    const { status, answer } = answerOf(model, JSON.parse(text));
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
      : content.flatMap((part, index) =>
          (part.content ?? [part]).map((each) => ({
            said: describe(each),
            place: `messages.${message}.content.${index}`,
          })),
        ),
  );
  model.requests.push(parts.map(({ said }) => said));
  if (model.troubleStatus !== undefined) return refuse(model.troubleStatus, 'api_error', 'Not now');
  if (messages.length > model.maxMessages) return refuse(413, 'request_too_large', 'Request exceeds the maximum size');
  if (parts.filter(({ said }) => DIGEST.test(said)).length > model.maxImages)
    return refuse(400, 'invalid_request_error', 'Too many images');
  const bad = parts.find(({ said }) => model.refused.has(said));
  if (bad === undefined) return { status: 200, answer: { type: 'message', content: [{ type: 'text', text: 'seen' }] } };
  const named = model.refused.get(bad.said) === 'by its place' ? `${bad.place}.image.source.base64.data: ` : '';
  return refuse(400, 'invalid_request_error', `${named}Could not process image`);
}

const DIGEST = /^[0-9a-f]{64}$/;

const refuse = (status: number, type: string, message: string) => {
  return { status, answer: { type: 'error', error: { type, message } } };
};

function describe({ text = '', source }: Part): string {
  return source === undefined ? text : createHash('sha256').update(Buffer.from(source.data, 'base64')).digest('hex');
}
