import type { Refusal, RefusalApi, RefusalMeaning } from '../refusal-meaning.ts';

/**
 * A refusal that an API really sent. `seen`: its source, under github.com. Left out are ids, text that a program wrote around it, and the rest of long
 * sentences: no row reads them.
 */
export type RecordedRefusal = Refusal & {
  readonly api: RefusalApi;
  readonly seen: string;
  /** The row that reads it. */
  readonly row: string;
  /** The content of the request, if that matters: so many pictures of this width, all in its first message. */
  readonly held?: { readonly pictures: number; readonly width: number };
  readonly means: RefusalMeaning;
};

type Given = Omit<RecordedRefusal, 'text' | 'status'> & { readonly status?: number };

const record = (error: unknown, given: Given): RecordedRefusal => ({
  status: 400,
  text: JSON.stringify(error),
  ...given,
});

const anthropic = (
  message: string,
  { type = 'invalid_request_error', ...given }: Omit<Given, 'api'> & { type?: string },
) => record({ type: 'error', error: { type, message } }, { api: 'anthropic', ...given });

const openai = (error: object, given: Given) => record({ error: { type: 'invalid_request_error', ...error } }, given);

const google = (message: string, { details, ...given }: Omit<Given, 'api'> & { details?: unknown }) =>
  record(
    { error: { code: 400, message, status: 'INVALID_ARGUMENT', ...(details === undefined ? {} : { details }) } },
    { api: 'google', ...given },
  );

const unknown: RefusalMeaning = { kind: 'unknown' };
const words = { row: 'said in words alone', means: unknown };
const other = { row: 'something else by its path', means: unknown };
const file = (...path: number[]) => {
  return { row: 'file by its path', means: { kind: 'part', code: 'file_refused', path } } as const;
};
const valueAt = (...path: number[]) => {
  return { row: 'file by its path', means: { kind: 'part', code: 'invalid_value', path } } as const;
};
const media = (code: string) => ({ row: 'picture by its code', means: { kind: 'media', code } }) as const;
const MANY = 'At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels';
const TYPES = "Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'";
const NO_PICTURE = 'The image data you provided does not represent a valid image. …';
const NOT_BASE64 = `Invalid value at 'contents[0].parts[2].inline_data.data' (TYPE_BYTES), Base64 decoding failed for "https://example.org/image.png"`;
const SIGNATURE = `Invalid value at 'contents[6].parts[0].thought_signature' (TYPE_BYTES), Base64 decoding failed for "…"`;
const violationsOf = (field: string, description: string) => [
  { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [{ field, description }] },
];

const ofAnthropic: readonly RecordedRefusal[] = [
  anthropic(`messages.0.content.27.image.source.base64.data: ${MANY}`, {
    ...{ seen: 'anthropics/claude-code/issues/24630', row: 'picture above the limit of many' },
    held: { pictures: 28, width: 2_400 },
    means: {
      ...{ kind: 'limit', code: 'picture_above_2000_pixels', isCertain: true },
      limit: { of: 'sides', maxPixels: 2_000, moreThan: 20 },
    },
  }),
  anthropic(
    'messages.7.content.2.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels',
    {
      ...{ seen: 'anthropics/claude-code/issues/4778', ...file(7, 2) },
    },
  ),
  anthropic('messages.58.content.2.image.source.base64: image exceeds 5 MB maximum: 6500712 bytes > 5242880 bytes', {
    ...{ seen: 'gptme/gptme/issues/185', ...file(58, 2) },
  }),
  anthropic(`messages.208.content.0.tool_result.content.0.image.source.base64.media_type: ${TYPES}`, {
    ...{ seen: 'anthropics/claude-code/issues/3073', ...file(208, 0, 0) },
  }),
  anthropic('messages.6.content.5.image.source.base64.data: Image does not match the provided media type image/png', {
    ...{ seen: 'anthropics/claude-code/issues/15746', ...file(6, 5) },
  }),
  anthropic('messages.38.content.0.pdf.source.base64.data: A maximum of 100 PDF pages may be provided.', {
    ...{ seen: 'anthropics/claude-code/issues/6231', ...file(38, 0) },
  }),
  anthropic('messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1. …', {
    seen: 'anthropics/claude-code/issues/18947',
    ...other,
  }),
  anthropic('messages.14: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1.', {
    ...{ seen: 'anthropics/claude-code/issues/8612', ...other },
  }),
  anthropic('too many images and documents: 104 + 1 > 100', {
    ...{ seen: 'anthropics/claude-code/issues/23392', row: 'too many pictures', held: { pictures: 104, width: 400 } },
    means: { kind: 'limit', code: 'too_many_pictures', limit: { of: 'count', max: 100 }, isCertain: false },
  }),
  anthropic('Could not process image', { seen: 'anthropics/claude-code/issues/8646', ...words }),
  anthropic('Could not process PDF', { seen: 'anthropics/anthropic-sdk-python/issues/903', ...words }),
  anthropic('prompt is too long: 208310 tokens > 200000 maximum', {
    seen: 'anthropics/claude-code/issues/12186',
    ...words,
  }),
  anthropic('Request exceeds the maximum size', {
    ...{ type: 'request_too_large', status: 413, seen: 'anthropics/claude-code/issues/14567', row: '413' },
    means: { kind: 'too-large', code: 'request_too_large' },
  }),
];

const ofOpenai: readonly RecordedRefusal[] = [
  openai(
    {
      message: "Invalid 'input[37].content[0].image_url'. Expected a base64-encoded data URL …",
      ...{ param: 'input[37].content[0].image_url', code: 'invalid_value' },
    },
    { api: 'openai-responses', seen: 'openai/codex/issues/5346', ...valueAt(37, 0) },
  ),
  // The same refusal, as another program showed it.
  openai(
    {
      message: "Invalid 'input[7].content[1].image_url'. Expected a base64-encoded data URL …",
      code: 'invalid_value',
    },
    { api: 'openai-responses', seen: 'can1357/oh-my-pi/issues/389', ...valueAt(7, 1) },
  ),
  openai(
    {
      message:
        "Invalid 'input[284].output[1].image_url'. Expected a valid URL, but got a value with an invalid format.",
      ...{ param: 'input[284].output[1].image_url', code: 'invalid_value' },
    },
    { api: 'openai-responses', seen: 'openai/codex/issues/33011', ...valueAt(284, 1) },
  ),
  openai(
    { message: NO_PICTURE, param: 'input', code: 'invalid_value' },
    {
      ...{ api: 'openai-responses', seen: 'openai/codex/issues/3097', row: 'value of the whole input' },
      means: { kind: 'media', code: 'invalid_value' },
    },
  ),
  openai(
    {
      message:
        "Invalid value: 'text'. Supported values are: 'input_text', 'input_image', 'output_text' and 'input_file'.",
      ...{ param: 'input[0].content[0].type', code: 'invalid_value' },
    },
    { api: 'openai-responses', seen: 'MervinPraison/PraisonAI/issues/3934', ...other },
  ),
  openai(
    {
      message: "Invalid 'input[0].content': string too long. …",
      ...{ param: 'input[0].content', code: 'string_above_max_length' },
    },
    {
      ...{ api: 'openai-responses', seen: 'VectorlyApp/bluebox/issues/31', row: 'too long' },
      means: { kind: 'too-large', code: 'string_above_max_length' },
    },
  ),
  openai(
    {
      message: 'Your input exceeds the context window of this model. …',
      param: 'input',
      code: 'context_length_exceeded',
    },
    {
      ...{ api: 'openai-responses', seen: 'the-open-agent/openagent/issues/2344', row: 'too long' },
      means: { kind: 'too-large', code: 'context_length_exceeded' },
    },
  ),
  openai(
    {
      message: "This model's maximum context length is 8192 tokens. …",
      ...{ param: 'messages', code: 'context_length_exceeded' },
    },
    {
      ...{ api: 'openai-chat', seen: 'crewAIInc/crewAI-examples/issues/121', row: 'too long' },
      means: { kind: 'too-large', code: 'context_length_exceeded' },
    },
  ),
  openai(
    {
      message:
        "Invalid 'messages[0].content[1].image_url.url'. Expected a valid URL, but got a value with an invalid format.",
      ...{ param: 'messages[0].content[1].image_url.url', code: 'invalid_value' },
    },
    { api: 'openai-chat', seen: 'openai/openai-python/issues/1483', ...valueAt(0, 1) },
  ),
  openai(
    {
      message: 'You uploaded an unsupported image. …',
      ...{ param: null, code: 'invalid_image_format' },
    },
    { api: 'openai-chat', seen: 'STranslate/STranslate/issues/277', ...media('invalid_image_format') },
  ),
  openai(
    { message: 'Invalid image.', param: null, code: 'invalid_image' },
    { api: 'openai-chat', seen: 'chatchat-space/Langchain-Chatchat/issues/4876', ...media('invalid_image') },
  ),
  openai(
    {
      message: 'You uploaded an unsupported image. …',
      ...{ param: null, code: 'sanitizer_server_error' },
    },
    { api: 'openai-chat', seen: 'CosmosShadow/gptpdf/issues/6', ...media('sanitizer_server_error') },
  ),
  openai(
    {
      message: "Invalid 'messages[2]'. Image URLs are only allowed for messages with role 'user' …",
    },
    { api: 'openai-chat', seen: 'openai/openai-node/issues/1030', ...other },
  ),
];

/** As an event of a stream, behind `response.created` and `response.in_progress`. */
const ofStreams: readonly RecordedRefusal[] = [
  record(
    {
      ...{ type: 'response.failed', sequence_number: 3 },
      response: {
        ...{ id: 'resp_1', object: 'response', status: 'failed', background: false },
        error: {
          code: 'context_length_exceeded',
          message: 'Your input exceeds the context window of this model. …',
        },
      },
    },
    {
      ...{ api: 'openai-responses', status: 200, row: 'too long' },
      seen: 'openai/codex/blob/main/codex-rs/codex-api/src/sse/responses.rs',
      means: { kind: 'too-large', code: 'context_length_exceeded' },
    },
  ),
];

const ofGoogle: readonly RecordedRefusal[] = [
  google(NOT_BASE64, {
    ...{ seen: 'danny-avila/LibreChat/issues/6593', ...file(0, 2) },
    details: violationsOf('contents[0].parts[2].inline_data.data', NOT_BASE64),
  }),
  google(NOT_BASE64, { seen: 'bobrware/bobrchat/issues/135', ...file(0, 2) }),
  google(SIGNATURE, {
    ...{ seen: 'google-gemini/gemini-cli/issues/14368', ...other },
    details: violationsOf('contents[6].parts[0].thought_signature', SIGNATURE),
  }),
  google(
    "* GenerateContentRequest.contents[33].parts[0].data: required oneof field 'data' must have one initialized field\n",
    {
      ...{ seen: 'boldsoftware/sketch/issues/68', ...other },
    },
  ),
  google('Unable to process input image. …', {
    ...{ seen: 'google-gemini/gemini-cli/issues/5064', ...words },
  }),
  google('The input token count (3475108) exceeds the maximum number of tokens allowed (1048576).', {
    ...{ seen: 'google-gemini/gemini-cli/issues/4231', ...words },
  }),
  record(
    [
      {
        error: {
          ...{ code: 400, message: 'Request contains an invalid argument.', status: 'INVALID_ARGUMENT' },
          errors: [{ message: 'Request contains an invalid argument.', domain: 'global', reason: 'badRequest' }],
        },
      },
    ],
    { api: 'google', seen: 'google-gemini/gemini-cli/issues/14838', ...words },
  ),
];

export const recordedRefusals: readonly RecordedRefusal[] = [...ofAnthropic, ...ofOpenai, ...ofStreams, ...ofGoogle];
