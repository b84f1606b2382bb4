import { asText, type CarriedWay, notCarried, type TransportRow } from '@attache/domain';
import { anyPdf, seenOn, silent } from '../evidence.ts';

/**
 * The images that Claude Code sends on unchanged, also behind its adapter: 512,000 bytes, 2000 pixels a side, and 1920 × 1920 but not 2000 × 1900 pixels. It
 * would make its own JPEG of everything else, pictures of tools included.
 */
const claudeImages: CarriedWay = {
  carried: 'yes',
  mimeTypes: ['image/png', 'image/jpeg', 'image/webp', 'image/gif'],
  maxInlineBytes: 512_000,
  maxEdgePixels: 2000,
  maxPixels: 3_600_000,
  maxCount: 99,
};

export const claudeKinds: TransportRow['kinds'] = {
  image: claudeImages,
  document: { ...anyPdf, maxInlineBytes: 20 * 1024 * 1024 },
  text: asText,
  audio: notCarried,
  video: notCarried,
};

export const claudeRows: readonly TransportRow[] = [
  {
    ...silent,
    transport: 'claude-stream-json',
    tools: 'yes',
    readsFiles: seenOn(
      '2026-11-22',
      'Claude Code 2.1.329: its shell read a .docx and Read an SVG by the path that attachment_file told.',
    ),
    kinds: claudeKinds,
    embeddedContext: 'yes',
    evidence: seenOn(
      '2026-11-21',
      'Claude Code 2.1.329: images of up to 512,000 bytes, 2000 px a side and 1920×1920 px, PDF and text documents reached the model with the ' +
        'same digest; larger images reached it as another JPEG or PNG (512,002 bytes as 155,549). Of more than 99 images it keeps the newest ' +
        'and says nothing. A sound block is forwarded, which the API does not know.',
    ),
  },
];
