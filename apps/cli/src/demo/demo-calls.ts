import { type Attachment, type Delivery, Fault, type Session, type SessionEvent } from '@attache/contracts';
import type { FinishedSpan } from '@attache/telemetry/setup';
import type { ApiClient } from './api-client.ts';
import type { DemoFile } from './draw/take-file.ts';
import type { Steps } from './steps.ts';

const DEADLINE_MS = 60_000;

/** A running stack that the demo works on. */
export type DemoPlace = {
  url: string;
  apiKey: string;
  /** The folder for files that the agent makes. */
  outputFolder: string;
  /** Spans that ended in other processes than this one. */
  readSpans(): readonly FinishedSpan[];
  /** How long those spans may take to arrive. */
  spansSettleMs: number;
  /** On a stack with several gateways: the name of the one that owns a session. */
  findOwner?(sessionId: string): Promise<string | undefined>;
  /** Ends it as a crash does. */
  killGateway?(name: string): Promise<void>;
  stop(): Promise<void>;
};

export type Demo = { api: ApiClient; steps: Steps; place: DemoPlace };

/** An agent of a session to come; without a profile, the example agent. */
export type Seat = { name: string; profile?: string; model: string | undefined };

/** A session with these agents, in their order; the first one leads. */
export async function openSession({ api, steps }: Demo, seats: readonly Seat[]): Promise<Session> {
  const agents = seats.map(({ name, profile = 'example', model }, index) => {
    return { name, role: index === 0 ? 'lead' : 'member', target: { profile, model } };
  });
  const title = seats.length === 1 ? 'session with one agent' : `session with ${seats.length} agents`;
  const { session } = await steps.run(title, () => api.post<{ session: Session }>('/sessions', { agents }));
  if (session.agents.length !== seats.length) throw new Error('the new session lacks an agent');
  return session;
}

export async function upload({ api, steps }: Demo, session: Session, file: DemoFile): Promise<Attachment> {
  const path = `/sessions/${session.id}/attachments?name=${encodeURIComponent(file.name)}&source=task`;
  const { attachment } = await steps.run(
    'uploaded, stored and recorded',
    () => api.put<{ attachment: Attachment }>(path, file.bytes, file.mimeType),
    ({ attachment: stored }) => `${stored.id} ${stored.sizeBytes} bytes`,
  );
  return attachment;
}

/** Follows the session until the delivery has ended; returns its agent's text and the attachments that it gave back. */
export async function followDelivery(
  { api }: Demo,
  session: Session,
  { id, agentId }: Delivery,
  deadlineMs = DEADLINE_MS,
): Promise<{ answer: string; outputIds: string[] }> {
  const texts: string[] = [];
  const outputIds: string[] = [];
  for await (const { kind, data } of api.follow(`/sessions/${session.id}/events`, AbortSignal.timeout(deadlineMs))) {
    const event = data as SessionEvent;
    const item = event.data?.item as { type: string; text?: string } | undefined;
    const isSaid = kind === 'agent.output' && event.data.agentId === agentId;
    if (isSaid && item?.type === 'text' && item.text) texts.push(item.text);
    if (kind === 'attachment.added' && event.data.origin === 'tool-output')
      outputIds.push(String(event.data.attachmentId));
    const isOurs = event.data?.deliveryId === id;
    if (isOurs && (kind === 'delivery.responded' || kind === 'delivery.failed' || kind === 'delivery.cancelled')) break;
  }
  return { answer: texts.join('\n'), outputIds };
}

/** The delivery at its end, which must be a good one. */
export async function readResponded({ api, steps }: Demo, { id }: Delivery): Promise<Delivery> {
  const { delivery } = await api.get<{ delivery: Delivery }>(`/deliveries/${id}`);
  if (delivery.status === 'responded') return delivery;
  const { userMessage = delivery.status, diagnostic = '' } = delivery.failure ?? {};
  steps.show('The delivery failed', [userMessage, diagnostic]);
  throw new Fault('INTERNAL', `The delivery ended as ${delivery.status}.`);
}
