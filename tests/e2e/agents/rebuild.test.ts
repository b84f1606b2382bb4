// hosted: long – packs, texts and rights are read under the roles of Postgres in checkpoint.test.ts, too
import { rm } from 'node:fs/promises';
import type { Attachment, Delivery, ReplayPolicy, TranscriptEntry } from '@attache/contracts';
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
  // It rests at once, so that its process ends after each turn, and leaves no checkpoint.
  const limits = { idleStopMs: 50, checkpointBytes: 0 };
  const profiles = {
    conversing: { ...program, model: 'claude-sonnet-5', limits },
    other: { ...program, model: 'claude-opus-5', limits },
    blind: { ...program, model: 'claude-sonnet-5', limits, capability: { image: false } },
  };
  stack = await openOwnStack({ profiles, tenants: ['stranger'] });
});
afterAll(async () => {
  await stack?.stop();
  await model?.stop();
});

const openPlace = (replayPolicy: ReplayPolicy = { originals: 'none' }): Promise<Place> =>
  stack.api.createSession({ profile: 'conversing', model: 'claude-sonnet-5', replayPolicy });

let seed = 0;

async function upload({ session }: Place, name = 'small.png'): Promise<Attachment> {
  seed += 1;
  const { attachment } = await stack.api.upload(session.id, makePng(40, 30, seed), { name, type: 'image/png' });
  return stack.api.inspected(attachment.id);
}

/** One turn; its agent's process has ended when it is over. */
async function say(place: Place, text: string, ...ids: string[]): Promise<Delivery> {
  const { length: count } = await eventsOf(place, 'agent.stopped');
  const { delivery } = await takeTurn(stack.api, place, text, ids);
  await stack.api.logged(place.session.id, ({ kind }) => kind === 'agent.stopped', { count: count + 1 });
  return delivery;
}

async function eventsOf({ session }: Place, kind: string) {
  return (await stack.api.events(session.id)).filter((event) => event.kind === kind);
}

const rebuilds = async (place: Place) => (await eventsOf(place, 'agent.rebuilt')).map(({ data }) => data);
const loseFolder = ({ agent }: Place) => rm(stack.agentFolder(agent.id), { recursive: true, force: true });
const last = () => model.requests.at(-1) ?? [];
const retarget = ({ session, agent }: Place, profile: string) =>
  stack.api.call('PATCH', `/sessions/${session.id}/agents/${agent.id}`, { body: { target: { profile } } });

describe('an agent whose folder is gone', () => {
  it('alone gets what Attaché says for it: a transcript has the words of people and agent, no marker and no history [RP-06]', async () => {
    const place = await openPlace();
    const file = await upload(place);
    await say(place, 'First.', file.id);
    await loseFolder(place);
    await say(place, 'Second.');
    const told = last().join('\n');
    const { body } = await stack.api.call('GET', `/sessions/${place.session.id}/transcript?limit=200`);
    const entries = body.items as TranscriptEntry[];
    const texts = entries.flatMap((entry) => (entry.type === 'message' ? [entry.text] : []));
    expect(texts).toEqual(['First.', 'Second.']);
    for (const synthetic of ['[history', '[attachment id=', '[you said']) {
      expect(told).toContain(synthetic);
      expect(JSON.stringify(entries)).not.toContain(synthetic);
    }
  });

  it('gets what was said before, with its next message, and the log and the receipt say so [SR-05 SR-15 BX-26]', async () => {
    const place = await openPlace();
    const file = await upload(place);
    expect((await say(place, 'First.', file.id)).receipt).toMatchObject({ continuedBy: 'fresh' });
    expect((await say(place, 'Second.')).receipt).toMatchObject({ continuedBy: 'resume' });
    await loseFolder(place);
    const delivery = await say(place, 'Third.');
    expect(delivery).toMatchObject({ status: 'responded', receipt: { continuedBy: 'rebuild' } });
    const [block = '', ...others] = last();
    expect(others).toEqual(['Third.']);
    const [rebuilt] = await rebuilds(place);
    const facts = { agentId: place.agent.id, deliveryId: delivery.id, reason: 'no-transcript' };
    expect(rebuilt).toMatchObject({
      ...{ ...facts, messages: 2, omittedMessages: 0, keptOriginals: 0 },
      historySha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const sha256 = rebuilt?.historySha256;
    expect(block.startsWith(`[history ${sha256}]\n`)).toBe(true);
    expect(block.endsWith(`\n[end of history ${sha256}]`)).toBe(true);
    for (const words of ['First.', 'Second.', `[you said, ${sha256}]\nseen`, file.sha256])
      expect(block).toContain(words);
    const tried = (await eventsOf(place, 'agent.started')).map(({ data }) => data.continuedBy);
    expect(tried).toEqual(['fresh', 'resume', 'rebuild']);
    // From here on its own memory holds it.
    expect((await say(place, 'Fourth.')).receipt).toMatchObject({ continuedBy: 'resume' });
    expect(last()).toEqual([block, 'Third.', 'Fourth.']);
    expect(await rebuilds(place)).toHaveLength(1);
  });

  it('gets the pictures again that the policy keeps, but none that was deleted [SR-05 BX-04]', async () => {
    const place = await openPlace({ originals: 'untilCompaction' });
    const [kept, gone] = [await upload(place, 'kept.png'), await upload(place, 'secret.png')];
    await say(place, 'First.', kept.id);
    await say(place, 'Second.', gone.id);
    expect((await stack.api.call('DELETE', `/attachments/${gone.id}`)).status).toBe(204);
    await loseFolder(place);
    expect(await say(place, 'Third.')).toMatchObject({ status: 'responded' });
    const [block = '', ...others] = last();
    expect(others).toEqual([kept.sha256, 'Third.']);
    expect(block).toContain('(file 1 of those behind this block)');
    expect(block).toContain('it was deleted since');
    expect(block).not.toContain('secret.png');
    expect(await rebuilds(place)).toMatchObject([{ messages: 2, keptOriginals: 1 }]);
  });

  it('is told nothing of a file that it may not read any more [SR-05 SR-28]', async () => {
    const place = await openPlace({ originals: 'untilCompaction' });
    const file = await upload(place, 'withdrawn.png');
    await say(place, 'First.', file.id);
    const path = `/sessions/${place.session.id}/grants`;
    for (const { data } of await eventsOf(place, 'grant.created'))
      expect((await stack.api.call('DELETE', `${path}/${data.grantId}`)).status).toBe(204);
    await loseFolder(place);
    expect(await say(place, 'Second.')).toMatchObject({ status: 'responded' });
    const [block = '', ...others] = last();
    expect(others).toEqual(['Second.']);
    expect(block).toContain(file.id);
    expect(block).not.toContain('withdrawn.png');
    expect(block).not.toContain(file.sha256);
  });

  it('is told of the last messages alone where all have no room, and of how many there were [SR-15]', async () => {
    const place = await openPlace();
    await say(place, 'x'.repeat(250_000));
    await say(place, 'y'.repeat(250_000));
    await say(place, 'Third.');
    await loseFolder(place);
    await say(place, 'Fourth.');
    expect(await rebuilds(place)).toMatchObject([{ messages: 2, omittedMessages: 1 }]);
    const [block = ''] = last();
    expect(block).toContain('Earlier messages that are not in it: 1.');
    expect(block).toContain('yyy');
    expect(block).not.toContain('xxx');
  });
});

describe('an agent that gets another target [DL-51 BX-06]', () => {
  it('gets its history for that target, and the same bytes as before where it changes back', async () => {
    const place = await openPlace({ originals: 'untilCompaction' });
    const file = await upload(place);
    await say(place, 'First.', file.id);
    const seen: string[][] = [];
    for (const profile of ['other', 'blind', 'other']) {
      expect((await retarget(place, profile)).status).toBe(200);
      // The text in between is the same in all: nothing but words.
      expect(await say(place, 'And now?')).toMatchObject({ receipt: { continuedBy: 'rebuild' } });
      seen.push(last());
    }
    expect(await rebuilds(place)).toMatchObject([
      { reason: 'target-changed', messages: 1, keptOriginals: 1 },
      { reason: 'target-changed', messages: 2, keptOriginals: 0 },
      { reason: 'target-changed', messages: 3, keptOriginals: 1 },
    ]);
    expect(seen.map((parts) => parts.includes(file.sha256))).toEqual([true, false, true]);
    expect(seen[1]?.[0]).toContain('your model does not take it as it was sent');
    // But for the digest of the whole, what was added is added behind.
    const [before = '', , after = ''] = seen.map(([block = '']) => block.replaceAll(/[0-9a-f]{64}/g, 'digest'));
    expect(after.startsWith(before.slice(0, before.lastIndexOf('\n')))).toBe(true);
  });
});

it('an agent whose request was too large begins again with words alone [BX-02 SR-15]', async () => {
  const place = await openPlace({ originals: 'untilCompaction' });
  const file = await upload(place);
  await say(place, 'First.', file.id);
  model.maxMessages = 2;
  try {
    expect(await say(place, 'Second.')).toMatchObject({ status: 'failed' });
    expect(await say(place, 'Third.')).toMatchObject({ status: 'responded', receipt: { continuedBy: 'rebuild' } });
  } finally {
    model.maxMessages = Number.POSITIVE_INFINITY;
  }
  expect(await rebuilds(place)).toMatchObject([{ reason: 'context-full', keptOriginals: 0 }]);
  expect(last()).not.toContain(file.sha256);
  expect(last()[0]).toContain('First.');
});
