import { any, type FieldsRule, fields, model, nothing, ofTools, type Rule, url } from './field-rules.ts';

const data = fields('mimeType mime_type data displayName display_name');
const file = fields('mimeType mime_type displayName display_name', { fileUri: url, file_uri: url }, { text: url });
const files = { inlineData: data, inline_data: data, fileData: file, file_data: file };
const result = fields('id name response scheduling willContinue will_continue', { parts: fields('', files) });

const parts = fields(
  `text thought thoughtSignature thought_signature functionCall function_call videoMetadata video_metadata mediaResolution
  media_resolution`,
  {
    ...files,
    functionResponse: result,
    function_response: result,
    executableCode: ofTools,
    executable_code: ofTools,
    codeExecutionResult: ofTools,
    code_execution_result: ofTools,
    toolCall: ofTools,
    tool_call: ofTools,
    toolResponse: ofTools,
    tool_response: ofTools,
  },
);
const content = fields('role', { parts });
const tools = fields('functionDeclarations function_declarations', {}, { text: nothing, tool: { by: 'key' } });

/** Names in both spellings that Google takes. */
const spellBoth = (names: string) => `${names} ${names.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;

/** All but what chooses another model. */
const config = fields(
  spellBoth(
    `temperature topP topK candidateCount maxOutputTokens stopSequences responseMimeType responseSchema responseJsonSchema
    _responseJsonSchema responseFormat presencePenalty frequencyPenalty responseLogprobs logprobs seed responseModalities
    speechConfig thinkingConfig mediaResolution imageConfig audioTimestamp enableAffectiveDialog
    enableEnhancedCivicAnswers`,
  ),
);

const asked: Record<string, Rule> = {
  contents: content,
  systemInstruction: content,
  system_instruction: content,
  tools,
  cachedContent: nothing,
  cached_content: nothing,
  generationConfig: config,
  generation_config: config,
  ...Object.fromEntries(
    spellBoth('toolConfig safetySettings labels')
      .split(' ')
      .map((name) => [name, any]),
  ),
};
const nested = fields('', { ...asked, model });

/** Google's API. A count of tokens may have the whole request within. */
export const googleFields: FieldsRule = fields('', {
  ...asked,
  generateContentRequest: nested,
  generate_content_request: nested,
});
