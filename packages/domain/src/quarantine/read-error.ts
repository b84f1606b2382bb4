import type { Refusal, RefusalApi } from './refusal-meaning.ts';

/** The structured fields of an API's error. No prose. */
export type ApiError = {
  readonly status: number;
  /** The error type; for Google, its status, such as `INVALID_ARGUMENT`. Empty if there is none. */
  readonly type: string;
  readonly code: string;
  /** Google's word for it, such as `API_KEY_INVALID`. Empty if there is none. */
  readonly reason: string;
  /** The place of the refused content, as this API spells it; empty if it names none. */
  readonly named: string;
};

type Fields = Readonly<Record<string, unknown>>;

/** A path that an API puts at the start of its message, or into quotes in it. */
const pathsInMessage: Readonly<Record<RefusalApi, RegExp>> = {
  anthropic: /^(messages\.\d+[\w.]*)(?=:)/,
  'openai-responses': /'(input(?:\[\d+\])[\w.[\]]*)'/,
  'openai-chat': /'(messages\.?\[\d+\][\w.[\]]*)'/,
  google: /(?:^\* ?\w+\.|')(contents\[\d+\][\w.[\]]*)[:']/,
};

/** Reads the body of a refusal; one that has another form says no more than its status. */
export function readError(api: RefusalApi, { status, text }: Refusal): ApiError {
  const body = parseFields(text);
  const error = findError(body);
  const message = textOf(error.message);
  return {
    status,
    type: textOf(api === 'google' ? error.status : error.type),
    code: api === 'google' ? '' : textOf(error.code),
    reason:
      listFields(error.details)
        .map(({ reason }) => textOf(reason))
        .find((reason) => reason !== '') ?? '',
    named: readParam(error) || (pathsInMessage[api].exec(message)?.[1] ?? ''),
  };
}

/** In an event of a stream OpenAI puts it into its response, or says it at the top. */
function findError(body: Fields): Fields {
  const { error = fieldsOf(body.response).error } = body;
  return error === undefined && body.type === 'error' ? body : fieldsOf(error);
}

/** OpenAI names what is wrong in a field, Google in a list of violations. */
function readParam({ param, details }: Fields): string {
  if (typeof param === 'string') return param;
  const violations = listFields(details).flatMap(({ fieldViolations }) => listFields(fieldViolations));
  return violations.map(({ field }) => textOf(field)).find((field) => field !== '') ?? '';
}

/** Google sends a list of one object where events were asked for in another form. */
function parseFields(text: string): Fields {
  try {
    const parsed: unknown = JSON.parse(text);
    return fieldsOf(Array.isArray(parsed) ? parsed[0] : parsed);
  } catch {
    return {};
  }
}

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? { ...value } : {});
const listFields = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
