import type { Catalog } from '@attache/domain';
import { catalog } from '@attache/programs/catalog';
import { expect, it } from 'vitest';
import { type IngestDeps, startIngest } from '../ingest.ts';
import { refuseFaultyCatalog } from './refuse-faulty-catalog.ts';

it('lets the catalog of this release pass [DL-100]', () => {
  expect(() => refuseFaultyCatalog(catalog)).not.toThrow();
});

it('does not start on a faulty row, and names it and its faults [DL-100 DL-12]', async () => {
  const [row] = catalog.models;
  const faulty = { ...catalog, models: [{ ...row, evidence: { source: 'unknown', note: '' } }, row] } as Catalog;
  const started = startIngest({ catalog: faulty } as unknown as IngestDeps);
  await expect(started).rejects.toMatchObject({
    code: 'CONFIGURATION_INVALID',
    message: expect.stringMatching(/example\/example-vision: it has no evidence\..*two rows of this name/),
  });
});
