// hosted: every – packs are in the store, their rows in Postgres, and each service may do with them only its part
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Attachment, Delivery } from '@attache/contracts';
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
  // It rests at once, so that its process ends after each turn.
  const limits = { idleStopMs: 50 };
  const profiles = {
    conversing: { ...program, model: 'claude-sonnet-5', limits },
    other: { ...program, model: 'claude-opus-5', limits },
    small: { ...program, model: 'claude-sonnet-5', limits: { ...limits, checkpointBytes: 2_000 } },
    forgetful: { ...program, args: ['forgetful'], model: 'claude-sonnet-5', limits },
    lost: { ...program, args: ['lost'], model: 'claude-sonnet-5', limits },
    lasting: { ...program, model: 'claude-sonnet-5', limits: { idleStopMs: 600_000 } },
  };
  stack = await openOwnStack({ profiles });
});
afterAll(async () => {
  await stack?.stop();
  await model?.stop();
});

const openPlace = (profile = 'conversing'): Promise<Place> =>
  stack.api.createSession({ profile, model: 'claude-sonnet-5', replayPolicy: { originals: 'untilCompaction' } });

let seed = 0;

const pictures = new Map<string, Buffer>();
const pictureOf = ({ id }: Attachment) => pictures.get(id)?.toString('base64') ?? '';

async function upload({ session }: Place, name = 'small.png'): Promise<Attachment> {
  seed += 1;
  const picture = makePng(40, 30, seed);
  const { attachment } = await stack.api.upload(session.id, picture, { name, type: 'image/png' });
  pictures.set(attachment.id, Buffer.from(picture));
  return stack.api.inspected(attachment.id);
}

/** The files of its agent that hold a text. */
async function findInFolder({ agent }: Place, text: string): Promise<string[]> {
  const entries = await readdir(stack.agentFolder(agent.id), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const found = await Promise.all(files.map(async (file) => (await readFile(file)).includes(text)));
  return files.filter((_, index) => found[index]);
}

async function eventsOf({ session }: Place, kind: string) {
  return (await stack.api.events(session.id)).filter((event) => event.kind === kind).map(({ data }) => data);
}

/** One turn; its agent's process has ended when it is over. */
async function say(place: Place, text: string, ...ids: string[]): Promise<Delivery> {
  const { length: count } = await eventsOf(place, 'agent.stopped');
  const { delivery } = await takeTurn(stack.api, place, text, ids);
  await stack.api.logged(place.session.id, ({ kind }) => kind === 'agent.stopped', { count: count + 1 });
  return delivery;
}

const loseFolder = ({ agent }: Place) => rm(stack.agentFolder(agent.id), { recursive: true, force: true });
const last = () => model.requests.at(-1) ?? [];

describe('an agent whose folder is gone [BX-26]', () => {
  it('continues by its own memory, which was stored after each turn, and the log and the receipt say so', async () => {
    const place = await openPlace();
    const file = await upload(place);
    const first = await say(place, 'First.', file.id);
    const second = await say(place, 'Second.');
    const taken = await eventsOf(place, 'agent.checkpointed');
    expect(taken).toMatchObject([
      { agentId: place.agent.id, deliveryId: first.id, files: 1 },
      { deliveryId: second.id, files: 1 },
    ]);
    const [{ sizeBytes: before }, { sizeBytes: after, storedBytes }] = taken as {
      sizeBytes: number;
      storedBytes: number;
    }[] as [{ sizeBytes: number }, { sizeBytes: number; storedBytes: number }];
    expect(after).toBeGreaterThan(before);
    expect(storedBytes).toBeLessThan(after - before + 100);

    await loseFolder(place);
    const third = await say(place, 'Third.');
    expect(third).toMatchObject({ status: 'responded', receipt: { continuedBy: 'checkpoint' } });
    const remembered = [file.sha256, expect.stringMatching(/^First\./), 'Second.', 'Third.'];
    expect(last()).toEqual(
      last()[0] === file.sha256 ? remembered : [remembered[1], remembered[0], ...remembered.slice(2)],
    );
    const restored = { agentId: place.agent.id, files: 1, sizeBytes: after };
    expect(await eventsOf(place, 'agent.restored')).toMatchObject([restored]);
    const tried = (await eventsOf(place, 'agent.started')).map(({ continuedBy }) => continuedBy);
    expect(tried).toEqual(['fresh', 'resume', 'checkpoint']);
    expect(await eventsOf(place, 'agent.rebuilt')).toEqual([]);
    // And from there, by what it left itself and by the checkpoint after it.
    expect((await say(place, 'Fourth.')).receipt).toMatchObject({ continuedBy: 'resume' });
    await loseFolder(place);
    expect((await say(place, 'Fifth.')).receipt).toMatchObject({ continuedBy: 'checkpoint' });
    expect(last().slice(-3)).toEqual(['Third.', 'Fourth.', 'Fifth.']);
  });

  it('gets its history where no checkpoint holds the last message', async () => {
    const place = await openPlace('small');
    await say(place, 'First.');
    await say(place, 'x'.repeat(4_000));
    expect(await eventsOf(place, 'agent.checkpointed')).toMatchObject([
      { storedBytes: expect.any(Number) },
      { storedBytes: 0, refused: 'too-large' },
    ]);
    await loseFolder(place);
    expect((await say(place, 'Third.')).receipt).toMatchObject({ continuedBy: 'rebuild' });
    expect(last()[0]).toContain('xxx');
  });

  it('is checkpointed while it rests, and not only at its end', async () => {
    const place = await openPlace('lasting');
    const { delivery } = await takeTurn(stack.api, place, 'First.', []);
    await stack.api.logged(place.session.id, ({ kind }) => kind === 'agent.checkpointed');
    expect(await eventsOf(place, 'agent.checkpointed')).toMatchObject([{ deliveryId: delivery.id }]);
    expect(await eventsOf(place, 'agent.stopped')).toEqual([]);
  });
});

it('a program that says that it continues, and asks its model as though it began, gets its history with the next message [BX-26 SR-15]', async () => {
  const place = await openPlace('forgetful');
  await say(place, 'First.');
  expect(await say(place, 'Second.')).toMatchObject({ status: 'responded', receipt: { continuedBy: 'fresh' } });
  expect(last()).toEqual(['Second.']);
  const started = await eventsOf(place, 'agent.started');
  expect(started.map(({ continuedBy }) => continuedBy)).toEqual(['fresh', 'resume']);
  expect((await eventsOf(place, 'agent.stopped')).at(-1)).toMatchObject({ reason: 'memory-lost' });
  expect((await say(place, 'Third.')).receipt).toMatchObject({ continuedBy: 'rebuild' });
  for (const words of ['First.', 'Second.']) expect(last()[0]).toContain(words);
  expect(await eventsOf(place, 'agent.rebuilt')).toMatchObject([{ reason: 'transcript-refused', messages: 2 }]);
});

it('a program that does not find its conversation when it is asked gets the same message again, with its history, once [BX-26 SR-15]', async () => {
  const place = await openPlace('lost');
  await say(place, 'First.');
  const asked = model.requests.length;
  const second = await takeTurn(stack.api, place, 'Second.', []);
  expect(second.delivery).toMatchObject({ status: 'responded', receipt: { continuedBy: 'rebuild' } });
  const statuses = second.delivery.timeline.map(({ status }) => status);
  const once = ['prepared', 'claimed', 'written'];
  expect(statuses).toEqual(['queued', ...once, ...once, 'responded']);
  expect(model.requests).toHaveLength(asked + 1);
  expect(last()[0]).toContain('First.');
  expect(last().at(-1)).toBe('Second.');
  expect(await eventsOf(place, 'agent.rebuilt')).toMatchObject([{ reason: 'transcript-refused', messages: 1 }]);
});

describe('what no checkpoint holds', () => {
  it('is a secret of its agent or profile: that is said once, and the agent gets its history [BX-26 S27]', async () => {
    const place = await openPlace();
    await say(place, `My path is ${process.env.PATH}.`);
    await say(place, 'Second.');
    const taken = await eventsOf(place, 'agent.checkpointed');
    expect(taken.map(({ refused }) => refused)).toEqual(['secret-found', 'secret-found']);
    await loseFolder(place);
    expect((await say(place, 'Third.')).receipt).toMatchObject({ continuedBy: 'rebuild' });
  });

  it('is a file that is deleted: who could read it begins again without it, in its own folder too [BX-20 BX-04]', async () => {
    const place = await openPlace();
    const [kept, gone] = [await upload(place, 'kept.png'), await upload(place, 'secret.png')];
    await say(place, 'First.', kept.id);
    await say(place, 'Second.', gone.id);
    // Programs put copies next to their transcripts, and tools hand files out.
    for (const name of ['tmp', 'files']) {
      const copies = join(stack.agentFolder(place.agent.id), name);
      await mkdir(copies, { recursive: true });
      await writeFile(join(copies, 'copy'), pictureOf(gone));
    }
    expect((await stack.api.call('DELETE', `/attachments/${gone.id}`)).status).toBe(204);
    expect((await say(place, 'Third.')).receipt).toMatchObject({ continuedBy: 'rebuild' });
    expect(last()).not.toContain(gone.sha256);
    expect(last()).toContain(kept.sha256);
    expect(await findInFolder(place, pictureOf(gone))).toEqual([]);
    expect(await findInFolder(place, pictureOf(kept))).toHaveLength(1);
    expect(await eventsOf(place, 'agent.rebuilt')).toMatchObject([{ reason: 'attachment-deleted' }]);
    await loseFolder(place);
    expect((await say(place, 'Fourth.')).receipt).toMatchObject({ continuedBy: 'checkpoint' });
    expect(last()).not.toContain(gone.sha256);
  });

  it('is a conversation with another target [BX-06]', async () => {
    const place = await openPlace();
    await say(place, 'First.');
    const path = `/sessions/${place.session.id}/agents/${place.agent.id}`;
    for (const profile of ['other', 'conversing'])
      expect((await stack.api.call('PATCH', path, { body: { target: { profile } } })).status).toBe(200);
    await loseFolder(place);
    expect((await say(place, 'Second.')).receipt).toMatchObject({ continuedBy: 'rebuild' });
  });
});
