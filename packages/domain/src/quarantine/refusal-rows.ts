import type { PictureLimit, RefusalApi } from './refusal-meaning.ts';

/**
 * The meaning of a refusal, by the fields of its body; the first row that fits counts. Each row has a body in `recorded-refusals.ts` that an API has sent.
 * English prose is never read, so no row can exist for an error that an API reports only in prose.
 */
export type RefusalRow = {
  /** The row's name, by which its recorded body is found. */
  readonly name: string;
  readonly status: readonly number[];
  readonly type?: string;
  readonly codes?: readonly string[];
  /** The content that the error names: a file, something else in a message, or what matches. Undefined: anything. */
  readonly names?: 'file' | 'message' | 'nothing' | RegExp;
  /** Only where the request is above this limit, and the file with it, where one is named. */
  readonly above?: PictureLimit;
  readonly means: 'part' | 'media' | 'limit' | 'too-large' | 'unknown';
  /** If the API gives no code of its own. */
  readonly code?: string;
};

/** https://platform.claude.com/docs/en/build-with-claude/vision: in a request with more than twenty. */
const MANY_PICTURES: PictureLimit = { of: 'sides', maxPixels: 2_000, moreThan: 20 };
/** The smallest of Anthropic's limits, of models with 200,000 tokens; others take 600. */
const MOST_PICTURES: PictureLimit = { of: 'count', max: 100 };

const tooLarge: RefusalRow = { name: '413', status: [413], means: 'too-large', code: 'request_too_large' };

const anthropic: readonly RefusalRow[] = [
  tooLarge,
  // It names the first picture that is above. The others would be refused one by one.
  {
    ...{ name: 'picture above the limit of many', status: [400], names: 'file', above: MANY_PICTURES },
    ...{ means: 'limit', code: 'picture_above_2000_pixels' },
  },
  { name: 'file by its path', status: [400], names: 'file', means: 'part', code: 'file_refused' },
  // An empty text, a call without its result. No file is at fault.
  { name: 'something else by its path', status: [400], names: 'message', means: 'unknown' },
  // Said in English alone, and so is a conversation that is too long: so the pictures above it are taken out to see which it was.
  {
    ...{
      name: 'too many pictures',
      status: [400],
      type: 'invalid_request_error',
      names: 'nothing',
      above: MOST_PICTURES,
    },
    ...{ means: 'limit', code: 'too_many_pictures' },
  },
  // The API reports unreadable pictures and PDFs only in English prose, as it does a conversation that is too long: an unknown 400.
  { name: 'said in words alone', status: [400], type: 'invalid_request_error', names: 'nothing', means: 'unknown' },
];

const TOO_LONG = ['context_length_exceeded', 'string_above_max_length', 'array_above_max_length'];
/** https://platform.openai.com/docs/api-reference/responses/object: what an error of a response may be, but for what is of no picture. */
const OF_PICTURES = [
  ...[
    'invalid_image',
    'invalid_image_format',
    'invalid_base64_image',
    'invalid_image_url',
    'image_too_large',
    'image_too_small',
  ],
  ...[
    'image_parse_error',
    'image_content_policy_violation',
    'invalid_image_mode',
    'image_file_too_large',
    'image_file_not_found',
  ],
  ...[
    'unsupported_image_media_type',
    'empty_image_file',
    'failed_to_download_image',
    'unsupported_image',
    'invalid_base64',
  ],
  'sanitizer_server_error',
];

// With 200 an event of a stream says it.
const openai: readonly RefusalRow[] = [
  tooLarge,
  { name: 'file by its path', status: [200, 400, 422], names: 'file', means: 'part', code: 'file_refused' },
  { name: 'too long', status: [200, 400], codes: TOO_LONG, means: 'too-large' },
  { name: 'picture by its code', status: [200, 400], codes: OF_PICTURES, means: 'media' },
  { name: 'something else by its path', status: [400, 422], names: 'message', means: 'unknown' },
];

const responses: readonly RefusalRow[] = [
  ...openai,
  // Bytes that cannot be read as a picture. The error names the whole input; for a value of another kind it names the value's own path.
  { name: 'value of the whole input', status: [200, 400], codes: ['invalid_value'], names: /^input$/, means: 'media' },
];

const google: readonly RefusalRow[] = [
  tooLarge,
  {
    name: 'file by its path',
    status: [400],
    type: 'INVALID_ARGUMENT',
    names: 'file',
    means: 'part',
    code: 'file_refused',
  },
  { name: 'something else by its path', status: [400], type: 'INVALID_ARGUMENT', names: 'message', means: 'unknown' },
  // The API reports unreadable pictures, types that it does not take and too many tokens only in English prose.
  { name: 'said in words alone', status: [400], type: 'INVALID_ARGUMENT', names: 'nothing', means: 'unknown' },
];

export const refusalRows: Readonly<Record<RefusalApi, readonly RefusalRow[]>> = {
  anthropic,
  'openai-responses': responses,
  'openai-chat': openai,
  google,
};
