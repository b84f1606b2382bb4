import { asText, type CarriedWay, notCarried, type TransportRow } from '@attache/domain';
import { anySpeech, IMAGE_BYTES, seenOn, silent } from '../evidence.ts';

// Limits of images are those within which the program was seen to forward the very bytes: beyond them it makes others of its own, and it
// reduces them further for models that are not listed with original detail.
const ownImages: CarriedWay = {
  carried: 'yes',
  mimeTypes: ['image/png', 'image/jpeg', 'image/webp'],
  maxEdgePixels: 1920,
  maxPixels: 1920 * 1280,
};
const imageFiles: CarriedWay = { ...ownImages, carriage: 'file', maxFileBytes: IMAGE_BYTES };

/** Behind an adapter. */
export const inlineImages: CarriedWay = { ...ownImages, maxInlineBytes: IMAGE_BYTES };

export const codexRows: readonly TransportRow[] = [
  {
    ...silent,
    transport: 'codex-app-server',
    tools: 'yes',
    readsFiles: seenOn(
      '2026-11-22',
      'Codex 0.169.0, app-server: its shell read a .docx by the path that attachment_file told. It has no other reader but view_image.',
    ),
    kinds: {
      image: imageFiles,
      document: notCarried,
      text: asText,
      audio: { ...anySpeech, carriage: 'file' },
      video: notCarried,
    },
    evidence: seenOn(
      '2026-11-21',
      'Codex 0.169.0, app-server: images by path, and sound for a model listed with it, reached the model. No input takes a PDF or a ' +
        'text file. 3000×2500 was reduced to 1727×1440.',
    ),
  },
  {
    ...silent,
    transport: 'codex-exec',
    kinds: { image: imageFiles, document: notCarried, text: asText, audio: notCarried, video: notCarried },
    evidence: seenOn(
      '2026-11-21',
      'Codex 0.169.0, exec: images by path reached the model; PDF, text files and sound became a note.',
    ),
  },
];
