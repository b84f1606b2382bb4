import { asText, notCarried, type TransportRow } from '@attache/domain';
import { anyPdf, anySpeech, overAcp, seenOn } from '../evidence.ts';
import type { Program } from '../program.ts';

const PROGRAM = 'attache-example-agent';
const INLINE_BYTES = 20 * 1024 * 1024;

/** It takes each native block as it comes and reports the digest of its bytes. */
const row: TransportRow = {
  ...overAcp,
  // A profile that names this provider declares that its agent behaves like the bundled one.
  providers: ['example'],
  kinds: {
    image: {
      carried: 'yes',
      mimeTypes: ['image/png', 'image/jpeg', 'image/webp', 'image/gif'],
      maxInlineBytes: INLINE_BYTES,
      maxCount: 20,
      maxEdgePixels: 8000,
      animated: 'yes',
    },
    document: { ...anyPdf, maxInlineBytes: INLINE_BYTES },
    text: asText,
    audio: { ...anySpeech, maxInlineBytes: INLINE_BYTES },
    video: notCarried,
  },
  evidence: seenOn(
    '2026-11-21',
    'The bundled example agent reports the sha256 of each image, PDF, sound and text it gets; the end-to-end tests compare them.',
  ),
};

/** The agent that comes with the product, for demos and tests. It calls no model. */
export const example: Program = {
  name: PROGRAM,
  runtime: 'acp',
  takesAnyCommand: false,
  rows: [row],
  providers: ['example'],
  gate: {
    place: 'its socket',
    coversEveryCall: true,
    note: 'It has no tools but those of its socket, which checks every call.',
    runsAnyway: [],
    denial: 'nothing: it has none',
  },
  listsToolsAtStart: false,
  isBundled: true,
  profile: { name: 'example', command: [PROGRAM], provider: 'example', model: 'example-vision' },
  hosts: [],
  errands: [],
  turnRequests: { carryTools: false, errandTexts: [] },
  words: {
    resumesBy: 'nothing',
  },
  loadDriver: async () => (await import('../acp/other-agents-driver.ts')).otherAgentsDriver,
};
