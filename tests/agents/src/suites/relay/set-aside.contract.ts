import type { Attachment } from '@attache/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Driven, eventsOf, type Suite } from '../../driven.ts';
import { paintNoise, type SampleFile } from '../../files.ts';
import type { ModelReply } from '../../stub/model-stub.ts';
import { openPlace, type Place, takeTurn, uploadSample } from '../../take-turn.ts';

/** The long tests hold the whole conversation. */
const { pictures: PICTURES, max: MAX_IMAGES } =
  process.env.ATTACHE_TEST_AMOUNT === 'few' ? { pictures: 12, max: 4 } : { pictures: 60, max: 20 };

/** A request to the model: its pictures, and the texts in the places of others. */
type Asked = { pictures: string[]; texts: string[] };
type Sent = { file: Attachment; sample: SampleFile };

type Fixture = { place: Place; sent: Sent[]; statuses: string[]; asked: Asked[]; next: ModelReply[] };

/** A conversation with more pictures than its model takes, which refuses a request that holds more. */
export const describeSetAside: Suite = (runtime, use) => {
  describe(`more pictures than a model takes, ${runtime.key}`, () => {
    let fixture: Fixture;
    const pathOf = () =>
      `/capability-overrides/${use().place.agent.target.profile}/${encodeURIComponent(runtime.model)}`;
    beforeAll(async () => {
      const body = { capability: { image: true, limits: { maxImages: MAX_IMAGES } }, reason: 'a small model' };
      expect(await use().stack.api.call('PUT', pathOf(), { body })).toMatchObject({ status: 200 });
      fixture = await openFixture(use(), runtime.model);
      for (let count = 1; count <= PICTURES; count += 1) await sendPicture(use(), fixture, `Picture ${count}.`);
    });
    afterAll(() => use().stack.api.call('DELETE', pathOf()));

    it('are taken one after another, each seen once it is sent [BX-33]', () => {
      const { statuses, asked, sent } = fixture;
      expect(statuses).toEqual(Array(PICTURES).fill('responded'));
      for (const { pictures } of asked) expect(pictures.length).toBeLessThanOrEqual(MAX_IMAGES);
      const seen = new Set(asked.flatMap(({ pictures }) => pictures));
      expect(sent.filter(({ sample }) => !seen.has(sample.sha256))).toEqual([]);
    });

    it('have texts in their places, the same bytes each time they are sent again, and change once in many turns [BX-33 BX-04]', () => {
      const { asked } = fixture;
      const changes = asked.filter(({ texts }, index) => texts.length !== (asked[index - 1]?.texts ?? []).length);
      for (const [index, { texts }] of asked.entries())
        expect(texts.slice(0, asked[index - 1]?.texts.length ?? 0)).toEqual(asked[index - 1]?.texts ?? []);
      expect(changes.length).toBeGreaterThan(0);
      expect(changes.length).toBeLessThanOrEqual(Math.ceil(PICTURES / (MAX_IMAGES / 2)));
    });

    it('are named by the log, the oldest first [BX-33]', async () => {
      const told = await eventsOf(use(), fixture.place, 'attachment.set_aside');
      const ids = fixture.sent.map(({ file }) => file.id);
      expect(told.map(({ data }) => data.attachmentId)).toEqual(ids.slice(0, told.length));
      expect(told.length).toBe(fixture.asked.at(-1)?.texts.length);
    });

    it('are shown again by resource_view, while the text stays [BX-33]', async () => {
      const [first] = fixture.sent;
      const input = { attachmentId: first?.file.id };
      fixture.next.push({ toolCalls: [{ name: runtime.nameOwnTool('resource_view'), input }] });
      const before = fixture.asked.at(-1)?.texts ?? [];
      const turn = await takeTurn(use().stack.api, fixture.place, 'Look at the first one again.');
      expect(turn).toMatchObject({ delivery: { status: 'responded' } });
      const last = fixture.asked.at(-1);
      expect(last?.pictures).toContain(first?.sample.sha256);
      expect(last?.texts).toEqual(before);
    });
  });
};

async function openFixture({ stack, place: { agent } }: Driven, model: string): Promise<Fixture> {
  const place = await openPlace(stack.api, agent.target.profile, agent.target.model);
  const fixture: Fixture = { place, sent: [], statuses: [], asked: [], next: [] };
  stack.stub.script((request, _, body) => {
    if (request.model !== model) return { text: 'ok' };
    const pictures = request.attachments.map(({ sha256 }) => sha256);
    const texts = JSON.stringify(body).match(/\[attachment id=\S+ was set aside: [^\]]*\]/g) ?? [];
    if (pictures.length > MAX_IMAGES) return { status: 400, error: { message: 'Too many images' } };
    fixture.asked.push({ pictures, texts });
    return fixture.next.shift() ?? { text: 'seen' };
  });
  return fixture;
}

async function sendPicture({ stack: { api } }: Driven, { place, sent, statuses }: Fixture, text: string) {
  const sample = await paintNoise();
  const file = await uploadSample(api, place, sample);
  sent.push({ file, sample });
  const turn = await takeTurn(api, place, text, [file.id]);
  statuses.push(turn.status === 'delivered' ? turn.delivery.status : turn.codes.join());
}
