import type { ModelApi } from '../relay-types.ts';

/** Keys at the top of a body under which a form of the answer may be asked for. */
export const answerFormKeys: Readonly<Record<ModelApi, readonly string[]>> = {
  anthropic: ['output_config', 'output_format'],
  'openai-responses': ['text'],
  'openai-chat': ['response_format'],
  google: ['generationConfig', 'generation_config'],
};

const FORMS = /^(?:json_schema|json_object|grammar|application\/json|text\/x\.enum)$/;

/** Whether the value of one of those keys asks for more than text: JSON, by a schema or without one. */
export function hasAnswerForm(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, inner]) => {
    if (/^response_?(?:json_?)?schema$/i.test(key)) return inner !== null;
    if (key === 'format') return hasAnswerForm(inner);
    return /^(?:type|response_?mime_?type)$/i.test(key) && typeof inner === 'string' && FORMS.test(inner);
  });
}
