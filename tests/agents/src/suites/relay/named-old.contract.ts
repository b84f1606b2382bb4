import type { Attachment, Delivery } from '@attache/contracts';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Driven, digestsOf, eventsOf, type Suite } from '../../driven.ts';
import { paintNoise, type SampleFile } from '../../files.ts';
import type { ModelRequest } from '../../stub/model-request.ts';
import { converse, openPlace, type Place, uploadSample } from '../../take-turn.ts';
import { refusalsOf } from './refuse-picture.ts';

type Fixture = {
  place: Place;
  old: SampleFile;
  newer: SampleFile;
  oldFile: Attachment;
  /** The turn that brought the newer picture. */
  turn: Delivery;
  /** The requests from that turn on. */
  asked: ModelRequest[];
};

/** A picture that the model took, and refuses by its place once a newer one comes with it. */
export const describeNamedOld: Suite = (runtime, use) => {
  describe(`an old picture that is refused by its place while a newer one comes, ${runtime.key}`, () => {
    let fixture: Fixture;
    beforeAll(async () => {
      fixture = await converseAbout(use(), runtime);
    });

    it('goes out as a text within the turn, and the program sees no refusal: it drops nothing [BX-02]', () => {
      const { asked, old, newer } = fixture;
      const both = asked.filter((request) => digestsOf(request).includes(old.sha256));
      expect(both).toHaveLength(1);
      for (const request of asked) expect(digestsOf(request)).toContain(newer.sha256);
      expect(asked.length).toBeGreaterThan(2);
    });

    it('leaves the newer one delivered, by proof of the wire [BX-02 BX-23]', () => {
      expect(fixture.turn).toMatchObject({
        receipt: { items: [{ verdict: 'delivered', proof: 'wire', wire: { sha256: fixture.newer.sha256 } }] },
      });
    });

    it('is in quarantine alone, and the log says so once [BX-02]', async () => {
      const events = await eventsOf(use(), fixture.place, 'attachment.quarantined');
      expect(events.map(({ data }) => data)).toMatchObject([
        { attachmentId: fixture.oldFile.id, wireSha256: fixture.old.sha256 },
      ]);
    });
  });
};

async function converseAbout({ stack, place: { agent } }: Driven, runtime: Parameters<Suite>[0]): Promise<Fixture> {
  const { api, stub } = stack;
  const place = await openPlace(api, agent.target.profile, agent.target.model);
  const [old, newer] = [await paintNoise(), await paintNoise()];
  const asked: ModelRequest[] = [];
  const [byPlace] = refusalsOf[runtime.api];
  stub.script((request, _, body) => {
    if (request.model !== runtime.model) return { text: 'ok' };
    const digests = digestsOf(request);
    if (digests.includes(newer.sha256)) asked.push(request);
    const isRefused = digests.includes(old.sha256) && digests.includes(newer.sha256);
    return (isRefused && byPlace?.compose(runtime.api, body, old.sha256)) || { text: 'fine' };
  });
  const oldFile = await uploadSample(api, place, old);
  await converse(api, place, 'Look at this one.', [oldFile.id]);
  const newerFile = await uploadSample(api, place, newer);
  const turn = await converse(api, place, 'And at this one.', [newerFile.id]);
  stub.script((request) => {
    if (request.model === runtime.model) asked.push(request);
    return { text: 'fine' };
  });
  await converse(api, place, 'And now?');
  return { place, old, newer, oldFile, turn, asked };
}
