import type { Evidence } from '@attache/contracts';
import { apiRows } from '../catalog/api-rows.ts';
import { asText, type CarriedWay, type Catalog, notCarried, type TransportRow } from '../catalog/catalog-row.ts';
import { modelRows } from '../catalog/model-rows.ts';

const seen = (note: string): Evidence => ({ source: 'static', date: '2026-11-21', note });
const acp = { transport: 'acp', embeddedContext: 'yes', forwardsNative: true, tools: 'no' } as const;
const INLINE_BYTES = 20 * 1024 * 1024;
const pdf: CarriedWay = { carried: 'yes', mimeTypes: ['application/pdf'] };
const sound: CarriedWay = { carried: 'yes', mimeTypes: ['audio/wav', 'audio/mpeg'] };
const images: CarriedWay = {
  carried: 'yes',
  mimeTypes: ['image/png', 'image/jpeg', 'image/webp', 'image/gif'],
  maxInlineBytes: 3_538_944,
  maxEdgePixels: 2000,
};

/** Takes each native block as it comes. */
const everything: TransportRow = {
  ...acp,
  providers: ['example'],
  kinds: {
    image: { ...images, maxInlineBytes: INLINE_BYTES, maxCount: 20, maxEdgePixels: 8000, animated: 'yes' },
    document: { ...pdf, maxInlineBytes: INLINE_BYTES },
    text: asText,
    audio: { ...sound, maxInlineBytes: INLINE_BYTES },
    video: notCarried,
  },
  evidence: seen('tells the sha256 of each block that it gets'),
};

/** Its own tools read a file by its path. */
const reader: TransportRow = {
  ...acp,
  program: 'reader',
  tools: 'yes',
  readsFiles: seen('its shell read a file by the path that attachment_file told'),
  kinds: { image: images, document: pdf, text: asText, audio: notCarried, video: notCarried },
  evidence: seen('reader 1.0: images and embedded PDF reached the model'),
};

const imagesOnly: TransportRow['kinds'] = {
  image: images,
  document: notCarried,
  text: asText,
  audio: notCarried,
  video: notCarried,
};

const anyAgent: TransportRow = {
  ...acp,
  kinds: {
    image: { ...images, carried: 'unknown', maxCount: 20 },
    document: notCarried,
    text: asText,
    audio: { ...sound, carried: 'unknown' },
    video: notCarried,
  },
  embeddedContext: 'unknown',
  forwardsNative: false,
  evidence: seen('any agent takes text blocks, and the others where it declares them'),
};

/** Programs as there could be, with the models of the release. */
export const trialCatalog: Catalog = {
  version: 'trial',
  transports: [
    everything,
    reader,
    { ...acp, program: 'viewer', kinds: imagesOnly, evidence: seen('viewer 1.0: images reached the model') },
    { ...acp, transport: 'pi-rpc', kinds: imagesOnly, evidence: seen('runtime 1.0: images reached the model') },
    anyAgent,
    ...apiRows,
  ],
  models: modelRows,
};
