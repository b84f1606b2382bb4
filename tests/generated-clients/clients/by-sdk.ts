import { createClient } from './sdk/client';
import { createSession, followEvents, readDelivery, sendMessage, uploadMultipart } from './sdk/sdk.gen';

// The main job by what `@hey-api/openapi-ts` makes of the contract, its reader of events too.

declare const process: { env: Record<string, string | undefined>; stdout: { write(text: string): void } };

const place = { baseUrl: process.env.ATTACHE_URL, auth: process.env.ATTACHE_KEY };
const client = createClient(place);
// Its reader of events asks for no type of answer by itself.
const streaming = createClient({ ...place, headers: { Accept: 'text/event-stream' } });

async function main(): Promise<void> {
  const agents = [{ name: 'painter', role: 'lead' as const, target: { profile: 'example' } }];
  const made = await createSession({ client, body: { agents }, throwOnError: true });
  const {
    id: sessionId,
    agents: [agent],
  } = made.data.session;
  const file = new File(['a note'], 'note.txt', { type: 'text/plain' });
  const uploaded = await uploadMultipart({ client, path: { sessionId }, body: { file }, throwOnError: true });
  const attachmentIds = [uploaded.data.attachment.id];
  const body = { to: [agent?.id ?? ''], text: 'look', attachmentIds };
  const sent = await sendMessage({ client, path: { sessionId }, body, throwOnError: true });
  const { id: deliveryId } = sent.data.deliveries[0] ?? { id: '' };
  const kinds: string[] = [];
  const following = new AbortController();
  const { stream } = await followEvents({ client: streaming, path: { sessionId }, signal: following.signal });
  for await (const event of stream) {
    if (!('kind' in event)) continue;
    kinds.push(event.kind);
    // The kind says what the data is.
    if (event.kind === 'delivery.failed') throw new Error(event.data.failure.code);
    if (event.kind === 'delivery.responded' && event.data.deliveryId === deliveryId) break;
  }
  following.abort();
  const { data } = await readDelivery({ client, path: { deliveryId }, throwOnError: true });
  const { status, receipt } = data.delivery;
  process.stdout.write(JSON.stringify({ status, kinds, sha256: receipt?.items[0]?.sha256 }));
}

void main();
