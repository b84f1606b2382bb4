import type { Readable } from 'node:stream';
import type { Agent, Attachment, Session } from '@attache/contracts';
import type { HttpClient } from './http-client.ts';
import { pause } from './sample.ts';

const POLL_MS = 5;
// What still settles behind `ready` ends in it, so that the next request meets a program at rest.
const REST_MS = 15;

function parse<T>(answer: { status: number; body: string }, status: number): T {
  if (answer.status !== status) throw new Error(`Expected ${status}, got ${answer.status}: ${answer.body}`);
  return JSON.parse(answer.body);
}

export async function createSession(client: HttpClient): Promise<{ session: Session; agent: Agent }> {
  const target = { profile: 'example', model: 'example-vision' };
  const answer = await postJson(client, '/sessions', { agents: [{ name: 'painter', role: 'lead', target }] });
  const { session } = parse<{ session: Session }>(answer, 201);
  const [agent] = session.agents;
  if (!agent) throw new Error('The new session has no agent.');
  return { session, agent };
}

export function postJson(client: HttpClient, path: string, body: unknown) {
  const text = Buffer.from(JSON.stringify(body));
  const headers = { 'content-type': 'application/json', 'content-length': String(text.byteLength) };
  return client.send({ method: 'POST', path, headers, body: text });
}

export type FileBody = { bytes: Uint8Array | Readable; sizeBytes: number; mimeType: string; name: string };

/** A raw PUT; to the bare program, which looks at neither path nor headers, the very same request. */
export function putFile(client: HttpClient, sessionId: string, { bytes, sizeBytes, mimeType, name }: FileBody) {
  const headers = { 'content-type': mimeType, 'content-length': String(sizeBytes) };
  return client.send({ method: 'PUT', path: `/sessions/${sessionId}/attachments?name=${name}`, headers, body: bytes });
}

export function readUploadAnswer(answer: { status: number; body: string }): Attachment {
  return parse<{ attachment: Attachment }>(answer, 201).attachment;
}

/** Waits until inspection has settled an attachment, and a moment more. */
export async function waitUntilInspected(client: HttpClient, attachmentId: string): Promise<void> {
  while (true) {
    const answer = await client.send({ method: 'GET', path: `/attachments/${attachmentId}` });
    const { attachment } = parse<{ attachment: Attachment }>(answer, 200);
    if (attachment.status === 'ready') return pause(REST_MS);
    if (attachment.status === 'rejected') throw new Error(`The file was rejected: ${attachment.failure?.code}`);
    await pause(POLL_MS);
  }
}
