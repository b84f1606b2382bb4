import type { Capability, Evidence, KindCapability, Runtime } from '@attache/contracts';

/** What one runtime, provider and model are known to take. A row without evidence is not a row (DL-100). */
export type CapabilityRow = {
  runtime: Runtime;
  provider: string;
  /** A model's exact name, or the start of one followed by `*`. */
  modelPattern: string;
  capability: Omit<Capability, 'evidence'>;
  evidence: Evidence;
};

/** A kind that the runtime has no way to carry. */
export const notCarried: KindCapability = { transport: 'no', model: 'no', mimeTypes: [] };

/** Text reaches a model as text, whatever its media type. The types named are for file pickers. */
export const plainText: KindCapability = {
  transport: 'yes',
  model: 'yes',
  mimeTypes: [
    'text/*',
    'application/json',
    'application/xml',
    'application/yaml',
    'application/toml',
    'application/sql',
  ],
};

const exampleImages: KindCapability = {
  transport: 'yes',
  model: 'yes',
  mimeTypes: ['image/png', 'image/jpeg', 'image/webp', 'image/gif'],
  maxInlineBytes: 20 * 1024 * 1024,
  maxCount: 20,
  maxEdgePixels: 8000,
};

const exampleVision: Omit<Capability, 'evidence'> = {
  image: exampleImages,
  document: notCarried,
  text: plainText,
  audio: notCarried,
  video: notCarried,
  embeddedContext: 'yes',
  forwardsNative: true,
};

const exampleEvidence = (note: string): Evidence => ({ source: 'static', date: '2026-11-21', note });

/** The catalog of this release, as data. A new model is one row. */
export const capabilityTable: readonly CapabilityRow[] = [
  {
    runtime: 'acp',
    provider: 'example',
    modelPattern: 'example-vision',
    capability: exampleVision,
    evidence: exampleEvidence(
      'The bundled example agent reports the sha256 of each image and text it gets; the end-to-end test compares them. ' +
        'It takes 20 images of at most 20 MiB and 8000 pixels a side.',
    ),
  },
  {
    runtime: 'acp',
    provider: 'example',
    modelPattern: 'example-text',
    capability: { ...exampleVision, image: { ...exampleImages, model: 'no' } },
    evidence: exampleEvidence(
      'The bundled example agent carries images to this model, which is defined not to understand them.',
    ),
  },
];
