// hosted: long – one process keeps what is set aside and the next one leaves it out, by rows whose contract suite runs on Postgres
import { conversingAgent, makePng, type PickyModel, startPickyModel } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnStack, openOwnStack } from '../stack/stack.ts';
import { type Place, takeTurn } from '../steps/turns.ts';

const MAX_IMAGES = 20;
const PICTURES = 60;

let model: PickyModel;
let stack: OwnStack;
let place: Place;
/** The pictures of the conversation, in the order in which they were sent. */
const files: { id: string; sha256: string }[] = [];
const statuses: string[] = [];

beforeAll(async () => {
  model = await startPickyModel();
  model.maxImages = MAX_IMAGES;
  const endpoint = { api: 'anthropic', baseUrl: model.url, apiKey: 'env:PATH' } as const;
  const program = { runtime: 'acp', ownTools: 'none', provider: 'anthropic', model: 'claude-sonnet-5' } as const;
  const command = [process.execPath, conversingAgent];
  const profiles = {
    relayed: { ...program, command: [...command, 'claude-agent-acp'], endpoint },
    // Nobody knows that this one has tools: what does not fit is refused, and not left to a tool.
    alone: { ...program, command, sandbox: { network: 'none' as const } },
  };
  stack = await openOwnStack({ profiles });
  for (const profile of Object.keys(profiles)) await limitImages(profile);
  place = await stack.api.createSession({ profile: 'relayed', model: 'claude-sonnet-5' });
  for (let count = 1; count <= PICTURES; count += 1) {
    const file = await upload(place);
    files.push(file);
    statuses.push((await sayIn(place, `Picture ${count}.`, file.id)).status);
  }
});
afterAll(async () => {
  await stack?.stop();
  await model?.stop();
});

async function limitImages(profile: string): Promise<void> {
  const body = { capability: { image: true, limits: { maxImages: MAX_IMAGES } }, reason: 'a small model' };
  const said = await stack.api.call('PUT', `/capability-overrides/${profile}/claude-sonnet-5`, { body });
  expect(said.status).toBe(200);
}

let seed = 0;

/** A picture that is nowhere else, inspected. */
async function upload({ session }: Place) {
  seed += 1;
  const file = { name: 'small.png', type: 'image/png' };
  const { attachment } = await stack.api.upload(session.id, makePng(40, 30, seed), file);
  return stack.api.inspected(attachment.id);
}

const sayIn = async (at: Place, text: string, ...ids: string[]) => (await takeTurn(stack.api, at, text, ids)).delivery;
const eventsOf = async ({ session }: Place, ...kinds: string[]) =>
  (await stack.api.events(session.id)).filter(({ kind }) => kinds.includes(kind));
const textOf = ({ id }: { id: string }) =>
  `[attachment id=${id} was set aside: the conversation has more pictures than its model takes at once; resource_view shows it again]`;
const fileAt = (index: number) => files.at(index) as { id: string; sha256: string };
const last = () => model.requests.at(-1) ?? [];
const pictures = (said: readonly string[]) => said.filter((each) => /^[0-9a-f]{64}$/.test(each));
/** The messages of a request, as its bytes. */
const messages = (body: string) => body.slice(body.indexOf('"messages":['), -2);
/** How many of the requests do not begin with the one before. */
const countChanges = (bodies: readonly string[]) =>
  bodies.filter((body, index) => !messages(body).startsWith(messages(bodies[index - 1] ?? body))).length;

describe('a conversation of sixty pictures, with a model that takes twenty', () => {
  it('goes to its end: each picture is seen, and the oldest ones are texts from then on [BX-33]', () => {
    expect(statuses).toEqual(Array(PICTURES).fill('responded'));
    expect(model.requests).toHaveLength(PICTURES);
    for (const [index, said] of model.requests.entries()) {
      expect(pictures(said).length).toBeLessThanOrEqual(MAX_IMAGES);
      expect(pictures(said).at(-1)).toBe(files[index]?.sha256);
    }
    // Eleven at a time, at 21, 32, 43 and 54 pictures.
    expect(last()).toEqual(expect.arrayContaining([...files.slice(0, 44).map(textOf), fileAt(44).sha256]));
    expect(pictures(last())).toEqual(files.slice(44).map(({ sha256 }) => sha256));
  });

  it('keeps the bytes of its beginning but for four times in sixty turns [BX-33 BX-04]', () => {
    expect(countChanges(model.bodies)).toBe(4);
  });

  it('says in the log what was set aside, each once and in its order [BX-33]', async () => {
    const told = await eventsOf(place, 'attachment.set_aside');
    const { id: agentId } = place.agent;
    expect(told.map(({ data }) => data)).toEqual(
      files.slice(0, 44).map(({ id }) => ({ attachmentId: id, agentId, reason: 'too_many_images' })),
    );
    const { body } = await stack.api.call('GET', `/sessions/${place.session.id}/transcript?limit=500`);
    expect(JSON.stringify(body)).toContain('"change":"set-aside"');
  });

  it('leaves out the same ones after a restart of all processes, byte by byte [BX-33 BX-04]', async () => {
    const before = model.bodies.at(-1) ?? '';
    await stack.changeSecretKeys((keys) => keys);
    expect(await sayIn(place, 'Still there?')).toMatchObject({ status: 'responded' });
    expect(countChanges([before, model.bodies.at(-1) ?? ''])).toBe(0);
    expect(await eventsOf(place, 'attachment.set_aside')).toHaveLength(44);
  });

  it('shows one again by its tool, as a new picture, and keeps the text where it was [BX-33]', async () => {
    const before = model.bodies.at(-1) ?? '';
    const first = fileAt(0);
    expect(await sayIn(place, `Please look at ${first.id} again.`)).toMatchObject({ status: 'responded' });
    expect(last()).toContain(textOf(first));
    expect(pictures(last()).at(-1)).toBe(first.sha256);
    expect(countChanges([before, ...model.bodies.slice(-2)])).toBe(0);
  });

  it('takes one in a message that was set aside before, and sets it aside again in its turn [BX-33]', async () => {
    const second = fileAt(1);
    expect(await sayIn(place, 'Again.', second.id)).toMatchObject({
      ...{ status: 'responded', plan: { items: [{ becomes: 'native' }] } },
      receipt: { items: [{ verdict: 'delivered', proof: 'wire' }] },
    });
    expect(pictures(last()).at(-1)).toBe(second.sha256);
    const more = await Promise.all(Array.from({ length: MAX_IMAGES }, () => upload(place)));
    expect(await sayIn(place, 'Many.', ...more.map(({ id }) => id))).toMatchObject({ status: 'responded' });
    expect(pictures(last())).toEqual(more.map(({ sha256 }) => sha256));
    expect(last().filter((said) => said === textOf(second))).toHaveLength(2);
    const told = await eventsOf(place, 'attachment.set_aside');
    expect(told.filter(({ data }) => data.attachmentId === second.id)).toHaveLength(2);
  });

  it('is refused one that its model refuses when it is shown again, and continues [BX-02 BX-33]', async () => {
    const third = fileAt(2);
    model.refused.set(third.sha256, 'by its place');
    const failed = await sayIn(place, `Please look at ${third.id}.`);
    expect(failed).toMatchObject({ status: 'failed' });
    expect(await sayIn(place, 'And now?')).toMatchObject({ status: 'responded' });
    model.refused.clear();
    const replaced = `[attachment id=${third.id} was refused by the model: file_refused]`;
    expect(last().filter((said) => said === replaced)).toHaveLength(2);
    expect(last()).not.toContain(textOf(third));
    expect(await sayIn(place, 'Is it?', third.id)).toMatchObject({
      plan: { items: [{ becomes: 'descriptor', reason: 'quarantined' }] },
    });
  });

  it('begins again without one that is deleted, and then has what it had set aside no more [BX-33]', async () => {
    const { id, sha256 } = fileAt(3);
    expect((await stack.api.call('DELETE', `/attachments/${id}`)).status).toBe(204);
    expect(await sayIn(place, 'What is left?')).toMatchObject({
      ...{ status: 'responded', receipt: { continuedBy: 'rebuild' } },
    });
    expect(last().join('\n')).not.toContain('was set aside');
    expect(last()).not.toContain(sha256);
    expect(pictures(last()).length).toBeLessThanOrEqual(MAX_IMAGES);
    expect(await sayIn(place, 'One more.', (await upload(place)).id)).toMatchObject({ status: 'responded' });
  });
});

describe('a message', () => {
  const openWithMany = async (profile: string) => {
    const at = await stack.api.createSession({ profile, model: 'claude-sonnet-5' });
    const many = await Promise.all(Array.from({ length: MAX_IMAGES + 1 }, () => upload(at)));
    return { at, ids: many.map(({ id }) => id) };
  };
  const send = async ({ session, agent }: Place, attachmentIds: string[], path = 'messages') => {
    const body = { to: [agent.id], text: 'Look.', attachmentIds };
    type Answer = { detail?: string; plans: { items: { becomes: string }[]; failures: { userMessage: string }[] }[] };
    return stack.api.call<Answer>('POST', `/sessions/${session.id}/${path}`, { body });
  };

  it('that alone has more pictures than its model takes leaves the last one to a tool, whatever could be set aside [BX-19 BX-33]', async () => {
    const { at, ids } = await openWithMany('relayed');
    const [next = '', ...first] = ids;
    expect(await sayIn(at, 'Twenty.', ...first)).toMatchObject({ status: 'responded' });
    const forms = Array.from({ length: MAX_IMAGES }, () => 'native');
    const planOf = async (...named: string[]) => (await send(at, named, 'plan')).body.plans[0];
    expect((await planOf(...ids))?.items.map(({ becomes }) => becomes)).toEqual([...forms, 'tool']);
    expect((await planOf(next))?.items.map(({ becomes }) => becomes)).toEqual(['native']);
    expect(await sayIn(at, 'One more.', next)).toMatchObject({ status: 'responded' });
  });

  it('to an agent without a relay is refused the next picture, and the refusal names the ways that are left [BX-33]', async () => {
    const { at, ids } = await openWithMany('alone');
    const [next = '', ...first] = ids;
    expect((await send(at, first)).status).toBe(202);
    const ways = /no endpoint.*target again, which rebuilds it.*new session/;
    const sent = await send(at, [next]);
    expect([sent.status, sent.body.detail]).toEqual([422, expect.stringMatching(ways)]);
    const planned = await send(at, [next], 'plan');
    expect(planned.body.plans[0]?.failures[0]?.userMessage).toMatch(ways);
  });
});
