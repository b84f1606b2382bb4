import { beforeAll, describe, expect, it } from 'vitest';
import type { Driven, Suite } from '../driven.ts';
import { makeNote, type SampleFile, samples } from '../files.ts';
import { checkRows, composeRows } from '../page/compatibility-page.ts';
import { type Cell, describeCell, type Matrix } from '../page/matrix.ts';
import { openPlace, type Place, takeTurn, uploadSample } from '../take-turn.ts';

/** Sends one file and returns what the plan made of it, what the receipt says was sent, and what the model's API got. */
async function send({ stack }: Driven, place: Place, file: SampleFile): Promise<Cell> {
  const attachment = await uploadSample(stack.api, place, file);
  const before = stack.stub.requests.length;
  const sent = await takeTurn(stack.api, place, `What is in ${file.kind}?`, [attachment.id]);
  if (sent.status === 'blocked') return { status: 'blocked', codes: sent.codes };
  const asked = stack.stub.requests.slice(before).filter(({ isSide }) => !isSide);
  const { status, failure, receipt } = sent.delivery;
  expect(status, `${file.kind}: ${JSON.stringify(failure)}`).toBe('responded');
  return {
    status: 'delivered',
    items: receipt?.items ?? [],
    arrived: asked.flatMap(({ newAttachments }) => newAttachments),
    texts: asked.flatMap(({ texts }) => texts),
  };
}

/** Every kind of file, to a model that takes everything and to one that takes only text: one agent for each. */
export const describeCells: Suite = (runtime, use) => {
  const matrix: Matrix = new Map();
  const abilities = [
    { ability: 'everything', profile: runtime.key },
    { ability: 'text', profile: `${runtime.key}-text` },
  ];

  describe.each(abilities)(
    `${runtime.key} ${runtime.installed.version} with a model that takes $ability`,
    ({ ability, profile }) => {
      let place: Place;
      beforeAll(async () => {
        const driven = use();
        place = ability === 'text' ? await openPlace(driven.stack.api, profile, runtime.model) : driven.place;
      });

      it.each(samples)(
        '$kind arrives as the receipt says, or is refused before the send [DL-36 DL-65 DL-103 BX-03 BX-19 BX-23]',
        async (file) => {
          const cell = await send(use(), place, file);
          matrix.set(`${profile} ${file.kind}`, describeCell(cell));
          if (cell.status === 'blocked') return expect(cell.codes).not.toHaveLength(0);
          // A file that the agent may read by tool is announced, and nothing of it is sent until a tool is called.
          if (cell.items.some(({ form }) => form === 'tool')) {
            expect(cell.items).toStrictEqual([expect.objectContaining({ form: 'tool', verdict: 'unknown' })]);
            expect(cell.arrived).toEqual([]);
            return expect(cell.texts.join('\n')).not.toContain(file.word);
          }
          // Text is sent as text; everything else byte for byte.
          const sentDigests = cell.items.filter(({ form }) => form !== 'text').map(({ sha256 }) => sha256);
          expect(cell.arrived.map(({ sha256 }) => sha256)).toEqual(sentDigests);
          if (sentDigests.length === 0) expect(cell.texts.join('\n')).toContain(file.word);
          const shown = cell.items.map(({ verdict, proof, wire }) => ({ verdict, proof, left: wire?.sha256 }));
          expect(shown).toEqual(
            cell.items.map(({ sha256 }) => ({ verdict: 'delivered', proof: 'wire', left: sha256 })),
          );
        },
      );
    },
  );

  it(`several files in one message all arrive, in their order, at ${runtime.key} [AT-27 DL-02 DL-03 DL-56 DL-91]`, async () => {
    const { stack, place } = use();
    const carried = samples.filter(({ kind }) => matrix.get(`${runtime.key} ${kind}`)?.startsWith('native'));
    expect(carried.length).toBeGreaterThan(1);
    const note = makeNote('periwinkle');
    const ids = [];
    for (const file of [...carried, note]) ids.push((await uploadSample(stack.api, place, file)).id);
    const before = stack.stub.requests.length;
    const sent = await takeTurn(stack.api, place, 'Compare these.', ids);
    expect(sent).toMatchObject({ status: 'delivered', delivery: { status: 'responded' } });
    const [asked] = stack.stub.requests.slice(before).filter(({ isSide }) => !isSide);
    const arrived = asked?.newAttachments.map(({ sha256 }) => sha256);
    expect(arrived).toEqual(carried.map(({ sha256 }) => sha256));
    const said = asked?.texts.join('\n') ?? '';
    expect(said).toContain(note.word);
    // Each is announced by one marker, whatever its file is called.
    for (const id of ids) expect(said.split(`[attachment id=${id} `)).toHaveLength(2);
  });

  it(`what arrived at ${runtime.key} is what docs/compatibility.md says [DL-100]`, async () => {
    expect(await checkRows(runtime.key, composeRows(runtime, samples, matrix))).toBeUndefined();
  });
};
