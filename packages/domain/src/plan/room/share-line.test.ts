import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shareLine } from './share-line.ts';
import { base64Bytes } from './transport-size.ts';

const need = (nativeBytes: number | undefined, neededBytes = 10_000_000) => ({
  bytes: base64Bytes(nativeBytes ?? neededBytes),
  isWhole: nativeBytes !== undefined,
});

describe('shareLine', () => {
  it('gives every original its room where all fit', () => {
    expect(shareLine(1_000_000, [need(300_000), need(3), need(30_000)])).toEqual([400_000, 4, 40_000]);
  });

  it('keeps small originals and lets the large one give way [DL-72]', () => {
    expect(shareLine(2_000_000, [need(3_000_000), need(300_000)])).toEqual([1_600_000, 400_000]);
  });

  it('leaves a comfortable share to an image that must be converted', () => {
    const [native, variant] = shareLine(5_000_000, [need(3_300_000), need(undefined)]);
    expect(native).toBeLessThan(base64Bytes(3_300_000));
    expect(variant).toBeGreaterThanOrEqual(base64Bytes(512 * 1024));
  });

  it('gives what a small image leaves to the large ones', () => {
    expect(shareLine(900, [need(undefined, 75), need(undefined), need(undefined)])).toEqual([100, 400, 400]);
  });

  it('gives nothing where nothing is left', () => {
    expect(shareLine(-5, [need(10), need(undefined)])).toEqual([0, 0]);
  });

  it('never gives more than there is, nor more than is asked for [DL-72]', () => {
    const demands = fc.array(
      fc.tuple(
        fc.option(fc.integer({ min: 1, max: 5_000_000 }), { nil: undefined }),
        fc.integer({ min: 1, max: 5_000_000 }),
      ),
    );
    fc.assert(
      fc.property(fc.nat({ max: 20_000_000 }), demands, (lineBytes, asked) => {
        const all = asked.map(([native, needed]) => need(native, needed));
        const grants = shareLine(lineBytes, all);
        expect(grants.reduce((sum, grant) => sum + grant, 0)).toBeLessThanOrEqual(lineBytes);
        for (const [index, one] of all.entries()) {
          expect(grants[index]).toBeLessThanOrEqual(one.bytes);
        }
      }),
      { numRuns: 150 },
    );
  });
});
