import type { Attachment, Delivery } from '@attache/contracts';
import type { Api } from '@attache/test-harness';
import type { SampleFile } from './files.ts';

export type Place = Awaited<ReturnType<Api['createSession']>>;

/** A session whose one agent is of this profile. */
export function openPlace(api: Api, profile: string, model: string): Promise<Place> {
  return api.createSession({ profile, model });
}

export async function uploadSample(api: Api, { session }: Place, file: SampleFile): Promise<Attachment> {
  const { attachment } = await api.upload(session.id, file.bytes, { name: file.name, type: file.type });
  return api.inspected(attachment.id);
}

export type Sent = { status: 'delivered'; delivery: Delivery } | { status: 'blocked'; codes: string[] };

/** Sends a message and waits for the end of its turn; a refused plan is an answer too. */
export async function takeTurn(api: Api, place: Place, text: string, attachmentIds: string[] = []): Promise<Sent> {
  const body = { to: [place.agent.id], text, attachmentIds };
  const answer = await api.call<{ deliveries: Delivery[]; failures: { code: string }[] }>(
    'POST',
    `/sessions/${place.session.id}/messages`,
    { body },
  );
  if (answer.status === 422) return { status: 'blocked', codes: answer.body.failures.map(({ code }) => code) };
  const [delivery] = answer.body.deliveries ?? [];
  if (answer.status !== 202 || delivery === undefined) throw new Error(JSON.stringify(answer.body));
  return { status: 'delivered', delivery: await api.settled(delivery.id) };
}

/** A turn that must come to its end as responded. */
export async function converse(api: Api, place: Place, text: string, attachmentIds: string[] = []): Promise<Delivery> {
  const sent = await takeTurn(api, place, text, attachmentIds);
  if (sent.status === 'delivered' && sent.delivery.status === 'responded') return sent.delivery;
  throw new Error(`the turn did not end as responded: ${JSON.stringify(sent)}`);
}
