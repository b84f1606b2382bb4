import { idFromUuid } from '@attache/contracts';
import { readNextDelivery } from '@attache/database';
import { createAttachment } from '@attache/database/contract';
import type { WireBlock } from '@attache/domain';
import { expect, it } from 'vitest';
import { type Fixture, openFixture, prepareTask, readAgent } from '../__fixtures__/open-fixture.ts';
import { createAgentQuarantine } from './agent-quarantine.ts';
import { createRoomMaker } from './make-room.ts';

const digests = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(64));
const media = (sha256: string): WireBlock => ({
  ...{ kind: 'media', place: 'tool-result', key: sha256, isReadable: true, sha256, sizeBytes: 9 },
  mimeType: 'image/png',
});
const request = { blocks: digests.map(media), sizeBytes: 500 };

/** An agent with four pictures, the first one of ours, whose model takes three. */
async function openRoom(fixture: Fixture, change: Partial<Fixture['deps']> = {}) {
  const { attachmentId } = await createAttachment(fixture.deps.db, fixture);
  const file = idFromUuid('attachment', attachmentId);
  const { asides, replacements } = createAgentQuarantine('anthropic', new Map([[digests[0] ?? '', file]]));
  asides.noteTurn({ images: 3 });
  const agent = await readAgent(fixture);
  const turns = { current: () => undefined };
  const conversation = { session: fixture.session, agent, asides, turns };
  return { file, replacements, makeRoom: createRoomMaker({ ...fixture.deps, ...change }, conversation) };
}

const readTold = async (fixture: Fixture) =>
  (await fixture.readEvents()).filter(({ kind }) => kind === 'attachment.set_aside').map(({ data }) => data);

it('what is set aside is kept and logged before the request may go, once for requests at the same time [BX-33]', async () => {
  const fixture = await openFixture();
  const { file, replacements, makeRoom } = await openRoom(fixture);
  await Promise.all([makeRoom(request), makeRoom(request)]);
  expect([...replacements().keys()]).toEqual(digests.slice(0, 3));
  const agentId = idFromUuid('agent', fixture.agentId);
  expect(await readTold(fixture)).toEqual([{ attachmentId: file, agentId, reason: 'too_many_images' }]);
  await prepareTask(fixture);
  const kept = (await readNextDelivery(fixture.deps.db, fixture))?.quarantined;
  expect(kept?.map(({ wireSha256, occurrences }) => [wireSha256, occurrences])).toEqual(
    digests.slice(0, 3).map((digest) => [digest, 1]),
  );
  expect(kept?.[0]).toMatchObject({ attachmentId: file, code: 'too_many_images' });
});

it('no picture is set aside that could not be kept: the request does not go, and the next one tries again [BX-33]', async () => {
  const fixture = await openFixture();
  const asOwner = () => Promise.reject(new Error('the database said no'));
  const broken = await openRoom(fixture, { ownership: { ...fixture.deps.ownership, asOwner } });
  for (let count = 0; count < 2; count += 1) {
    await expect(broken.makeRoom(request)).rejects.toThrow('the database said no');
    expect(broken.replacements().size).toBe(0);
  }
  expect(await readTold(fixture)).toEqual([]);
});

it('nobody is asked where a request is within its limits', async () => {
  const fixture = await openFixture();
  const { makeRoom } = await openRoom(fixture);
  fixture.takeRoundTrips();
  await makeRoom({ ...request, blocks: request.blocks.slice(1) });
  expect(fixture.takeRoundTrips()).toBe(0);
});
