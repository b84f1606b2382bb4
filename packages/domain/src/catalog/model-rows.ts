import { type ModelRow, notKnown, notTaken, type TakenKind } from './catalog-row.ts';

const READ_ON = '2026-11-21';
const MIB = 1024 * 1024;

/** Tokens hold about four bytes of plain text: what is longer can never fit. */
const BYTES_PER_TOKEN = 4;
const textOf = (contextTokens: number): TakenKind => ({
  taken: 'yes',
  maxInlineBytes: contextTokens * BYTES_PER_TOKEN,
});

const exampleNote: Record<string, string> = {
  'example-vision': 'The model of the bundled example agent that takes images and text.',
  'example-text': 'The model of the bundled example agent that is defined to take nothing but text.',
  'example-omni': 'The model of the bundled example agent that takes images, PDF, sound and text.',
};

function exampleRow(modelPattern: string, image: TakenKind, file: TakenKind): ModelRow {
  const note = exampleNote[modelPattern] ?? '';
  return {
    provider: 'example',
    modelPattern,
    kinds: { image, document: file, text: { taken: 'yes' }, audio: file, video: notTaken },
    evidence: { source: 'static', date: READ_ON, note },
  };
}

const claudeImage: TakenKind = {
  taken: 'yes',
  mimeTypes: ['image/png', 'image/jpeg', 'image/webp', 'image/gif'],
  maxInlineBytes: 3_538_944,
  maxEdgePixels: 2000,
  animated: 'no',
};

/** `many`: images of a request, and pages of its documents. */
function claudeRow(modelPattern: string, contextTokens: number, many: number): ModelRow {
  return {
    provider: 'anthropic',
    modelPattern,
    kinds: {
      image: { ...claudeImage, maxCount: many },
      document: { taken: 'yes', mimeTypes: ['application/pdf'], maxPages: many, maxInlineBytes: 23 * MIB },
      text: textOf(contextTokens),
      audio: notTaken,
      video: notTaken,
    },
    maxRequestBytes: 32 * MIB,
    evidence: {
      source: 'catalog',
      date: READ_ON,
      note: `platform.claude.com, vision and PDF support: ${many} images or PDF pages a request, 32 MB a request, 2000 px beyond 20 images; limits as in @earendil-works/pi-ai 1.5.2.`,
    },
  };
}

const gptImage: TakenKind = {
  taken: 'yes',
  mimeTypes: ['image/png', 'image/jpeg', 'image/webp', 'image/gif'],
  maxInlineBytes: 3_538_944,
  maxEdgePixels: 2000,
  maxCount: 500,
  animated: 'no',
};

function gptRow(modelPattern: string, contextTokens: number): ModelRow {
  return {
    provider: 'openai',
    modelPattern,
    kinds: {
      image: gptImage,
      document: { taken: 'yes', mimeTypes: ['application/pdf'], maxPages: 100, maxInlineBytes: 32 * MIB },
      text: textOf(contextTokens),
      audio: notKnown,
      video: notTaken,
    },
    maxRequestBytes: 50_000_000,
    evidence: {
      source: 'catalog',
      date: READ_ON,
      note: 'developers.openai.com, images and file inputs: PNG, JPEG, WebP and still GIF, 500 images and 50 MB a request; PDF for models with vision. It names no limit of pages: 100 is a caution of ours, since each page enters the context as an image. Context as in @earendil-works/pi-ai 1.5.2.',
    },
  };
}

function textOnlyRow(modelPattern: string, contextTokens: number): ModelRow {
  return {
    provider: 'openai',
    modelPattern,
    kinds: { image: notTaken, document: notTaken, text: textOf(contextTokens), audio: notTaken, video: notTaken },
    evidence: {
      source: 'catalog',
      date: READ_ON,
      note: 'Input text alone in the catalog of @earendil-works/pi-ai 1.5.2.',
    },
  };
}

function geminiRow(modelPattern: string, contextTokens: number): ModelRow {
  return {
    provider: 'google',
    modelPattern,
    kinds: {
      image: {
        taken: 'yes',
        mimeTypes: ['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif'],
        maxInlineBytes: 3_538_944,
        maxEdgePixels: 3072,
        maxCount: 3000,
        animated: 'no',
      },
      document: { taken: 'yes', mimeTypes: ['application/pdf'], maxPages: 1000, maxInlineBytes: 14 * MIB },
      text: textOf(contextTokens),
      audio: {
        taken: 'yes',
        mimeTypes: ['audio/wav', 'audio/mpeg', 'audio/aiff', 'audio/aac', 'audio/ogg', 'audio/flac'],
        maxInlineBytes: 14 * MIB,
      },
      video: {
        taken: 'yes',
        mimeTypes: ['video/mp4', 'video/mpeg', 'video/quicktime', 'video/webm'],
        maxInlineBytes: 14 * MIB,
      },
    },
    maxRequestBytes: 20 * MIB,
    evidence: {
      source: 'catalog',
      date: READ_ON,
      note: 'ai.google.dev and firebase.google.com, input file requirements: 20 MB a request inline, 3000 images, PDF up to 1000 pages, images reduced to 3072 px. Context as in @earendil-works/pi-ai 1.5.2.',
    },
  };
}

const exampleImage: TakenKind = { taken: 'yes' };

/** The abilities of models. A pattern names a family only if a published list contained each member of it; anything else is unknown. */
export const modelRows: readonly ModelRow[] = [
  exampleRow('example-vision', exampleImage, notTaken),
  exampleRow('example-text', notTaken, notTaken),
  exampleRow('example-omni', exampleImage, { taken: 'yes' }),
  ...['claude-haiku-4-5*', 'claude-sonnet-4-5*', 'claude-opus-4-5*'].map((pattern) => claudeRow(pattern, 200_000, 100)),
  ...['claude-sonnet-4-6*', 'claude-opus-4-6*', 'claude-opus-4-7*', 'claude-opus-4-8*'].map((pattern) =>
    claudeRow(pattern, 1_000_000, 600),
  ),
  ...['claude-haiku-5*', 'claude-sonnet-5*', 'claude-opus-5*', 'claude-fable-5*'].map((pattern) =>
    claudeRow(pattern, 1_000_000, 600),
  ),
  gptRow('gpt-4o*', 128_000),
  gptRow('gpt-4.1*', 1_047_576),
  gptRow('gpt-5', 400_000),
  ...['gpt-5-mini', 'gpt-5-nano', 'gpt-5-pro', 'gpt-5.1', 'gpt-5.2*', 'gpt-5.3-codex'].map((pattern) =>
    gptRow(pattern, 400_000),
  ),
  ...['gpt-5.4', 'gpt-5.5', 'gpt-5.6-*', 'gpt-6-*', 'gpt-6.1-*'].map((pattern) => gptRow(pattern, 272_000)),
  gptRow('gpt-5.3-codex-spark', 128_000),
  ...['gpt-5.4-mini', 'gpt-5.4-nano', 'gpt-5.6-cyber'].map((pattern) => gptRow(pattern, 400_000)),
  ...['gpt-5.4-pro', 'gpt-5.5-pro'].map((pattern) => gptRow(pattern, 1_050_000)),
  ...['o3', 'o3-pro', 'o4-mini'].map((pattern) => gptRow(pattern, 200_000)),
  textOnlyRow('gpt-4', 8192),
  textOnlyRow('o3-mini', 200_000),
  ...[
    'gemini-2.5-pro',
    'gemini-2.5-flash*',
    'gemini-3*',
    'gemini-4*',
    'gemini-flash-latest',
    'gemini-flash-lite-latest',
    'gemini-pro-latest',
  ].map((pattern) => geminiRow(pattern, 1_048_576)),
];
