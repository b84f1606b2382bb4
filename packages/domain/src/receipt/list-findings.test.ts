import type { ReceiptItem } from '@attache/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { trialCatalog } from '../__fixtures__/trial-catalog.ts';
import type { TransportRow } from '../catalog/catalog-row.ts';
import { type JudgedItem, listFindings } from './list-findings.ts';

const [row] = trialCatalog.transports as [TransportRow];
const alters = { source: 'static', date: '2026-11-21', note: 'it was seen to make each picture smaller' } as const;
const altering = { kinds: { ...row.kinds, image: { ...row.kinds.image, alters } } };
const wire = (altered: boolean) => ({ sha256: 'a'.repeat(64), sizeBytes: 1, altered });
const item = (given: Partial<JudgedItem>): JudgedItem => ({
  ...{ kind: 'image', form: 'native', verdict: 'delivered', proof: 'wire', wire: wire(false) },
  ...given,
});
const dropped = item({ verdict: 'dropped', wire: undefined });
const altered = item({ wire: wire(true) });

describe('what a turn shows against its row', () => {
  it.each<[string, JudgedItem[], unknown[]]>([
    ['one that left as it is', [item({})], []],
    ['one that was left out', [dropped], [{ kind: 'image', finding: 'dropped' }]],
    ['one that left as other bytes', [altered], [{ kind: 'image', finding: 'altered' }]],
    ['of one kind both', [altered, dropped, altered], [{ kind: 'image', finding: 'dropped' }]],
    ['pages of a document', [{ ...dropped, kind: 'document', form: 'pages' }], [{ kind: 'image', finding: 'dropped' }]],
    ['a document', [{ ...dropped, kind: 'document' }], [{ kind: 'document', finding: 'dropped' }]],
    [
      'two kinds',
      [{ ...dropped, kind: 'audio' }, altered],
      [
        { kind: 'audio', finding: 'dropped' },
        { kind: 'image', finding: 'altered' },
      ],
    ],
    [
      'what nothing on the wire shows',
      [
        { ...dropped, proof: 'its answer' },
        { ...dropped, proof: undefined },
      ],
      [],
    ],
    [
      'what was refused, or is not known',
      [{ ...altered, verdict: 'refused' }, item({ verdict: 'unknown', wire: undefined })],
      [],
    ],
    ['what no kind is carried of', [{ ...dropped, kind: 'unsupported' }], []],
  ])('%s [DL-58 BX-23]', (_, items, findings) => {
    expect(listFindings(items, row)).toEqual(findings);
  });

  it('nothing where the row says that the program makes other bytes of it; but it may not leave it out [DL-100]', () => {
    expect(listFindings([altered], altering)).toEqual([]);
    expect(listFindings([altered, dropped], altering)).toEqual([{ kind: 'image', finding: 'dropped' }]);
  });

  it('is of any receipt at most one for each kind, and none without an item that shows it', () => {
    const anyItem = fc.record({
      kind: fc.constantFrom('image', 'document', 'text', 'audio', 'video', 'unsupported'),
      form: fc.constantFrom('native', 'variant', 'pages', 'text', 'tool', 'descriptor'),
      verdict: fc.constantFrom('delivered', 'refused', 'dropped', 'unknown'),
      proof: fc.constantFrom('wire', 'its answer', undefined),
      wire: fc.constantFrom(wire(true), wire(false), undefined),
    }) as fc.Arbitrary<JudgedItem>;
    fc.assert(
      fc.property(fc.array(anyItem), (items) => {
        const findings = listFindings(items, row);
        expect(new Set(findings.map(({ kind }) => kind)).size).toBe(findings.length);
        const shows = ({ verdict, proof, wire: left }: Pick<ReceiptItem, 'verdict' | 'proof' | 'wire'>) =>
          proof === 'wire' && (verdict === 'dropped' || (verdict === 'delivered' && left?.altered === true));
        expect(findings.length > 0).toBe(
          items.some((each) => shows(each) && (each.kind !== 'unsupported' || ['pages', 'text'].includes(each.form))),
        );
        expect(
          listFindings(
            items.filter((each) => !shows(each)),
            row,
          ),
        ).toEqual([]);
        expect(listFindings([...items, ...items], row)).toEqual(findings);
      }),
    );
  });
});
