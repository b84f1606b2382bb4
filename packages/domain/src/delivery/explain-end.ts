import type { Failure, FailureCode } from '@attache/contracts';
import { readError } from '../quarantine/read-error.ts';
import { readRefusal } from '../quarantine/read-refusal.ts';
import { readTrouble, type Trouble } from '../quarantine/read-trouble.ts';
import type { Refusal, RefusalApi } from '../quarantine/refusal-meaning.ts';
import { findWait } from './find-wait.ts';

/** The end of a turn's last request to its model, as the relay saw it. */
export type RequestEnd =
  /** The whole answer reached the program. */
  | { readonly as: 'answered' }
  /** The model began to answer, and its answer broke off. */
  | { readonly as: 'broken' }
  | { readonly as: 'unreached' }
  /** `retryAfterMs`: the wait that the head of the provider's answer asks for. */
  | {
      readonly as: 'refused';
      readonly api: RefusalApi;
      readonly refusal: Refusal;
      readonly retryAfterMs: number | undefined;
    }
  /** The relay answered in the provider's place. `field`: the part of the request that it does not pass on. */
  | { readonly as: 'kept-back'; readonly code: string; readonly field: string | undefined };

type Refused = Extract<RequestEnd, { as: 'refused' }>;
type Explained = Pick<Failure, 'code' | 'userMessage' | 'retryable'> & {
  safeDetails?: NonNullable<Failure['safeDetails']>;
};

/** Programs say these of their model; the relay knows better. */
const ofModel: ReadonlySet<FailureCode> = new Set([
  'attachment_provider_rejected',
  'attachment_provider_quota_exceeded',
  'attachment_earlier_rejected',
  'delivery_agent_auth_required',
  'delivery_runtime_transport_failed',
]);

/** The failure of a turn, by the end of its last request. A program ends a turn in its own words: some call an outage a refusal, or a limit of seconds a quota. */
export function explainEnd(failure: Failure, end: RequestEnd | undefined, hasFiles: boolean): Failure {
  if (end === undefined) return failure;
  // Only a turn that took too long has its limit among the details.
  if (failure.safeDetails?.turnMs !== undefined) return explainTimeout(failure, end);
  if (!ofModel.has(failure.code)) return failure;
  const explained = explain(failure, end, hasFiles);
  if (explained === undefined) return failure;
  const safeDetails = { ...failure.safeDetails, ...explained.safeDetails };
  return { ...failure, ...explained, ...(Object.keys(safeDetails).length > 0 && { safeDetails }) };
}

function explain(failure: Failure, end: RequestEnd, hasFiles: boolean): Explained | undefined {
  switch (end.as) {
    case 'answered':
      return isOfContent(failure) ? away(NOT_USED) : undefined;
    case 'broken':
      return away('The answer of the model broke off. Nothing is wrong with the conversation: retry.');
    case 'unreached':
      return away('The model API could not be reached, or did not answer. Retry in a while.');
    case 'refused':
      return explainRefused(failure, end, hasFiles);
    case 'kept-back':
      return explainKeptBack(end);
    default:
      return end satisfies never;
  }
}

/** A program's claim that the provider refused what it was sent. */
const isOfContent = ({ code }: Failure): boolean =>
  code === 'attachment_provider_rejected' || code === 'attachment_earlier_rejected';

/** The code of a failure whose reason its program does not say. */
const UNSAID = 'delivery_runtime_transport_failed';

const NOT_USED = "The program could not use the model's answer. Read the diagnostic, then retry.";

const away = (userMessage: string, safeDetails?: Explained['safeDetails']): Explained => ({
  ...{ code: UNSAID, userMessage, retryable: true },
  ...(safeDetails && { safeDetails }),
});

function explainRefused(failure: Failure, end: Refused, hasFiles: boolean): Explained | undefined {
  const { api, refusal } = end;
  const { status } = refusal;
  const safeDetails = { status };
  const trouble = readTrouble(api, readError(api, refusal));
  if (trouble !== undefined) return explainTrouble(trouble, status);
  switch (status) {
    case 200:
      // An error in a stream, before the model began: a row knows it as a refusal, or it is the provider's trouble.
      return readRefusal(api, refusal).kind === 'none' ? away(describeAway('an error in its stream')) : undefined;
    case 400:
    case 413:
    case 415:
    case 422:
      // A program that names another reason has read the provider's words.
      return hasFiles && failure.code === UNSAID ? { ...rejected, safeDetails } : undefined;
    case 401:
    case 403:
      return explainTrouble('key', status);
    case 402:
      return explainTrouble('quota', status);
    case 404:
      return away(
        "The model API does not know this model or path, or offers no model for what was sent (status 404). Read the diagnostic; check the target's model and endpoint.baseUrl of the profile.",
        safeDetails,
      );
    case 429:
      return explainLimit(end);
    default:
      return away(describeAway(`status ${status}`), safeDetails);
  }
}

const rejected: Explained = {
  code: 'attachment_provider_rejected',
  userMessage: 'The model API refused the message with its attachments. Read the diagnostic; send it without them.',
  retryable: false,
};

const describeAway = (what: string): string =>
  `The model API answered with ${what}. Nothing is wrong with the conversation: retry in a while.`;

/** OpenAI's codes for a rate, whose wait it says in words alone. */
const OF_RATE = /^(?:rate_limit_exceeded|slow_down)$/;

function explainLimit(end: Refused): Explained {
  const waitMs = findWait(end);
  if (waitMs === undefined && !OF_RATE.test(readError(end.api, end.refusal).code)) return explainTrouble('quota', 429);
  const seconds = waitMs === undefined ? undefined : Math.max(1, Math.ceil(waitMs / 1000));
  return {
    code: 'attachment_provider_rate_limited',
    userMessage: `The provider takes no more requests for now. Wait ${seconds === undefined ? 'a moment' : `${seconds} s`}, then retry.`,
    retryable: true,
    safeDetails: { status: 429, ...(seconds !== undefined && { retryAfterSeconds: seconds }) },
  };
}

function explainTrouble(trouble: Trouble, status: number): Explained {
  const safeDetails = { status };
  switch (trouble) {
    case 'key': {
      const userMessage = `The model API refused the key, or what it was used for (status ${status}). Read the diagnostic; give the profile's endpoint a key that is allowed this, then retry.`;
      return { code: 'delivery_agent_auth_required', userMessage, retryable: true, safeDetails };
    }
    case 'quota': {
      const userMessage = "The provider's quota is used up. Wait or raise it, then retry.";
      return { code: 'attachment_provider_quota_exceeded', userMessage, retryable: true, safeDetails };
    }
    case 'setting':
      return away(
        `The model API refuses a setting of the program's request, and no file (status ${status}). Read the diagnostic; check whether the program fits the model.`,
        safeDetails,
      );
    default:
      return trouble satisfies never;
  }
}

const keptBack: Readonly<Record<string, Explained>> = {
  relay_tenant_quota: {
    code: 'attachment_provider_quota_exceeded',
    userMessage: "The tenant's tokens of the day are used. Retry tomorrow in UTC, or raise its limit.",
    retryable: true,
  },
  relay_provider_limited: {
    code: 'attachment_provider_rate_limited',
    userMessage: 'The provider takes no more requests under its key for longer than the turn may last. Retry later.',
    retryable: true,
  },
  relay_key_missing: {
    code: 'delivery_agent_auth_required',
    userMessage: "The key of the model API is missing or cannot be opened. Set it where the profile's endpoint says.",
    retryable: true,
  },
  relay_key_unreadable: away('The key of the model API could not be read. Retry; the operator finds why in the log.'),
  relay_body_too_large: {
    code: 'attachment_serialized_payload_too_large',
    userMessage: 'The request is larger than the model takes. Send fewer or smaller files.',
    retryable: false,
  },
};

function explainKeptBack({ code, field }: Extract<RequestEnd, { as: 'kept-back' }>): Explained {
  const known = keptBack[code];
  if (known !== undefined) return known;
  const named = field === undefined ? code : `${code}, ${field}`;
  return away(
    `The relay did not pass a request of the program on (${named}). The operator finds in the pages about agents what it passes.`,
    { relay: code },
  );
}

function explainTimeout(failure: Failure, end: RequestEnd): Failure {
  const what = describeTrouble(end);
  if (what === undefined) return failure;
  const userMessage = `${what}, and the program asked again until the time of the turn was over. Retry in a while.`;
  return { ...failure, userMessage };
}

function describeTrouble(end: RequestEnd): string | undefined {
  if (end.as === 'refused') return `The model API answered with status ${end.refusal.status}`;
  if (end.as === 'broken') return 'The answer of the model broke off';
  return end.as === 'unreached' ? 'The model API could not be reached' : undefined;
}
