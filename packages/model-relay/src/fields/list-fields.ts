import type { ModelApi } from '../relay-types.ts';
import { anthropicFields } from './anthropic-fields.ts';
import { chatFields } from './chat-fields.ts';
import type { FieldsRule } from './field-rules.ts';
import { googleFields } from './google-fields.ts';
import { responsesFields } from './responses-fields.ts';

/** The fields that a request of each API may hold, from its top on. */
export const fieldsOf: Readonly<Record<ModelApi, FieldsRule>> = {
  anthropic: anthropicFields,
  'openai-responses': responsesFields,
  'openai-chat': chatFields,
  google: googleFields,
};
