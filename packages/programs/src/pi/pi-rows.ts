import { asText, notCarried, type TransportRow } from '@attache/domain';
import { seenOn, silent } from '../evidence.ts';

/** Less than 4.5 MiB of base64: of one with just as much it makes a JPEG. */
const MAX_IMAGE_BYTES = 3_538_941;

export const piRows: readonly TransportRow[] = [
  {
    ...silent,
    transport: 'pi-rpc',
    tools: 'yes',
    readsFiles: seenOn(
      '2026-11-23',
      'pi 0.87.1, rpc: its shell read a .docx and read an SVG by the path that attachment_file told.',
    ),
    kinds: {
      image: {
        carried: 'yes',
        mimeTypes: ['image/png', 'image/jpeg', 'image/webp'],
        maxInlineBytes: MAX_IMAGE_BYTES,
        maxEdgePixels: 2000,
      },
      document: notCarried,
      text: asText,
      audio: notCarried,
      video: notCarried,
    },
    evidence: seenOn(
      '2026-11-23',
      'pi 0.87.1, rpc: images up to 2000 px and less than 4.5 MiB of base64 reached the model; larger ones reached it as another JPEG. There ' +
        'is no field for anything else; files given by path were pasted as text.',
    ),
  },
];
