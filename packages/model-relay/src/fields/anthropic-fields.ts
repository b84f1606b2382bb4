import {
  addKeys,
  type FieldsRule,
  fields,
  listed,
  nothing,
  ofTools,
  type Rule,
  type SaidValue,
  typedTools,
  url,
  words,
} from './field-rules.ts';

const types = words(
  'text image document tool_use tool_result thinking redacted_thinking search_result tool_reference tool_addition tool_removal compaction',
  {
    ofTools:
      'server_tool_use web_search_tool_result web_search_result web_fetch_tool_result web_fetch_result code_execution_tool_result code_execution_result code_execution_output bash_code_execution_tool_result bash_code_execution_result bash_code_execution_output text_editor_code_execution_tool_result tool_search_tool_result tool_search_tool_search_result mcp_tool_use mcp_tool_result web_search_tool_result_error web_fetch_tool_result_error code_execution_tool_result_error',
  },
);

/** Keys of what the provider's tools found. */
const ofResults =
  'url encrypted_content page_age retrieved_at error_code server_name stdout stderr return_code tool_references';

const partKeys: Record<string, Rule> = {
  type: types,
  ...Object.fromEntries(ofResults.split(' ').map((key) => [key, ofTools])),
};
const parts = fields(
  `text title context cache_control citations id name input tool_use_id is_error thinking signature data tool_name tool caller`,
  partKeys,
  { whole: { keys: new Set(['type', 'source']), judge: judgePart } },
);
const source = fields('media_type data', {
  type: words('base64 text content', { ofUrls: 'url' }),
  content: parts,
  url,
  file_id: nothing,
});
addKeys(parts, { content: parts, source });

const tools = typedTools(
  `name description input_schema strict cache_control defer_loading eager_input_streaming input_examples allowed_callers
  max_characters`,
  /^(?:custom|(?:bash|text_editor|memory)_\d{8})$/,
);

/** The source of a search result is its name, which nobody fetches. That of all other parts is an object. */
function judgePart(said: readonly SaidValue[]): string | undefined {
  const isNamed = said.some(({ key, value }) => key === 'source' && typeof value === 'string' && value !== '');
  if (!isNamed) return undefined;
  const types = said.filter(({ key }) => key === 'type');
  return types.length > 0 && types.every(({ value }) => value === 'search_result') ? undefined : 'source';
}

/** The Messages API. */
export const anthropicFields: FieldsRule = fields(
  `model max_tokens metadata stop_sequences stream temperature top_k top_p thinking output_config output_format
  context_management service_tier cache_control speed betas safeguards`,
  {
    messages: fields('role id', { content: parts }),
    system: parts,
    tools,
    tool_choice: fields('name disable_parallel_tool_use', { type: words('auto any tool none') }),
    container: listed('container'),
    mcp_servers: listed('mcp_servers'),
  },
);
