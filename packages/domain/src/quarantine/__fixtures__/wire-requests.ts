import type { WireBlock, WireRequest } from '../../receipt/wire-facts.ts';
import type { NotedRequest } from '../note-request.ts';
import type { RefusalApi } from '../refusal-meaning.ts';

type Media = Extract<WireBlock, { kind: 'media' }>;

export const picture = (sha256: string, given: Partial<Media> = {}): WireBlock => ({
  ...{ kind: 'media', place: 'user', key: sha256, path: [0, 0], isReadable: true, sha256, sizeBytes: 10 },
  ...{ mimeType: 'image/png', width: 400, height: 300, ...given },
});

export const words = (key: string, place: WireBlock['place'] = 'user'): WireBlock => ({
  ...{ kind: 'text', place, key, path: [0], isReadable: true, whole: undefined, framed: [] },
});

/** Possible responses of a provider. */
export const answers = {
  accepted: { status: 200 },
  named: (...path: number[]) => {
    const param = `input[${path[0]}].content[${path[1]}].image_url`;
    return { status: 400, error: { type: 'invalid_request_error', param, code: 'invalid_value' } };
  },
  media: { status: 400, error: { param: null, code: 'invalid_image_format' } },
  unknown: { status: 400, error: { message: 'No.', param: null, code: null } },
  tooLong: { status: 400, error: { param: 'input', code: 'context_length_exceeded' } },
  rate: { status: 429, error: { code: 'rate_limit_exceeded' } },
  broken: { status: 529, error: {} },
} as const;

export type Answered = { readonly status: number; readonly error?: object };

export type Asked = {
  readonly blocks: readonly WireBlock[] | undefined;
  /** Undefined: lost on the way. */
  readonly answered: Answered | undefined;
  readonly earlier?: WireRequest | 'unseen' | undefined;
  readonly api?: RefusalApi;
};

export function noted({ blocks, answered, earlier, api = 'openai-responses' }: Asked): NotedRequest {
  const refusal =
    answered?.error === undefined
      ? undefined
      : { status: answered.status, text: JSON.stringify({ error: answered.error }) };
  const answer = answered && { status: answered.status, hasBegun: answered.error === undefined };
  return { blocks, answer, refusal, earlier, api };
}
