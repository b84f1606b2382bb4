import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Catalog, ModelRow } from './catalog-row.ts';
import { nameOfModel } from './check-catalog.ts';
import { findModelRow } from './find-row.ts';
import { modelRows } from './model-rows.ts';

// Compares with another catalog of the same models, kept by others. Each known difference has a reason.

const fields = [
  ...(['images', 'images a request', 'pixels an edge', 'bytes an image'] as const),
  ...(['bytes a request', 'tokens of text'] as const),
];
type Field = (typeof fields)[number];
type Facts = Partial<Record<Field, number | string>>;

/** A difference that was looked at. Without a model it is one of every model of the provider that takes images. */
type Reviewed = { provider: string; model?: string; field: Field; theirs: number; ours: number; reason: string };

const MIB = 1024 * 1024;
const reviewed: Reviewed[] = [
  {
    ...{ provider: 'openai', field: 'images a request', theirs: 1500, ours: 500 },
    reason: 'The documents of the provider said 500. The smaller one blocks early and loses nothing.',
  },
  {
    ...{ provider: 'openai', field: 'bytes a request', theirs: 512 * MIB, ours: 50_000_000 },
    reason: 'Theirs is for images. A request may hold PDF too, for which the documents of the provider say 50 MB.',
  },
  {
    ...{ provider: 'google', field: 'images a request', theirs: 3600, ours: 3000 },
    reason: 'firebase.google.com says 3000 for the same models. The smaller one holds there too.',
  },
  {
    ...{ provider: 'google', field: 'pixels an edge', theirs: 2000, ours: 3072 },
    reason:
      'Theirs is the size to which their own program reduces, whoever the provider is. firebase.google.com says 3072.',
  },
];

const ourModels: Catalog = { version: '1', transports: [], models: modelRows };

type PublishedModel = {
  id: string;
  type: string;
  input: string[];
  contextWindow: number;
  inputLimits?: {
    maxRequestBytes?: number;
    images?: { maxPerRequest?: number; resize?: { maxWidth: number; maxHeight: number; maxBytes: number } };
  };
};

function readPublished(provider: string): PublishedModel[] {
  // The package's exports do not name its data; the data lies next to an exported file.
  const file = new URL(`providers/data/${provider}.json`, import.meta.resolve('@earendil-works/pi-ai'));
  const byApi: Record<string, Record<string, PublishedModel>> = JSON.parse(readFileSync(file, 'utf8'));
  // The others are classifiers, which answer with a label and take no turn.
  return Object.values(byApi).flatMap((models) => Object.values(models).filter(({ type }) => type === 'chat'));
}

function describePublished({ input, contextWindow, inputLimits }: PublishedModel): Facts {
  const images = inputLimits?.images;
  return definedOf({
    images: input.includes('image') ? 'yes' : 'no',
    'images a request': images?.maxPerRequest,
    'pixels an edge': images?.resize && Math.min(images.resize.maxWidth, images.resize.maxHeight),
    // Theirs counts base64.
    'bytes an image': images?.resize && (images.resize.maxBytes / 4) * 3,
    'bytes a request': inputLimits?.maxRequestBytes,
    'tokens of text': contextWindow,
  });
}

function describeRow({ kinds: { image, text }, maxRequestBytes }: ModelRow): Facts {
  return definedOf({
    images: image.taken,
    'images a request': image.maxCount,
    'pixels an edge': image.maxEdgePixels,
    'bytes an image': image.maxInlineBytes,
    'bytes a request': maxRequestBytes,
    'tokens of text': text.maxInlineBytes && text.maxInlineBytes / 4,
  });
}

function definedOf(facts: Record<Field, number | string | undefined>): Facts {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}

const models = ['anthropic', 'openai', 'google'].flatMap((provider) =>
  readPublished(provider).map((model) => ({
    ...{ provider, model },
    row: findModelRow(ourModels, { runtime: 'acp', provider, model: model.id }),
  })),
);

const differences = models.flatMap(({ provider, model, row }) => {
  if (!row) return [];
  const [theirs, ours] = [describePublished(model), describeRow(row)];
  return fields
    .filter((field) => theirs[field] !== ours[field])
    .map((field) => ({ provider, model: model.id, field, theirs: theirs[field], ours: ours[field] }));
});

function isReviewOf(review: Reviewed, difference: (typeof differences)[number]): boolean {
  return (
    review.provider === difference.provider &&
    (review.model ?? difference.model) === difference.model &&
    (['field', 'theirs', 'ours'] as const).every((name) => review[name] === difference[name])
  );
}

describe('the catalog beside a published one', () => {
  it('differs from it nowhere but where that was looked at [DL-100 BX-05]', () => {
    const unseen = differences.filter((difference) => !reviewed.some((review) => isReviewOf(review, difference)));
    const lines = unseen.map(
      ({ provider, model, field, theirs, ours }) =>
        `${provider}/${model}, ${field}: theirs ${theirs ?? 'not said'}, ours ${ours ?? 'not said'}`,
    );
    expect(lines).toEqual([]);
  });

  it('has no difference left that was looked at and is gone [DL-100]', () => {
    const gone = reviewed.filter((review) => !differences.some((difference) => isReviewOf(review, difference)));
    expect(gone).toEqual([]);
  });

  it('knows most of its models; the others are unknown here, which is safe [DL-100 BX-05]', () => {
    const counts = ['anthropic', 'openai', 'google'].map((provider) => {
      const all = models.filter((each) => each.provider === provider);
      const unknown = all.filter(({ row }) => !row).map(({ model }) => model.id);
      return [provider, `${all.length - unknown.length} of ${all.length}`, ...unknown.slice(0, 4)].join(' ');
    });
    expect(counts).toMatchInlineSnapshot(`
      [
        "anthropic 18 of 18",
        "openai 37 of 44 chat-latest gpt-4-turbo gpt-5-chat-latest gpt-daybreak-blue-latest",
        "google 17 of 23 deep-research-max-preview-04-2026 deep-research-preview-04-2026 gemini-2.5-computer-use-preview-10-2025 gemini-robotics-er-2-preview",
      ]
    `);
  });

  it('has no row for models that it does not have, but those of the bundled example agent [DL-100]', () => {
    const matched = new Set(models.map(({ row }) => row));
    const alone = modelRows.filter((row) => !matched.has(row)).map(nameOfModel);
    expect(alone).toEqual(['example/example-vision', 'example/example-text', 'example/example-omni']);
  });
});
