import { type Delivery, uuidFromId } from '@attache/contracts';
import postgres from 'postgres';
import { createSession, parseAnswer, postJson } from '../product/product-calls.ts';
import type { Result } from '../report/result.ts';
import { summarise, time } from '../report/sample.ts';
import type { HostedBench } from './bench.ts';

const ROUNDS = 200;
const WARM_ROUNDS = 20;

/** The wait of an agent's request to its model: for the mark before the first one of a turn, which is a commit, and for the fence before each later one. */
export async function measureForwardMark({ product, counted, say }: HostedBench): Promise<Result[]> {
  say('  the mark before the first request of a turn');
  const { client, stack } = product;
  const { session, agent } = await createSession(client);
  const body = { to: [agent.id], text: 'example: hang' };
  const sent = await postJson(client, `/sessions/${session.id}/messages`, body);
  const [delivery] = parseAnswer<{ deliveries: Delivery[] }>(sent, 202).deliveries;
  if (!delivery) throw new Error('The message has no delivery.');
  await stack.api.reached(delivery.id, 'written');
  const admin = postgres(stack.database.superuserUrl, { max: 1, onnotice: () => {} });
  const gateway = postgres(stack.database.urlOf('gateway'), { max: 1, prepare: false, onnotice: () => {} });
  try {
    const [owner] = await admin`select tenant_id, incarnation, epoch from session_owner
      where session_id = ${uuidFromId(session.id)}`;
    const fence = { incarnation: owner?.incarnation, epoch: Number(owner?.epoch) };
    const place = {
      tenantId: owner?.tenant_id,
      sessionId: uuidFromId(session.id),
      agentId: uuidFromId(agent.id),
      fence,
    };
    const ask = async (isFirst: boolean) => {
      await admin`update delivery set forwarding = 'watched' where id = ${uuidFromId(delivery.id)}`;
      const asked = JSON.stringify({ ...place, isFirst });
      const { result, tookMs } = await time(() =>
        gateway.unsafe('select attache_allow_forward($1::text::jsonb)', [asked]),
      );
      if (result[0]?.attache_allow_forward !== true) throw new Error('A request was not allowed to go.');
      return tookMs;
    };
    const samples = { first: [] as number[], later: [] as number[] };
    for (let round = -WARM_ROUNDS; round < counted(ROUNDS); round += 1) {
      const [first, later] = [await ask(true), await ask(false)];
      if (round < 0) continue;
      samples.first.push(first);
      samples.later.push(later);
    }
    const what = 'an agent’s request waits for the database, ';
    return [
      { what: `${what}the first one of a turn (a commit)`, unit: 'ms', product: summarise(samples.first) },
      { what: `${what}each later one`, unit: 'ms', product: summarise(samples.later) },
    ];
  } finally {
    await Promise.all([admin.end(), gateway.end()]);
    await postJson(client, `/sessions/${session.id}/end`, {});
  }
}
