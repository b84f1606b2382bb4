import { beforeAll, describe, expect, it } from 'vitest';
import { type Driven, listen, type Suite } from '../driven.ts';
import { checkRows } from '../page/compatibility-page.ts';
import { composeSizeRows } from '../page/sized-page.ts';
import { describeSized, type SizedCell } from '../sizes/sized-cell.ts';
import { type MadeFile, makeFile, type SizedFile, sizedFiles } from '../sizes/sized-files.ts';
import { openPlace, type Place, takeTurn, uploadSample } from '../take-turn.ts';

/** Which ninth of the sizes is sent; all of them without it. */
const part = process.env.ATTACHE_TEST_SIZES;
const chosenFiles = sizedFiles.filter((_, index) => part === undefined || index % 9 === Number(part) % 9);

// A conversation goes to the model whole with every turn: beyond this size, a turn would wait for its history alone.
const MOST_HELD_BYTES = 12_000_000;

/** The agent that carries the cells; another one takes its place before its conversation is so long that the turns wait for it. */
type Carrier = { place: Place; heldBytes: number };

async function sendSized({ stack }: Driven, carrier: Carrier, file: MadeFile): Promise<SizedCell> {
  const attachment = await uploadSample(stack.api, carrier.place, { ...file, kind: file.row, word: '' });
  const before = stack.stub.requests.length;
  const sent = await takeTurn(stack.api, carrier.place, 'What is in it?', [attachment.id]);
  if (sent.status === 'blocked') return sent;
  const asked = stack.stub.requests.slice(before).filter(({ isSide }) => !isSide);
  carrier.heldBytes += asked.at(-1)?.newAttachments.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) ?? 0;
  const { status, failure, receipt, plan } = sent.delivery;
  expect(status, `${file.name}: ${JSON.stringify(failure)}`).toBe('responded');
  return {
    status: 'delivered',
    items: receipt?.items ?? [],
    becomes: plan.items[0]?.becomes ?? 'blocked',
    arrived: asked.flatMap(({ newAttachments }) => newAttachments),
    texts: asked.flatMap(({ texts }) => texts),
  };
}

/** Holds a receipt against what the model's API got, item by item. */
function expectAsReceipted(
  { items, becomes, arrived, texts }: Extract<SizedCell, { status: 'delivered' }>,
  file: MadeFile,
) {
  expect(items.map(({ form }) => form)).toEqual(items.map(() => becomes));
  const sentAsFiles = items.filter(({ form }) => form !== 'text' && form !== 'tool');
  expect(arrived.map(({ sha256 }) => sha256)).toEqual(sentAsFiles.map(({ sha256 }) => sha256));
  expect(arrived.map(({ sizeBytes }) => sizeBytes)).toEqual(sentAsFiles.map(({ sizeBytes }) => sizeBytes));
  if (becomes === 'native') expect(items.map(({ sha256 }) => sha256)).toEqual([file.sha256]);
  if (becomes === 'text' && file.type === 'text/plain')
    expect(texts.join('\n').includes(file.bytes.toString())).toBe(true);
  const verdict = becomes === 'tool' ? 'unknown' : 'delivered';
  expect(items.map((item) => item.verdict)).toEqual(items.map(() => verdict));
  if (becomes === 'tool') return;
  const left = items.map(({ sha256, sizeBytes }) => ({ proof: 'wire', wire: { sha256, sizeBytes, altered: false } }));
  expect(items.map(({ proof, wire }) => ({ proof, wire }))).toEqual(left);
}

/** Files of sizes around every limit that is known of a program: none arrives other than its receipt says. */
export const describeSizes: Suite = (runtime, use) => {
  const matrix = new Map<string, string>();
  describe(`files of many sizes, by ${runtime.key}`, () => {
    let carrier: Carrier | undefined;
    beforeAll(() => listen(use(), runtime.model));

    async function carry(sized: SizedFile): Promise<void> {
      const driven = use();
      const isFull = carrier === undefined || carrier.heldBytes > MOST_HELD_BYTES;
      if (isFull) carrier = { place: await openPlace(driven.stack.api, runtime.key, runtime.model), heldBytes: 0 };
      const file = await makeFile(sized);
      const cell = await sendSized(driven, carrier as Carrier, file);
      matrix.set(`${sized.row} ${sized.column}`, describeSized(cell, file));
      if (cell.status === 'blocked') return expect(cell.codes).not.toHaveLength(0);
      expectAsReceipted(cell, file);
    }

    it.each(chosenFiles)('$row, $column, arrives as the receipt says [BX-03 BX-19 BX-23 DL-36 DL-103]', carry);
  });

  // A row covers all sizes.
  if (part !== undefined) return;
  it(`what arrived of many sizes at ${runtime.key} is what docs/compatibility.md says [DL-100]`, async () => {
    expect(await checkRows(runtime.key, composeSizeRows(runtime, matrix), 'sizes')).toBeUndefined();
  });
};
