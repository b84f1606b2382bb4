import {
  type FieldsRule,
  fields,
  inline,
  listed,
  nothing,
  ofTools,
  type SaidValue,
  typedTools,
  url,
  words,
} from './field-rules.ts';

const OWN_TOOLS = /^(?:function|custom|namespace|local_shell|apply_patch|tool_search)$/;

const tools = typedTools(
  `name description parameters strict format execution defer_loading function output_schema`,
  OWN_TOOLS,
);

const parts = fields('text detail filename refusal annotations logprobs encrypted_content cache_control', {
  type: words('input_text output_text input_image input_file input_audio text refusal summary_text reasoning_text', {
    ofTools: 'computer_screenshot',
  }),
  image_url: url,
  file_url: url,
  audio_url: url,
  file_data: inline,
  file_id: nothing,
  input_audio: fields('format', { data: inline }),
});

const types = words(
  `message agent_message reasoning function_call function_call_output custom_tool_call custom_tool_call_output local_shell_call local_shell_call_output apply_patch_call apply_patch_call_output tool_search_call tool_search_output additional_tools compaction compaction_summary context_compaction compaction_trigger configuration_update ghost_snapshot`,
  {
    ofTools:
      'web_search_call file_search_call code_interpreter_call image_generation_call computer_call computer_call_output mcp_call mcp_list_tools mcp_approval_request mcp_approval_response shell_call shell_call_output',
  },
);

const items = fields(
  `role id status phase name namespace arguments call_id input summary encrypted_content action execution operation
  author recipient metadata internal_chat_message_metadata_passthrough ghost_commit created_by end_turn`,
  {
    type: types,
    content: parts,
    output: parts,
    tools,
    ...Object.fromEntries(
      'queries results result code outputs server_label pending_safety_checks approval_request_id approve reason error revised_prompt'
        .split(' ')
        .map((key) => [key, ofTools]),
    ),
  },
  { whole: { keys: new Set(['type', 'id', 'role', 'content', 'encrypted_content']), judge: judgeItem } },
);

/**
 * An item with an id and without what it says is the one that the provider stored. A summary of a reasoning is not what it says: the provider
 * looks for the rest by its id.
 */
function judgeItem(said: readonly SaidValue[]): string | undefined {
  const valuesOf = (wanted: string) => said.filter(({ key }) => key === wanted).map(({ value }) => value);
  const has = (key: string) => valuesOf(key).length > 0 && !valuesOf(key).includes(null);
  const isFull = (key: string) => has(key) && valuesOf(key).every((value) => value !== '' && value !== false);
  if (!valuesOf('id').some((id) => id !== null && id !== '')) return undefined;
  const types = valuesOf('type');
  const saysItself = (type: SaidValue['value']) => {
    if (type === null) return has('role') && has('content');
    if (type === 'message') return has('content');
    if (type === 'reasoning') return isFull('encrypted_content') || isFull('content');
    return type === 'compaction' || type === 'compaction_summary' ? isFull('encrypted_content') : true;
  };
  return (types.length === 0 ? [null] : types).every(saysItself) ? undefined : 'id';
}

/** The Responses API. What it has stored is named by no id: it may be another agent's. */
export const responsesFields: FieldsRule = fields(
  `model instructions parallel_tool_calls reasoning store stream stream_options include service_tier prompt_cache_key
  prompt_cache_retention prompt_cache_options text client_metadata metadata max_output_tokens max_tool_calls temperature top_p
  top_logprobs truncation user safety_identifier context_management`,
  {
    input: items,
    tools,
    tool_choice: fields('name mode', {
      type: words('function custom allowed_tools local_shell apply_patch tool_search', {
        ofTools: 'web_search web_search_preview file_search code_interpreter image_generation computer_use_preview mcp',
      }),
      tools,
    }),
    background: nothing,
    previous_response_id: nothing,
    conversation: nothing,
    prompt: listed('prompt'),
  },
);
