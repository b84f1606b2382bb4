import type { components, operations } from './types';

// The main job by fetch, with the types that `openapi-typescript` makes of the contract.

declare const process: { env: Record<string, string | undefined>; stdout: { write(text: string): void } };

type Schemas = components['schemas'];
type JsonOf<Name extends keyof operations, Status extends number> = operations[Name] extends {
  responses: { [S in Status]: { content: { 'application/json': infer Body } } };
}
  ? Body
  : never;

async function call<Answer>(
  method: string,
  path: string,
  body?: object | string,
  type = 'application/json',
): Promise<Answer> {
  const headers = { authorization: `Bearer ${process.env.ATTACHE_KEY}`, 'content-type': type };
  const sent = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
  const response = await fetch(`${process.env.ATTACHE_URL}/v1${path}`, { method, headers, ...sent });
  const answer = await response.json();
  if (!response.ok) throw new Error((answer as Schemas['Problem']).code);
  return answer as Answer;
}

function dataOf(event: Schemas['SessionEvent']): string | undefined {
  return event.kind === 'delivery.responded' ? event.data.deliveryId : undefined;
}

async function main(): Promise<void> {
  const request: Schemas['CreateSessionRequest'] = {
    agents: [{ name: 'painter', role: 'lead', target: { profile: 'example' } }],
  };
  const { session } = await call<JsonOf<'createSession', 201>>('POST', '/sessions', request);
  const place = `/sessions/${session.id}`;
  const { attachment } = await call<JsonOf<'uploadRaw', 201>>(
    'PUT',
    `${place}/attachments?name=note.txt`,
    'a note',
    'text/plain',
  );
  const message: Schemas['SendMessageRequest'] = {
    to: session.agents.map(({ id }) => id),
    text: 'look',
    attachmentIds: [attachment.id],
  };
  const { deliveries } = await call<JsonOf<'sendMessage', 202>>('POST', `${place}/messages`, message);
  const [{ id = '' } = {}] = deliveries;
  let events: Schemas['SessionEvent'][] = [];
  while (!events.some((event) => dataOf(event) === id)) {
    events = (await call<JsonOf<'listEvents', 200>>('GET', `${place}/events`)).items;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const { delivery } = await call<JsonOf<'readDelivery', 200>>('GET', `/deliveries/${id}`);
  const kinds = events.map(({ kind }) => kind);
  process.stdout.write(JSON.stringify({ status: delivery.status, kinds, sha256: delivery.receipt?.items[0]?.sha256 }));
}

void main();
