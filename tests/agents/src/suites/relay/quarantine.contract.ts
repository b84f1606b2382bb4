import type { Attachment, Delivery, ReceiptItem } from '@attache/contracts';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Driven, eventsOf, type Suite } from '../../driven.ts';
import { jpeg, paintNoise, type SampleFile } from '../../files.ts';
import { checkRows } from '../../page/compatibility-page.ts';
import { composeWireRow, type SeenOnWire } from '../../page/wire-row.ts';
import { openPlace, type Place, takeTurn, uploadSample } from '../../take-turn.ts';
import { type PictureRefusal, refusalsOf } from './refuse-picture.ts';

/** Nobody names it: it takes two refusals in a row before anything is taken out. */
const MOST_FAILED_TURNS = 3;

/** The long tests try every way of a refusal. */
const isShort = process.env.ATTACHE_TEST_AMOUNT === 'few';

type Fixture = {
  place: Place;
  bad: SampleFile;
  file: Attachment;
  /** The status of each later turn, beginning with the one that brought the file first. */
  statuses: string[];
  first: Delivery;
  /** The bytes of the text in its place, of each request. */
  texts: string[];
  /** Whether the model takes it by now. */
  isTaken: boolean;
  lastDigests: string[];
  /** The receipt's item for the picture that it takes. */
  taken: ReceiptItem | undefined;
};

/** A picture that the model refuses in every request that holds it, after one that it takes. */
export const describeQuarantine: Suite = (runtime, use) => {
  const seen: SeenOnWire = { taken: undefined, failedTurns: new Map(), isSentAgain: false };
  const ways = isShort ? refusalsOf[runtime.api].slice(0, 1) : refusalsOf[runtime.api];
  describe.each(ways)(`a picture that is refused $name, ${runtime.key}`, (refusal) => {
    let fixture: Fixture;
    beforeAll(async () => {
      fixture = await openFixture(use(), runtime, refusal);
      await converseAfter(use(), fixture);
      seen.taken ??= fixture.taken;
      // One that is named stays in the program's memory, whatever the program does by itself: it sees no refusal.
      if (refusal.says !== 'which') seen.isSentAgain ||= fixture.texts.length > 0;
      seen.failedTurns.set(refusal.name, fixture.statuses.filter((status) => status === 'failed').length);
    });

    it('spoils no later turn: the conversation is usable again, with all else that it held [BX-01 BX-02 DL-57 DL-58]', () => {
      expect(fixture.statuses.slice(-2)).toEqual(['responded', 'responded']);
      expect(fixture.lastDigests).toContain(jpeg.sha256);
      expect(fixture.lastDigests).not.toContain(fixture.bad.sha256);
    });

    it('is a text in its place, of the same bytes in every request [BX-02 BX-04]', () => {
      if (runtime.refusedPicture === 'resent' || refusal.says === 'which')
        expect(fixture.texts.length).toBeGreaterThan(1);
      expect(new Set(fixture.texts).size).toBeLessThan(2);
    });

    if (runtime.refusedPicture === 'taken-out' || refusal.says === 'which')
      it('was taken out in its turn, by the relay or the program: its receipt says refused, and why [DL-36 DL-58 BX-03 SR-20]', async () => {
        expect(fixture.first).toMatchObject({ status: 'responded', receipt: { items: [{ verdict: 'refused' }] } });
        const responded = await eventsOf(use(), fixture.place, 'delivery.responded');
        expect(responded.at(1)?.data.diagnostic).toMatchObject({
          ...{ code: 'attachment_provider_rejected', severity: 'warning' },
          diagnostic: expect.stringContaining('status 400'),
        });
      });

    // One 400 of which nothing is known takes nothing out, and a program that drops the picture gets no second one in a row.
    if (refusal.says === 'nothing' && runtime.refusedPicture !== 'resent') describeUnlearned(use, () => fixture);
    else describeLearned(use, () => fixture, refusal);
  });

  if (isShort) return;
  it(`what left for the model of ${runtime.key}, and what a refused picture cost, is what docs/compatibility.md says [DL-100 BX-23]`, async () => {
    expect(await checkRows(runtime.key, [composeWireRow(runtime, seen)], 'wire')).toBeUndefined();
  });
};

function describeUnlearned(use: () => Driven, fixture: () => Fixture): void {
  it('is in no quarantine: nobody said that it was the picture, and the program left it out [BX-02]', async () => {
    expect(await eventsOf(use(), fixture().place, 'attachment.quarantined')).toEqual([]);
  });
}

function describeLearned(use: () => Driven, useFixture: () => Fixture, { says }: PictureRefusal): void {
  it('goes to that model as its marker alone from then on, and the log says so once [BX-02]', async () => {
    const { api } = use().stack;
    const { place, file, bad } = useFixture();
    // If the program left out the whole turn, the model has not been asked without the file yet.
    await takeTurn(api, place, 'Once more.', [file.id]);
    const planned = await takeTurn(api, place, 'And again.', [file.id]);
    expect(planned).toMatchObject({
      delivery: { status: 'responded', plan: { items: [{ becomes: 'descriptor', reason: 'quarantined' }] } },
    });
    const events = await eventsOf(use(), place, 'attachment.quarantined');
    expect(events.map(({ data }) => data)).toMatchObject([
      {
        ...{ attachmentId: file.id, agentId: place.agent.id, target: place.agent.target },
        ...{ code: expect.stringMatching(/^[a-z0-9_]+$/), wireSha256: bad.sha256 },
      },
    ]);
    expect(events[0]?.data.group).toBe(says === 'which' ? undefined : true);
  });

  it('comes back by a DELETE, to a model that takes it by now [BX-02]', async () => {
    const { api } = use().stack;
    const fixture = useFixture();
    const { place, file, bad } = fixture;
    fixture.isTaken = true;
    const path = `/sessions/${place.session.id}/attachments/${file.id}/quarantine`;
    expect((await api.call('DELETE', path)).status).toBe(204);
    const sent = await takeTurn(api, place, 'Look at it now.', [file.id]);
    expect(sent).toMatchObject({
      delivery: { status: 'responded', receipt: { items: [{ verdict: 'delivered', proof: 'wire' }] } },
    });
    expect(fixture.lastDigests).toContain(bad.sha256);
    expect(await eventsOf(use(), place, 'attachment.quarantine_ended')).toHaveLength(1);
  });
}

async function openFixture(driven: Driven, runtime: Parameters<Suite>[0], refusal: PictureRefusal): Promise<Fixture> {
  const { api, stub } = driven.stack;
  const { profile, model } = driven.place.agent.target;
  const place = await openPlace(api, profile, model);
  const bad = await paintNoise();
  const texts: string[] = [];
  const fixture = { place, bad, texts, statuses: [], isTaken: false, lastDigests: [] } as unknown as Fixture;
  stub.script((request, _, body) => {
    if (request.model !== runtime.model) return { text: 'ok' };
    fixture.lastDigests = request.attachments.map(({ sha256 }) => sha256);
    texts.push(...(JSON.stringify(body).match(/\[attachment id=[^\]]*was refused by the model[^\]]*\]/g) ?? []));
    const isRefused = !fixture.isTaken && fixture.lastDigests.includes(bad.sha256);
    return isRefused ? refusal.compose(runtime.api, body, bad.sha256) : { text: 'fine' };
  });
  const good = await uploadSample(api, place, jpeg);
  const taken = await takeTurn(api, place, 'Look at this one.', [good.id]);
  expect(taken).toMatchObject({ delivery: { status: 'responded' } });
  if (taken.status === 'delivered') fixture.taken = taken.delivery.receipt?.items[0];
  fixture.file = await uploadSample(api, place, bad);
  return fixture;
}

/** Until two turns in a row are answered. */
async function converseAfter({ stack: { api } }: Driven, fixture: Fixture): Promise<void> {
  const { place, file, statuses } = fixture;
  for (let turn = 0; turn < MOST_FAILED_TURNS + 3; turn += 1) {
    const sent = await takeTurn(api, place, `Turn ${turn}.`, turn === 0 ? [file.id] : []);
    if (sent.status === 'blocked') throw new Error(sent.codes.join());
    fixture.first ??= sent.delivery;
    statuses.push(sent.delivery.status);
    if (turn > 1 && statuses.slice(-2).every((status) => status === 'responded')) return;
  }
}
