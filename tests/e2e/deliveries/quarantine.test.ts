// hosted: long – one process keeps what a model refused and another plans by it, by rows whose contract suite runs on Postgres
import { conversingAgent, makePng, type PickyModel, startPickyModel } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnStack, openOwnStack } from '../stack/stack.ts';
import { type Place, takeTurn } from '../steps/turns.ts';

const command = [process.execPath, conversingAgent, 'claude-agent-acp'];
let model: PickyModel;
let stack: OwnStack;

beforeAll(async () => {
  model = await startPickyModel();
  const endpoint = { api: 'anthropic', baseUrl: model.url, apiKey: 'env:PATH' } as const;
  const program = { runtime: 'acp', command, ownTools: 'none', provider: 'anthropic', endpoint } as const;
  const profiles = {
    conversing: { ...program, model: 'claude-sonnet-5' },
    other: { ...program, model: 'claude-opus-5' },
  };
  stack = await openOwnStack({ profiles });
});
afterAll(async () => {
  await stack?.stop();
  await model?.stop();
});

const openPlace = (): Promise<Place> => stack.api.createSession({ profile: 'conversing', model: 'claude-sonnet-5' });

let seed = 0;

/** A picture that is nowhere else, inspected. */
async function upload({ session }: Place) {
  seed += 1;
  const file = { name: 'small.png', type: 'image/png' };
  const { attachment } = await stack.api.upload(session.id, makePng(40, 30, seed), file);
  return stack.api.inspected(attachment.id);
}

async function eventsOf({ session }: Place, ...kinds: string[]) {
  return (await stack.api.events(session.id)).filter(({ kind }) => kinds.includes(kind));
}

const last = () => model.requests.at(-1) ?? [];
const sayIn = async (place: Place, text: string, ...ids: string[]) =>
  (await takeTurn(stack.api, place, text, ids)).delivery;
const replacementOf = (id: string, code: string) => `[attachment id=${id} was refused by the model: ${code}]`;
const endQuarantine = ({ session }: Place, id: string, options = {}) =>
  stack.api.call('DELETE', `/sessions/${session.id}/attachments/${id}/quarantine`, options);

describe('a file that a model refuses', () => {
  it('is taken out by its place, over restarts of all processes, until the agent has another target [BX-01 BX-02 BX-04]', async () => {
    const place = await openPlace();
    const [good, bad] = [await upload(place), await upload(place)];
    await sayIn(place, 'First.', good.id);
    model.refused.set(bad.sha256, 'by its place');
    expect(await sayIn(place, 'Second.', bad.id)).toMatchObject({
      ...{ status: 'failed', failure: { userMessage: expect.stringContaining('left out of what follows') } },
    });
    const text = replacementOf(bad.id, 'file_refused');
    expect(await sayIn(place, 'Third.')).toMatchObject({ status: 'responded' });
    expect(last()).toEqual(expect.arrayContaining([good.sha256, text, 'Third.']));
    expect(last()).not.toContain(bad.sha256);
    await stack.changeSecretKeys((keys) => keys);
    expect(await sayIn(place, 'Fourth.')).toMatchObject({ status: 'responded' });
    expect(last()).toEqual(expect.arrayContaining([good.sha256, text, 'Third.', 'Fourth.']));
    const told = { attachmentId: bad.id, agentId: place.agent.id, code: 'file_refused', wireSha256: bad.sha256 };
    expect(await eventsOf(place, 'attachment.quarantined')).toMatchObject([{ data: told }]);

    const body = { target: { profile: 'other' } };
    const path = `/sessions/${place.session.id}/agents/${place.agent.id}`;
    expect((await stack.api.call('PATCH', path, { body })).status).toBe(200);
    expect(await eventsOf(place, 'attachment.quarantine_ended')).toMatchObject([{ data: { attachmentId: bad.id } }]);
    model.refused.clear();
    const delivery = await sayIn(place, 'Fifth.', bad.id);
    expect(delivery).toMatchObject({
      plan: { items: [{ becomes: 'native' }] },
      receipt: { items: [{ proof: 'wire' }] },
    });
    expect(last()).toContain(bad.sha256);
  });

  it('is found by taking out all that was new, where nobody says which one; both come back by a DELETE [BX-02]', async () => {
    const place = await openPlace();
    const [good, bad, beside] = [await upload(place), await upload(place), await upload(place)];
    await sayIn(place, 'First.', good.id);
    model.refused.set(bad.sha256, 'in words');
    expect(await sayIn(place, 'Second.', bad.id, beside.id)).toMatchObject({ status: 'failed' });
    // One refusal of which nothing is known takes nothing out.
    expect(await sayIn(place, 'Third.')).toMatchObject({ status: 'failed' });
    expect(await sayIn(place, 'Fourth.')).toMatchObject({ status: 'responded' });
    expect(last()).toContain(good.sha256);
    expect(last()).toContain(replacementOf(beside.id, 'unspecified'));
    const told = await eventsOf(place, 'attachment.quarantined');
    expect(told.map(({ data }) => [data.attachmentId, data.group]).toSorted()).toEqual(
      [bad.id, beside.id].map((id) => [id, true]).toSorted(),
    );
    model.refused.clear();
    for (const { id } of [bad, beside]) expect((await endQuarantine(place, id)).status).toBe(204);
    expect(await sayIn(place, 'Fifth.', beside.id)).toMatchObject({ status: 'responded' });
    expect(last()).toEqual(expect.arrayContaining([good.sha256, bad.sha256, beside.sha256]));
  });

  it('is not sought where the conversation is too large: the agent begins a new one, into which a retry fits [BX-01 BX-02]', async () => {
    const place = await openPlace();
    const file = await upload(place);
    await sayIn(place, 'First.', file.id);
    model.maxMessages = 2;
    const failed = await sayIn(place, 'Second.', file.id);
    expect(failed).toMatchObject({
      ...{ status: 'failed' },
      failure: { code: 'attachment_serialized_payload_too_large', retryable: true },
    });
    await stack.api.call('POST', `/deliveries/${failed.id}/retry`);
    expect(await stack.api.settled(failed.id)).toMatchObject({ status: 'responded' });
    expect(last()).toEqual([expect.stringContaining('First.'), expect.stringContaining('Second.'), file.sha256]);
    model.maxMessages = Number.POSITIVE_INFINITY;
    const events = await eventsOf(place, 'agent.stopped', 'attachment.quarantined');
    expect(events).toMatchObject([{ kind: 'agent.stopped', data: { reason: 'context-full' } }]);
  });
});

describe('a quarantine that is ended', () => {
  it('takes the right to it, and is of the session that the file is in', async () => {
    const [place, elsewhere] = [await openPlace(), await openPlace()];
    const file = await upload(place);
    const body = { externalUserId: 'anna', ttlSeconds: 600, rights: ['messages:send', 'attachments:read'] };
    const made = await stack.api.call('POST', `/sessions/${place.session.id}/tokens`, { body });
    const credential = String(made.body.token);
    expect(await endQuarantine(place, file.id, { credential })).toMatchObject({ status: 403 });
    expect(await endQuarantine(elsewhere, file.id)).toMatchObject({
      ...{ status: 404, body: { code: 'ATTACHMENT_NOT_FOUND' } },
    });
    expect(await endQuarantine(place, 'att_nothing')).toMatchObject({ status: 404 });
    expect((await endQuarantine(place, file.id)).status).toBe(204);
  });
});
