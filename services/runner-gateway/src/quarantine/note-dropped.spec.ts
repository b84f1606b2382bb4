import { idFromUuid } from '@attache/contracts';
import { createAttachment } from '@attache/database/contract';
import type { WireBlock, WireRequest } from '@attache/domain';
import { expect, it } from 'vitest';
import { type Fixture, openFixture, readAgent } from '../__fixtures__/open-fixture.ts';
import { createAgentQuarantine } from './agent-quarantine.ts';
import { noteDropped } from './note-dropped.ts';

const sha256 = 'a'.repeat(64);
const picture: WireBlock = { kind: 'media', place: 'user', key: 'a', isReadable: true, sha256, sizeBytes: 9 };
const hi: WireBlock = { kind: 'text', place: 'user', key: 'hi', isReadable: true, whole: undefined, framed: [] };
const request = (status: number, ...blocks: WireBlock[]): WireRequest => ({
  blocks,
  answer: { status, hasBegun: status === 200 },
});

async function openAgent() {
  const fixture = await openFixture();
  const attachmentId = idFromUuid('attachment', (await createAttachment(fixture.deps.db, fixture)).attachmentId);
  const quarantine = createAgentQuarantine('anthropic', new Map([[sha256, attachmentId]]));
  const owner = { session: fixture.session, agent: await readAgent(fixture) };
  const note = (requests: WireRequest[], change: Partial<Fixture['deps']> = {}) =>
    noteDropped({ ...fixture.deps, ...change }, owner, quarantine, {
      requests: requests.map((each) => ({ hasEnded: true, request: each })),
      earlier: undefined,
    });
  const readTold = async () =>
    (await fixture.readEvents()).filter(({ kind }) => kind === 'attachment.set_aside').map(({ data }) => data);
  return { fixture, attachmentId, quarantine, note, readTold };
}

it('says once which file a program has left out, and the next message tells its agent [BX-02 BX-23]', async () => {
  const { fixture, attachmentId, quarantine, note, readTold } = await openAgent();
  const turn = [request(200, picture, hi), request(200, hi)];
  await note(turn);
  await note(turn);
  const agentId = idFromUuid('agent', fixture.agentId);
  expect(await readTold()).toEqual([{ attachmentId, agentId, reason: 'left_out_by_program' }]);
  const text = `[attachment id=${attachmentId} is no longer in this conversation; resource_view shows it again]`;
  expect(quarantine.drops.listMarkers()).toEqual([{ type: 'text', text }]);
  quarantine.drops.noteTold();
  expect(quarantine.drops.listMarkers()).toEqual([]);
  quarantine.learn(sha256, attachmentId);
  await note(turn);
  expect(await readTold()).toHaveLength(2);
  quarantine.learn(sha256, attachmentId);
  expect(quarantine.drops.listMarkers()).toEqual([]);
});

it('invites to no second look at what may have been refused', async () => {
  const { attachmentId, quarantine, note } = await openAgent();
  await note([request(400, picture, hi), request(200, hi)]);
  const text = `[attachment id=${attachmentId} was left out: the model refused a request that held it]`;
  expect(quarantine.drops.listMarkers()).toEqual([{ type: 'text', text }]);
});

it('waits for no database where nothing was left out, and fails no delivery with it', async () => {
  const { fixture, note } = await openAgent();
  fixture.takeRoundTrips();
  await note([request(200, picture, hi)]);
  expect(fixture.takeRoundTrips()).toBe(0);
  const asOwner = () => Promise.reject(new Error('the database said no'));
  await note([request(200, picture, hi), request(200, hi)], { ownership: { ...fixture.deps.ownership, asOwner } });
});
