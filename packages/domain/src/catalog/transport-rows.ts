import type { Evidence } from '@attache/contracts';
import { asText, type CarriedWay, claudeImages, notCarried, type TransportRow } from './catalog-row.ts';

// Limits of images are those within which the program was seen to forward the very bytes: beyond them it makes others of its own.

const SEEN_ON = '2026-11-21';
const seen = (note: string): Evidence => ({ source: 'static', date: SEEN_ON, note });
/** Told a path by `attachment_file`; the words of the file were in the next request to the model. */
const reads = (note: string): Evidence => ({ source: 'static', date: '2026-11-22', note });

const rasterTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];

/** 4.5 MiB of base64. */
const IMAGE_BYTES = 3_538_944;

const images2000: CarriedWay = {
  carried: 'yes',
  mimeTypes: rasterTypes,
  maxInlineBytes: IMAGE_BYTES,
  maxEdgePixels: 2000,
};

const pdf: CarriedWay = { carried: 'yes', mimeTypes: ['application/pdf'] };
const speech: CarriedWay = { carried: 'yes', mimeTypes: ['audio/wav', 'audio/mpeg'] };

/** Codex reduces images further for models that are not listed with original detail. */
const codexImages: CarriedWay = {
  carried: 'yes',
  mimeTypes: ['image/png', 'image/jpeg', 'image/webp'],
  carriage: 'file',
  maxFileBytes: IMAGE_BYTES,
  maxEdgePixels: 1920,
  maxPixels: 1920 * 1280,
};

const silent = { embeddedContext: 'no', forwardsNative: true, tools: 'no' } as const;

/** Seen to reach its attachments by our MCP server, with pictures as pictures. */
const tooled = { tools: 'yes' } as const;

/** Programs of agents, by the protocol that drives them. Those of the Agent Client Protocol stand in a file of their own. */
export const runtimeRows: readonly TransportRow[] = [
  {
    ...silent,
    ...tooled,
    transport: 'claude-stream-json',
    readsFiles: reads(
      'Claude Code 2.1.329: its shell read a .docx and Read an SVG by the path that attachment_file told.',
    ),
    kinds: {
      image: claudeImages,
      document: { ...pdf, maxInlineBytes: 20 * 1024 * 1024 },
      text: asText,
      audio: notCarried,
      video: notCarried,
    },
    embeddedContext: 'yes',
    evidence: seen(
      'Claude Code 2.1.329: images of up to 512,000 bytes, 2000 px a side and 1920×1920 px, PDF and text documents reached the model with the ' +
        'same digest; larger images reached it as another JPEG or PNG (512,002 bytes as 155,549). Of more than 99 images it keeps the newest ' +
        'and says nothing. A sound block is forwarded, which the API does not know.',
    ),
  },
  {
    ...silent,
    ...tooled,
    transport: 'codex-app-server',
    readsFiles: reads(
      'Codex 0.169.0, app-server: its shell read a .docx by the path that attachment_file told. It has no other reader but view_image.',
    ),
    kinds: {
      image: codexImages,
      document: notCarried,
      text: asText,
      audio: { ...speech, carriage: 'file' },
      video: notCarried,
    },
    evidence: seen(
      'Codex 0.169.0, app-server: images by path, and sound for a model listed with it, reached the model. No input takes a PDF or a ' +
        'text file. 3000×2500 was reduced to 1727×1440.',
    ),
  },
  {
    ...silent,
    transport: 'codex-exec',
    kinds: { image: codexImages, document: notCarried, text: asText, audio: notCarried, video: notCarried },
    evidence: seen('Codex 0.169.0, exec: images by path reached the model; PDF, text files and sound became a note.'),
  },
  {
    ...silent,
    transport: 'opencode-serve',
    providers: ['anthropic', 'openai'],
    kinds: { image: images2000, document: pdf, text: asText, audio: notCarried, video: notCarried },
    evidence: seen(
      'OpenCode 1.18.33, serve, with its Anthropic and OpenAI providers: images up to 2000 px and PDF reached the model; sound was an error.',
    ),
  },
  {
    ...silent,
    transport: 'opencode-serve',
    kinds: { image: images2000, document: pdf, text: asText, audio: speech, video: notCarried },
    evidence: seen(
      'OpenCode 1.18.33, serve, with its OpenAI-compatible and Google providers: images up to 2000 px, PDF and sound reached the model.',
    ),
  },
  {
    ...silent,
    transport: 'opencode-run',
    kinds: {
      image: { ...images2000, carriage: 'file', maxFileBytes: IMAGE_BYTES },
      document: { ...pdf, carriage: 'file' },
      text: asText,
      audio: notCarried,
      video: notCarried,
    },
    evidence: seen(
      'OpenCode 1.18.33, run: images up to 2000 px and PDF by path reached the model; with sound the turn ran without it.',
    ),
  },
  {
    ...silent,
    transport: 'pi-rpc',
    kinds: {
      image: { ...images2000, mimeTypes: ['image/png', 'image/jpeg', 'image/webp'] },
      document: notCarried,
      text: asText,
      audio: notCarried,
      video: notCarried,
    },
    evidence: seen(
      'pi 0.87.1, rpc: images up to 2000 px and 4.5 MiB of base64 reached the model. There is no field for anything else; files given by ' +
        'path were pasted as text.',
    ),
  },
];
