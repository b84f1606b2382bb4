import { asText, notCarried, type TransportRow } from '@attache/domain';
import { IMAGE_BYTES, seenOn, silent } from '../evidence.ts';

export const piRows: readonly TransportRow[] = [
  {
    ...silent,
    transport: 'pi-rpc',
    kinds: {
      image: {
        carried: 'yes',
        mimeTypes: ['image/png', 'image/jpeg', 'image/webp'],
        maxInlineBytes: IMAGE_BYTES,
        maxEdgePixels: 2000,
      },
      document: notCarried,
      text: asText,
      audio: notCarried,
      video: notCarried,
    },
    evidence: seenOn(
      '2026-11-21',
      'pi 0.87.1, rpc: images up to 2000 px and 4.5 MiB of base64 reached the model. There is no field for anything else; files given by ' +
        'path were pasted as text.',
    ),
  },
];
