import { describe, expect, it } from 'vitest';
import { trialCatalog } from '../__fixtures__/trial-catalog.ts';
import type { ModelRow, TransportRow } from './catalog-row.ts';
import { checkCatalog } from './check-catalog.ts';

const transport = trialCatalog.transports.at(-1) as TransportRow;
const [model] = trialCatalog.models as [ModelRow];

describe('checkCatalog', () => {
  const faultsOf = (rows: { transports?: TransportRow[]; models?: ModelRow[] }) =>
    checkCatalog({ version: '1', transports: [], models: [], ...rows });
  const broken = (row: object) => ({ ...transport, ...row }) as TransportRow;

  it.each([
    ['no evidence', broken({ evidence: undefined }), 'no evidence'],
    ['evidence of a word', broken({ evidence: { source: 'static', date: '2026-11-21', note: 'yes' } }), 'no evidence'],
    ['evidence without a date', broken({ evidence: { ...transport.evidence, date: undefined } }), 'no date'],
    ['evidence without a source', broken({ evidence: { ...transport.evidence, source: 'unknown' } }), 'no source'],
    ['a kind left out', broken({ kinds: { ...transport.kinds, audio: undefined } }), 'nothing of audio'],
    [
      'a fourth value',
      broken({ kinds: { ...transport.kinds, audio: { carried: 'perhaps' } } }),
      'neither yes, no nor unknown',
    ],
    [
      'a limit of nothing',
      broken({ kinds: { ...transport.kinds, image: { carried: 'yes', maxCount: 0 } } }),
      'maxCount of image',
    ],
    [
      'a type that is none',
      broken({ kinds: { ...transport.kinds, image: { carried: 'yes', mimeTypes: ['PNG'] } } }),
      'no media type',
    ],
    [
      'no type at all',
      broken({ kinds: { ...transport.kinds, image: { carried: 'yes', mimeTypes: [] } } }),
      'no media type at all',
    ],
    [
      'limits on a no',
      broken({ kinds: { ...transport.kinds, image: { carried: 'no', maxCount: 1 } } }),
      'is "no" and has limits',
    ],
    [
      'altering without evidence',
      broken({
        kinds: { ...transport.kinds, image: { carried: 'yes', alters: { source: 'static', note: 'so it is' } } },
      }),
      'altering image: it has no evidence',
    ],
    [
      'altering what is no picture',
      broken({ kinds: { ...transport.kinds, text: { carried: 'yes', alters: transport.evidence } } }),
      'alters text',
    ],
  ])('names a row with %s [DL-100]', (_, row, fault) => {
    const faults = faultsOf({ transports: [row] });
    expect(faults.join('\n')).toContain(fault);
    expect(faults[0]).toContain(transport.transport);
  });

  it('names a row that reads files without evidence of it, or without our tools [DL-100]', () => {
    const evidence = { source: 'static', date: '2026-11-22', note: 'seen to read a file by its path' } as const;
    expect(faultsOf({ transports: [broken({ tools: 'yes', readsFiles: evidence })] })).toEqual([]);
    expect(faultsOf({ transports: [broken({ tools: 'yes', readsFiles: { ...evidence, note: '' } })] })).toEqual([
      `${transport.transport}: reading files: it has no evidence.`,
    ]);
    expect(faultsOf({ transports: [broken({ tools: 'no', readsFiles: evidence })] })).toEqual([
      `${transport.transport}: reading files: it reads files, but has none of our tools.`,
    ]);
  });

  it('names rows of the same name, and a catalog without a version', () => {
    expect(faultsOf({ models: [model, model] }).join()).toContain('two rows');
    expect(checkCatalog({ version: ' ', transports: [], models: [] })).toEqual(['The catalog has no version.']);
  });
});
