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
      ...{ status: 'responded', receipt: { items: [{ verdict: 'refused', proof: 'wire' }] } },
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

  it('that it took before leaves its place within the turn: its program sees no refusal, and the newer one is delivered [BX-02 BX-23]', async () => {
    const place = await openPlace();
    const [old, newer] = [await upload(place), await upload(place)];
    await sayIn(place, 'First.', old.id);
    model.refused.set(old.sha256, 'by its place');
    const delivery = await sayIn(place, 'Second.', newer.id);
    model.refused.clear();
    expect(delivery).toMatchObject({
      ...{ status: 'responded', receipt: { items: [{ verdict: 'delivered', proof: 'wire' }], usage: { requests: 2 } } },
    });
    expect(delivery.failure).toBeUndefined();
    const text = replacementOf(old.id, 'file_refused');
    for (const words of ['Third.', 'Fourth.']) {
      expect(await sayIn(place, words)).toMatchObject({ status: 'responded' });
      expect(last()).toEqual(expect.arrayContaining([text, newer.sha256, words]));
      expect(last()).not.toContain(old.sha256);
    }
    expect(await eventsOf(place, 'attachment.quarantined', 'attachment.set_aside')).toMatchObject([
      { kind: 'attachment.quarantined', data: { attachmentId: old.id } },
    ]);
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

describe('a message that is tried again', () => {
  const countOf = (said: string) => last().filter((each) => each.includes(said)).length;

  it.each([
    ['whose conversation was stored before', 'checkpoint', true],
    ['whose conversation was not stored', 'rebuild', false],
  ])('is in the conversation once, of an agent %s [DL-42 DL-84 SR-15]', async (_, continuedBy, isStored) => {
    const place = await openPlace();
    const [good, file] = [await upload(place), await upload(place)];
    await sayIn(place, 'First.', good.id);
    if (isStored) await expect.poll(() => eventsOf(place, 'agent.checkpointed'), { timeout: 30_000 }).toHaveLength(1);
    model.troubleStatus = 529;
    const failed = await sayIn(place, 'Second.', file.id);
    model.troubleStatus = undefined;
    expect(failed).toMatchObject({ status: 'failed', failure: { retryable: true } });
    await stack.api.call('POST', `/deliveries/${failed.id}/retry`);
    const retried = await stack.api.settled(failed.id);
    expect(retried).toMatchObject({ status: 'responded', receipt: { continuedBy, items: [{ verdict: 'delivered' }] } });
    await sayIn(place, 'Third.');
    expect(['First.', 'Second.', 'Third.', file.sha256].map(countOf)).toEqual([1, 1, 1, 1]);
    expect(countOf(good.sha256)).toBe(1);
    const [stopped, started] = (await eventsOf(place, 'agent.stopped', 'agent.started')).slice(1);
    expect([stopped?.data.reason, started?.data.continuedBy]).toEqual(['message-retried', continuedBy]);
  });

  it('is in it once where another one was answered meanwhile', async () => {
    const place = await openPlace();
    model.troubleStatus = 529;
    const failed = await sayIn(place, 'First.');
    model.troubleStatus = undefined;
    expect(await sayIn(place, 'Second.')).toMatchObject({ status: 'responded' });
    expect(countOf('First.')).toBe(1);
    await expect.poll(() => eventsOf(place, 'agent.checkpointed'), { timeout: 30_000 }).not.toEqual([]);
    await stack.api.call('POST', `/deliveries/${failed.id}/retry`);
    expect(await stack.api.settled(failed.id)).toMatchObject({ receipt: { continuedBy: 'rebuild' } });
    expect(['First.', 'Second.'].map(countOf)).toEqual([1, 1]);
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
