import type { Evidence } from '@attache/contracts';
import { asText, type CarriedWay, notCarried, type TransportRow } from './catalog-row.ts';

const READ_ON = '2026-11-21';
const documented = (note: string): Evidence => ({ source: 'catalog', date: READ_ON, note });

const yes: CarriedWay = { carried: 'yes' };
const api = { embeddedContext: 'yes', forwardsNative: false, tools: 'no' } as const;

/** Types of images that the Messages API of Anthropic has a block for. */
export const anthropicImageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;

/** Formats of model APIs, for platforms that call one themselves. What they carry; the limits are the models'. */
export const apiRows: readonly TransportRow[] = [
  {
    ...api,
    transport: 'anthropic',
    kinds: {
      image: { carried: 'yes', mimeTypes: anthropicImageTypes },
      document: yes,
      text: asText,
      audio: notCarried,
      video: notCarried,
    },
    evidence: documented(
      'Types of the published SDK, @anthropic-ai/sdk 1.12.0: image blocks of these types and document blocks, none for sound or video.',
    ),
  },
  {
    ...api,
    transport: 'openai-responses',
    embeddedContext: 'no',
    kinds: { image: yes, document: yes, text: asText, audio: notCarried, video: notCarried },
    evidence: documented(
      'Types of the published SDK, openai 7.57.0: input_image and input_file; a message has no part for sound.',
    ),
  },
  {
    ...api,
    transport: 'openai-chat',
    embeddedContext: 'no',
    kinds: {
      image: yes,
      document: yes,
      text: asText,
      audio: { carried: 'yes', mimeTypes: ['audio/wav', 'audio/mpeg'] },
      video: notCarried,
    },
    evidence: documented('Types of the published SDK, openai 7.57.0: image_url, file and input_audio (wav or mp3).'),
  },
  {
    ...api,
    transport: 'google',
    embeddedContext: 'no',
    kinds: { image: yes, document: yes, text: asText, audio: yes, video: yes },
    evidence: documented('Types of the published SDK, @google/genai 3.1.0: inlineData and fileData of any media type.'),
  },
];
