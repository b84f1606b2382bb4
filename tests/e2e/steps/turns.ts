import type { Agent, Delivery, Session } from '@attache/contracts';
import type { Api } from '@attache/test-harness';

export type Place = { session: Session; agent: Agent };
export type Turn = { delivery: Delivery; answer: string };

/** The text of an agent in the turn of a delivery. */
export async function readAnswer(api: Api, sessionId: string, deliveryId: string): Promise<string> {
  const items = (await api.events(sessionId))
    .filter(({ kind, data }) => kind === 'agent.output' && data.deliveryId === deliveryId)
    .map(({ data }) => data.item as { type: string; text?: string });
  return items.flatMap((item) => (item.type === 'text' ? [item.text] : [])).join('');
}

/** Sends one message to one agent and waits for the end of its turn. */
export async function takeTurn(
  api: Api,
  { session, agent }: Place,
  text: string,
  attachmentIds: string[] = [],
): Promise<Turn> {
  const { deliveries } = await api.send(session.id, { to: [agent.id], text, attachmentIds });
  const delivery = await api.settled(deliveries[0].id);
  return { delivery, answer: await readAnswer(api, session.id, delivery.id) };
}

/** Has a scripted agent do these lines; answers what came of each. */
export async function runScript(
  api: Api,
  place: Place,
  lines: readonly string[],
  attachmentIds: string[] = [],
): Promise<unknown[]> {
  const { delivery, answer } = await takeTurn(api, place, lines.map((line) => `do: ${line}`).join('\n'), attachmentIds);
  if (delivery.status !== 'responded') throw new Error(`the script ended as ${JSON.stringify(delivery.failure)}`);
  return JSON.parse(answer);
}
