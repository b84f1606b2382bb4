import type { Readable } from 'node:stream';
import type { Agent, Attachment, Delivery, Session } from '@attache/contracts';
import { pause } from '../report/sample.ts';
import type { HttpClient } from './http-client.ts';

const POLL_MS = 5;
const WAIT_MS = 60_000;
// Work that still settles behind `ready` ends in it, so that the next request meets a program at rest.
const REST_MS = 15;

export function parseAnswer<T>(answer: { status: number; body: string }, status: number): T {
  if (answer.status !== status) throw new Error(`Expected ${status}, got ${answer.status}: ${answer.body}`);
  return JSON.parse(answer.body);
}

/** A session with agents of one target; without a word, one that is the example agent. */
export async function createSession(
  client: HttpClient,
  { agents: agentCount = 1, profile = 'example', model = 'example-vision' } = {},
): Promise<{ session: Session; agent: Agent }> {
  const agents = Array.from({ length: agentCount }, (_, index) => ({
    name: `painter-${index + 1}`,
    role: index === 0 ? 'lead' : 'member',
    target: { profile, model },
  }));
  const { session } = parseAnswer<{ session: Session }>(await postJson(client, '/sessions', { agents }), 201);
  const [agent] = session.agents;
  if (!agent) throw new Error('The new session has no agent.');
  return { session, agent };
}

/** Stops its agents. */
export async function endSession(client: HttpClient, sessionId: string): Promise<void> {
  const { status } = await postJson(client, `/sessions/${sessionId}/end`, {});
  if (status >= 300) throw new Error(`The end of a session was answered ${status}.`);
}

export function postJson(client: HttpClient, path: string, body: unknown) {
  const text = Buffer.from(JSON.stringify(body));
  const headers = { 'content-type': 'application/json', 'content-length': String(text.byteLength) };
  return client.send({ method: 'POST', path, headers, body: text });
}

export type FileBody = { bytes: Uint8Array | Readable; sizeBytes: number; mimeType: string; name: string };

/** A raw PUT; to a floor, which looks at neither path nor type, the very same request. */
export function putFile(client: HttpClient, sessionId: string, { bytes, sizeBytes, mimeType, name }: FileBody) {
  const headers = { 'content-type': mimeType, 'content-length': String(sizeBytes) };
  return client.send({ method: 'PUT', path: `/sessions/${sessionId}/attachments?name=${name}`, headers, body: bytes });
}

/** The same file as a multipart form, as a browser sends it. */
export function postForm(client: HttpClient, sessionId: string, file: FileBody & { bytes: Uint8Array }) {
  const boundary = '----bench7d1f60c3';
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${file.name}"\r\nContent-Type: ${file.mimeType}\r\n\r\n`;
  const body = Buffer.concat([Buffer.from(head), file.bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]);
  const headers = {
    'content-type': `multipart/form-data; boundary=${boundary}`,
    'content-length': String(body.byteLength),
  };
  return client.send({ method: 'POST', path: `/sessions/${sessionId}/attachments`, headers, body });
}

export type Uploaded = { attachment: Attachment; displayUrl: string };

export function readUpload(answer: { status: number; body: string }): Uploaded {
  return parseAnswer<Uploaded>(answer, 201);
}

export const readUploadAnswer = (answer: { status: number; body: string }): Attachment => readUpload(answer).attachment;

/** Waits until attachments are `ready`, and a moment more. */
export async function waitUntilInspected(client: HttpClient, ...attachmentIds: string[]): Promise<void> {
  for (const attachmentId of attachmentIds) await waitUntilReady(client, attachmentId);
  await pause(REST_MS);
}

async function waitUntilReady(client: HttpClient, attachmentId: string): Promise<void> {
  const until = Date.now() + WAIT_MS;
  while (Date.now() < until) {
    const answer = await client.send({ method: 'GET', path: `/attachments/${attachmentId}` });
    const { attachment } = parseAnswer<{ attachment: Attachment }>(answer, 200);
    if (attachment.status === 'ready') return;
    if (attachment.status === 'rejected') throw new Error(`The file was rejected: ${attachment.failure?.code}`);
    await pause(POLL_MS);
  }
  throw new Error(`The attachment ${attachmentId} was not inspected within ${WAIT_MS / 1000} s.`);
}

export type Draft = { to: string[]; text: string; attachmentIds: string[] };

/** Sends a message to one agent; answers its delivery. */
export async function sendMessage(client: HttpClient, sessionId: string, draft: Draft): Promise<Delivery> {
  const answer = await postJson(client, `/sessions/${sessionId}/messages`, draft);
  const [delivery] = parseAnswer<{ deliveries: Delivery[] }>(answer, 202).deliveries;
  if (!delivery) throw new Error('The message has no delivery.');
  return delivery;
}

export async function readDelivery(client: HttpClient, deliveryId: string): Promise<Delivery> {
  const answer = await client.send({ method: 'GET', path: `/deliveries/${deliveryId}` });
  return parseAnswer<{ delivery: Delivery }>(answer, 200).delivery;
}

/** Waits for the end of a turn, by asking. Throws if it failed. */
export async function waitUntilResponded(client: HttpClient, deliveryId: string): Promise<Delivery> {
  const until = Date.now() + WAIT_MS;
  while (Date.now() < until) {
    const delivery = await readDelivery(client, deliveryId);
    if (delivery.status === 'responded') return delivery;
    if (delivery.failure) throw new Error(`A delivery failed: ${JSON.stringify(delivery.failure)}`);
    await pause(POLL_MS);
  }
  throw new Error(`The delivery ${deliveryId} was not answered within ${WAIT_MS / 1000} s.`);
}
