import { type FieldsRule, fields, inline, listed, nothing, typedTools, url, words } from './field-rules.ts';

const onlyText = fields('text cache_control', { type: words('text') });

const parts = fields('text refusal cache_control id index', {
  type: words('text image_url input_audio file refusal thinking'),
  image_url: fields('detail format', { url }, { text: url }),
  input_audio: fields('format', { data: inline }),
  file: fields('filename format', { file_data: inline, file_id: nothing }),
  thinking: onlyText,
  annotations: nothing,
  images: nothing,
});

/** The pages that an earlier answer named. Some providers also keep files here. */
const annotations = fields(
  '',
  { type: words('url_citation'), url_citation: fields('url title content start_index end_index') },
  { text: nothing },
);

const messages = fields(
  `role name tool_calls tool_call_id function_call refusal reasoning reasoning_content reasoning_text reasoning_details
  reasoning_opaque cache_control prefix id index __copilotMessageSource`,
  { content: parts, audio: nothing, images: nothing, annotations },
);

const tools = typedTools('function custom name description parameters strict cache_control', /^(?:function|custom)$/);

/** The Chat Completions API, as OpenAI and those that are compatible with it take it. */
export const chatFields: FieldsRule = fields(
  `model functions function_call stream stream_options temperature top_p top_k min_p max_tokens max_completion_tokens
  stop n presence_penalty frequency_penalty repetition_penalty logit_bias logprobs top_logprobs seed response_format user
  store metadata parallel_tool_calls reasoning reasoning_effort reasoning_split verbosity service_tier prompt_cache_key
  prompt_cache_retention safety_identifier modalities audio thinking enable_thinking thinking_budget
  chat_template_kwargs chat_template_args tool_stream priority usage cache_control`,
  {
    messages,
    tools,
    tool_choice: fields('function custom name mode', {
      type: words('function custom allowed_tools auto none required'),
      allowed_tools: fields('mode', { tools }),
      tools,
    }),
    prediction: fields('', { type: words('content'), content: onlyText }),
    web_search_options: listed('web_search'),
  },
);
