import type { Evidence } from '@attache/contracts';
import { asText, type CarriedWay, claudeImages, notCarried, type TransportRow } from './catalog-row.ts';

const SEEN_ON = '2026-11-21';
const seen = (note: string): Evidence => ({ source: 'static', date: SEEN_ON, note });
/** Told a path by `attachment_file`; the words of the file were in the next request to the model. */
const reads = (note: string): Evidence => ({ source: 'static', date: '2026-11-22', note });

/** 4.5 MiB of base64. */
const IMAGE_BYTES = 3_538_944;

const images: CarriedWay = {
  carried: 'yes',
  mimeTypes: ['image/png', 'image/jpeg', 'image/webp', 'image/gif'],
  maxInlineBytes: IMAGE_BYTES,
  maxEdgePixels: 2000,
};
const codexImages: CarriedWay = {
  ...images,
  mimeTypes: ['image/png', 'image/jpeg', 'image/webp'],
  maxEdgePixels: 1920,
  maxPixels: 1920 * 1280,
};
const pdf: CarriedWay = { carried: 'yes', mimeTypes: ['application/pdf'] };

const acp = { transport: 'acp', embeddedContext: 'yes', forwardsNative: true, tools: 'no' } as const;

/** The bundled example agent takes each native block as it comes and tells the digest of its bytes. */
const exampleKinds: TransportRow['kinds'] = {
  image: {
    carried: 'yes',
    mimeTypes: ['image/png', 'image/jpeg', 'image/webp', 'image/gif'],
    maxInlineBytes: 20 * 1024 * 1024,
    maxCount: 20,
    maxEdgePixels: 8000,
    animated: 'yes',
  },
  document: { carried: 'yes', mimeTypes: ['application/pdf'], maxInlineBytes: 20 * 1024 * 1024 },
  text: asText,
  audio: { carried: 'yes', mimeTypes: ['audio/wav', 'audio/mpeg'], maxInlineBytes: 20 * 1024 * 1024 },
  video: notCarried,
};

/** Programs that speak the Agent Client Protocol, and what each does with the protocol's blocks. They differ in it. */
export const acpRows: readonly TransportRow[] = [
  {
    ...acp,
    // Whoever names this provider says that the agent behaves as the bundled one.
    providers: ['example'],
    kinds: exampleKinds,
    evidence: seen(
      'The bundled example agent reports the sha256 of each image, PDF, sound and text it gets; the end-to-end tests compare them.',
    ),
  },
  {
    ...acp,
    tools: 'yes',
    program: 'claude-agent-acp',
    readsFiles: reads(
      'claude-agent-acp 0.100.0: its shell read a .docx and Read an SVG by the path that attachment_file told.',
    ),
    kinds: {
      image: claudeImages,
      document: { ...pdf, maxInlineBytes: 20 * 1024 * 1024 },
      text: asText,
      audio: notCarried,
      video: notCarried,
    },
    evidence: seen(
      'claude-agent-acp 0.100.0: image blocks of up to 512,000 bytes, 2000 px a side and 1920×1920 px, and PDF as embedded resources reached ' +
        'the model with the same digest; larger images reached it as another JPEG or PNG. Sound was an error.',
    ),
  },
  {
    ...acp,
    tools: 'yes',
    program: 'codex-acp',
    readsFiles: reads(
      'codex-acp 2.6.0: its shell read a .docx by the path that attachment_file told. It has no other reader but view_image.',
    ),
    kinds: { image: codexImages, document: notCarried, text: asText, audio: notCarried, video: notCarried },
    evidence: seen(
      'codex-acp 2.6.0 (and that of Zed, 0.16.0): image blocks reached the model; an embedded PDF was pasted as base64 text (or dropped), ' +
        'sound was an error (or dropped).',
    ),
  },
  {
    ...acp,
    tools: 'yes',
    program: 'gemini',
    readsFiles: reads(
      'Gemini CLI 0.61.0 --acp: its shell read a .docx and read_file an SVG by the path that attachment_file told, in a folder that its settings name.',
    ),
    kinds: {
      // Forwarded as they are, whatever their size.
      image: { carried: 'yes', mimeTypes: ['image/png', 'image/jpeg', 'image/webp'] },
      document: pdf,
      text: asText,
      audio: { carried: 'yes', mimeTypes: ['audio/wav', 'audio/mpeg'] },
      video: notCarried,
    },
    evidence: seen('Gemini CLI 0.61.0 --acp: images, embedded PDF and sound reached the model with the same digest.'),
  },
  {
    ...acp,
    tools: 'yes',
    program: 'opencode',
    readsFiles: reads(
      'OpenCode 1.18.33 acp: its shell read a .docx and read an SVG by the path that attachment_file told.',
    ),
    kinds: { image: images, document: pdf, text: asText, audio: notCarried, video: notCarried },
    evidence: seen(
      'OpenCode 1.18.33 acp: images up to 2000 px and embedded PDF reached the model; sound was dropped in silence.',
    ),
  },
  {
    ...acp,
    kinds: {
      image: {
        carried: 'unknown',
        mimeTypes: ['image/png', 'image/jpeg'],
        maxInlineBytes: IMAGE_BYTES,
        maxCount: 20,
        maxEdgePixels: 2000,
      },
      document: notCarried,
      text: asText,
      audio: { carried: 'unknown', mimeTypes: ['audio/wav', 'audio/mpeg'] },
      video: notCarried,
    },
    embeddedContext: 'unknown',
    forwardsNative: false,
    evidence: seen(
      'Any agent of the protocol takes text blocks; images, sound and embedded text only where it declares them. Embedded PDF was seen ' +
        'dropped or pasted as base64, so an agent that is not known gets none.',
    ),
  },
];
