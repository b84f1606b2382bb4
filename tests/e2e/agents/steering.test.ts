// hosted: every – a delivery enters a turn in another process than the one that accepted it
import type { Delivery } from '@attache/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStack, type Stack } from '../stack/stack.ts';
import { type Place, readAnswer } from '../steps/turns.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await openStack();
});
afterAll(() => stack.stop());

const send = async ({ session, agent }: Place, text: string): Promise<Delivery> =>
  (await stack.api.send(session.id, { to: [agent.id], text })).deliveries[0];

/** Two deliveries, the second of which enters the turn of the first. */
async function share(place: Place, text = 'example: hang'): Promise<[Delivery, Delivery]> {
  const first = await send(place, text);
  await stack.api.reached(first.id, 'written');
  const second = await send(place, 'and this');
  await stack.api.reached(second.id, 'written');
  await stack.api.call('POST', `/sessions/${place.session.id}/interrupt`, { body: { agentId: place.agent.id } });
  return [await stack.api.settled(first.id), await stack.api.settled(second.id)];
}

it('a delivery that enters a turn ends with it, and both are reported as they were taken [DL-52 DL-61 DL-82]', async () => {
  const place = await stack.api.createSession({ profile: 'steered', model: 'gpt-x' });
  for (let round = 0; round < 3; round += 1) {
    const shared = await share(place);
    expect(shared).toMatchObject([{ status: 'responded' }, { status: 'responded' }]);
    const answers = await Promise.all(shared.map(({ id }) => readAnswer(stack.api, place.session.id, id)));
    expect(answers.filter((answer) => answer !== '')).toHaveLength(1);
  }
});

it('a delivery that comes before the program has begun the turn enters it when it has [DL-52 DL-61]', async () => {
  const place = await stack.api.createSession({ profile: 'steered', model: 'gpt-x' });
  const shared = await share(place, 'example: begin-late\nexample: hang');
  expect(shared).toMatchObject([{ status: 'responded' }, { status: 'responded' }]);
});

it('the rest of an agent whose turn two deliveries shared does not stop a later turn', async () => {
  const place = await stack.api.createSession({ profile: 'steered', model: 'gpt-x' });
  await share(place);
  const later = await send(place, 'example: slow 2500');
  expect(await stack.api.settled(later.id)).toMatchObject({ status: 'responded' });
});
