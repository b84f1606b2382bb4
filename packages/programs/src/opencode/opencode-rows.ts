import { asText, type CarriedWay, notCarried, type TransportRow } from '@attache/domain';
import { anyPdf, anySpeech, IMAGE_BYTES, overAcp, seenOn, silent } from '../evidence.ts';

const SEEN_ON = '2026-11-21';

const images: CarriedWay = {
  carried: 'yes',
  mimeTypes: ['image/png', 'image/jpeg', 'image/webp', 'image/gif'],
  maxInlineBytes: IMAGE_BYTES,
  maxEdgePixels: 2000,
};

export const openCodeRows: readonly TransportRow[] = [
  {
    ...overAcp,
    program: 'opencode',
    tools: 'yes',
    readsFiles: seenOn(
      '2026-11-22',
      'OpenCode 1.18.33 acp: its shell read a .docx and read an SVG by the path that attachment_file told.',
    ),
    kinds: { image: images, document: anyPdf, text: asText, audio: notCarried, video: notCarried },
    evidence: seenOn(
      SEEN_ON,
      'OpenCode 1.18.33 acp: images up to 2000 px and embedded PDF reached the model; sound was dropped in silence.',
    ),
  },
  {
    ...silent,
    transport: 'opencode-serve',
    providers: ['anthropic', 'openai'],
    kinds: { image: images, document: anyPdf, text: asText, audio: notCarried, video: notCarried },
    evidence: seenOn(
      SEEN_ON,
      'OpenCode 1.18.33, serve, with its Anthropic and OpenAI providers: images up to 2000 px and PDF reached the model; sound was an error.',
    ),
  },
  {
    ...silent,
    transport: 'opencode-serve',
    kinds: { image: images, document: anyPdf, text: asText, audio: anySpeech, video: notCarried },
    evidence: seenOn(
      SEEN_ON,
      'OpenCode 1.18.33, serve, with its OpenAI-compatible and Google providers: images up to 2000 px, PDF and sound reached the model.',
    ),
  },
  {
    ...silent,
    transport: 'opencode-run',
    kinds: {
      image: { ...images, carriage: 'file', maxFileBytes: IMAGE_BYTES },
      document: { ...anyPdf, carriage: 'file' },
      text: asText,
      audio: notCarried,
      video: notCarried,
    },
    evidence: seenOn(
      SEEN_ON,
      'OpenCode 1.18.33, run: images up to 2000 px and PDF by path reached the model; with sound the turn ran without it.',
    ),
  },
];
