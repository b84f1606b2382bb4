import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { type BareAgent, startBareAgent } from './steps/bare-agent.ts';
import { openLeastSteps } from './steps/least-steps.ts';
import { answerJson, serveFloor } from './steps/serve-floor.ts';

// The least that makes a delivery durable at all, in one process: one commit when the message is accepted, one before its first byte goes out, so
// that it is never sent twice unnoticed, and one at the end of the turn. No outbox, no plan, no digest, no log: followers read from memory.

/** Makes the example agent answer at once: it is the same program on both sides, and its own work is not measured. */
const TEXT = 'example: refuse';

type Draft = { sessionId: string; agentId: string; attachmentId: string };
type Delivery = Draft & { id: string };

const steps = await openLeastSteps();
const agents = new Map<string, Promise<BareAgent>>();
const lanes = new Map<string, Promise<void>>();
const followers = new Map<string, Set<ServerResponse>>();

function tell({ sessionId, id }: Delivery, step: string): void {
  for (const follower of followers.get(sessionId) ?? []) follower.write(`${id} ${step}\n`);
}

function findAgent(agentId: string): Promise<BareAgent> {
  const found = agents.get(agentId) ?? startBareAgent(steps.agentCommand, steps.folder);
  agents.set(agentId, found);
  return found;
}

async function deliver(delivery: Delivery): Promise<void> {
  const { id, agentId, attachmentId } = delivery;
  const agent = await findAgent(agentId);
  const [bytes] = await Promise.all([steps.fetch(attachmentId), steps.commit(id, 'writing', {})]);
  const { answered } = await agent.write({ id, text: TEXT, bytes, mimeType: 'image/png' });
  tell(delivery, 'written');
  await answered;
  await steps.commit(id, 'responded', {});
  tell(delivery, 'responded');
}

async function follow(sessionId: string, response: ServerResponse): Promise<void> {
  const ofSession = followers.get(sessionId) ?? new Set();
  followers.set(sessionId, ofSession.add(response));
  response.writeHead(200, { 'content-type': 'text/plain' });
  response.flushHeaders();
  await once(response, 'close');
  ofSession.delete(response);
}

serveFloor(async (request, response) => {
  if (request.method === 'GET') return follow(request.url?.slice(1) ?? '', response);
  const draft = (await json(request)) as Draft;
  const delivery = { ...draft, id: randomUUID() };
  await steps.commit(delivery.id, 'queued', draft);
  answerJson(response, 202, { id: delivery.id });
  const before = lanes.get(draft.agentId) ?? Promise.resolve();
  lanes.set(
    draft.agentId,
    before.then(() => deliver(delivery)),
  );
});
