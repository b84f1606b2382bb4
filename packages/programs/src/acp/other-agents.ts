import { asText, notCarried } from '@attache/domain';
import { anySpeech, IMAGE_BYTES, overAcp, seenOn } from '../evidence.ts';
import { PERMISSION_REQUEST } from '../gate-place.ts';
import type { Program } from '../program.ts';

/** Any agent of the Agent Client Protocol of which no more is known. */
export const otherAgents: Program = {
  name: undefined,
  runtime: 'acp',
  takesAnyCommand: true,
  rows: [
    {
      ...overAcp,
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
        audio: { ...anySpeech, carried: 'unknown' },
        video: notCarried,
      },
      embeddedContext: 'unknown',
      forwardsNative: false,
      evidence: seenOn(
        '2026-11-21',
        'Any agent of the protocol takes text blocks; images, sound and embedded text only where it declares them. Embedded PDF was seen ' +
          'dropped or pasted as base64, so an agent that is not known gets none.',
      ),
    },
  ],
  providers: [],
  gate: {
    place: PERMISSION_REQUEST,
    coversEveryCall: false,
    note: 'It is asked about whatever the program chooses to ask about.',
    runsAnyway: [],
  },
  listsToolsAtStart: false,
  isBundled: false,
  errands: [{ kind: 'models' }, { kind: 'count-tokens' }, { kind: 'generate' }],
  turnRequests: { carryTools: true, errandTexts: [] },
  words: {
    endpoint: {
      apis: ['anthropic', 'openai-responses', 'openai-chat', 'google'],
      by: 'the variables that [`endpoint.env`](#any-other-acp-agent) names',
      model: 'told, where one of them holds `{model}`',
    },
    proof: {
      written: 'the same of the `session/prompt` request',
      responded: "the answer to that request, whose id is the delivery's id",
    },
    resumesBy: '`session/resume` or `session/load`, where it declares one of them; else nothing',
  },
  loadDriver: async () => (await import('./other-agents-driver.ts')).otherAgentsDriver,
};
