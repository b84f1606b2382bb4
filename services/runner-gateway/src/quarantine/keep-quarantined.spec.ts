import { idFromUuid } from '@attache/contracts';
import { type QuarantinedPart, readNextDelivery } from '@attache/database';
import { createAttachment } from '@attache/database/contract';
import { expect, it } from 'vitest';
import { type Fixture, openFixture, prepareTask, readAgent } from '../__fixtures__/open-fixture.ts';
import { keepQuarantined } from './keep-quarantined.ts';

const strange: QuarantinedPart = { wireSha256: 'b'.repeat(64), code: 'file_refused', isGroup: true };

async function partOf(fixture: Fixture): Promise<QuarantinedPart> {
  const { attachmentId } = await createAttachment(fixture.deps.db, fixture);
  return { ...strange, wireSha256: 'a'.repeat(64), attachmentId: idFromUuid('attachment', attachmentId) };
}

/** Keeps these parts; answers which of them count as kept. */
async function keep(fixture: Fixture, parts: readonly QuarantinedPart[], change: Partial<Fixture['deps']> = {}) {
  const kept: QuarantinedPart[] = [];
  const quarantine = { listUnkept: () => parts, noteKept: (these: readonly QuarantinedPart[]) => kept.push(...these) };
  const owner = { session: fixture.session, agent: await readAgent(fixture) };
  await keepQuarantined({ ...fixture.deps, ...change }, owner, quarantine);
  return kept;
}

const readKept = async (fixture: Fixture) => {
  await prepareTask(fixture);
  return (await readNextDelivery(fixture.deps.db, fixture))?.quarantined;
};
const readTold = async (fixture: Fixture) =>
  (await fixture.readEvents()).filter(({ kind }) => kind === 'attachment.quarantined').map(({ data }) => data);

it('records what a model refused for the next process of the agent, and says so of each attachment [BX-02]', async () => {
  const fixture = await openFixture();
  const ours = await partOf(fixture);
  expect(await keep(fixture, [ours, strange])).toEqual([ours, strange]);
  expect(await readKept(fixture)).toEqual([ours, strange]);
  expect(await readTold(fixture)).toMatchObject([
    { attachmentId: ours.attachmentId, wireSha256: ours.wireSha256, code: 'file_refused', group: true },
  ]);
});

it('waits for the database no more than once, and not at all where nothing was refused', async () => {
  const fixture = await openFixture();
  const agent = await readAgent(fixture);
  fixture.takeRoundTrips();
  await keepQuarantined(
    fixture.deps,
    { session: fixture.session, agent },
    { listUnkept: () => [], noteKept: () => undefined },
  );
  expect(fixture.takeRoundTrips()).toBe(0);
});

it('leaves what could not be recorded for the next time, and does not fail the delivery', async () => {
  const fixture = await openFixture();
  const asOwner = () => Promise.reject(new Error('the database said no'));
  const ownership = { ...fixture.deps.ownership, asOwner };
  expect(await keep(fixture, [strange], { ownership })).toEqual([]);
  expect(await keep(fixture, [strange])).toEqual([strange]);
});
