import type { AgentId } from '@attache/contracts';
import type { Logger } from '@attache/telemetry';
import type { RelayedContent } from './content/content-types.ts';
import type { RelayLimits } from './relay-limits.ts';

/** Formats of model APIs that the relay knows. */
export type ModelApi = 'anthropic' | 'openai-responses' | 'openai-chat' | 'google';

export type RelayOptions = { readonly log: Logger; readonly limits?: Partial<RelayLimits> | undefined };

export type ModelRelay = {
  /**
   * A way of one agent to its model API. It ends the agent's earlier one. Where one of a later epoch is open, that stays and the returned
   * token opens nothing. Throws a TypeError where `endpoint.baseUrl` is no http or https URL.
   */
  open(access: RelayAccess): OpenedRelay;
  /** Ends all requests and connections, and listens no more. */
  stop(): Promise<void>;
};

export type OpenedRelay = {
  /** What the program is given as its endpoint: a path of its own on loopback, then the path of `endpoint.baseUrl`. No slash at its end. */
  readonly baseUrl: string;
  /** What the program is given as its key: `atr_` and 43 base64url characters. */
  readonly token: string;
  /** Ends the agent's requests under way; its token opens nothing any more. */
  close(): void;
};

export type RelayAccess = {
  readonly agentId: AgentId;
  readonly epoch: number;
  /** The target's model. Undefined where the program chooses: then any may be asked, unless `endpoint.models` names some. */
  readonly model: string | undefined;
  readonly endpoint: {
    readonly api: ModelApi;
    readonly baseUrl: string;
    /**
     * Read at each use. Undefined where the API takes no key; then no key is sent. Where it rejects because there is no key (SECRET_NOT_FOUND,
     * CONFIGURATION_INVALID), the program gets a 401, else a 503.
     */
    readKey(): Promise<string | undefined>;
    /** Models that may be asked beside `model`; those that may be asked, where that is undefined. */
    readonly models?: readonly string[] | undefined;
    /** Tools that the provider runs itself and that may be asked for, as `web_search`; with a date (`web_search_20250305`) that version alone. */
    readonly serverTools?: readonly string[] | undefined;
  };
  /** Undefined: as large as it comes. */
  readonly maxRequestBytes: number | undefined;
  /** Whether a turn of the agent runs. Asked when a request begins. */
  isInTurn(): boolean;
  /** What may pass outside of a turn, and models that may be asked beside `model`, by the program. */
  readonly errands: readonly Errand[];
  /** With what texts of errands begin that look like a turn's own request otherwise. */
  readonly errandTexts?: readonly string[] | undefined;
  /** Called when a request with the agent's token begins. What it returns is called once, when that has ended. */
  watchRequest?(): (record: RelayedRequest) => void;
};

/** What a request asks of a model API. */
export type RequestKind = 'models' | 'count-tokens' | 'generate';

/** Without `model`: with any model that may be asked. With it: with that one, which may then be asked by this kind also during a turn. */
export type Errand = { readonly kind: RequestKind; readonly model?: string | undefined };

/** What became of a request. Holds no content, no key and no path; may be logged, but for `refusal`. */
export type RelayedRequest = {
  readonly agentId: AgentId;
  readonly epoch: number;
  readonly method: string;
  /** `unknown`: none of the API's paths. */
  readonly kind: RequestKind | 'websocket' | 'unknown';
  /** As the program named it, at most 1,024 characters; undefined where it was not read. */
  readonly model: string | undefined;
  /** What the program was answered; undefined where its connection ended before. */
  readonly status: number | undefined;
  /** Why the relay itself answered, or broke the answer off. */
  readonly refused: RefusalCode | undefined;
  /** Whether the last byte of the answer reached the program's connection. */
  readonly isWhole: boolean;
  /** Bytes of the bodies. */
  readonly requestBytes: number;
  readonly responseBytes: number;
  /** From the head of the request to the head of the provider's answer. */
  readonly firstByteMs: number | undefined;
  /** What a generating request held that went out whole; undefined of all others, and where that was not read without doubt. */
  readonly content: RelayedContent | undefined;
  /** What the provider answered; undefined where it did not. */
  readonly answer: ProviderAnswer | undefined;
};

export type ProviderAnswer = {
  readonly status: number;
  /** Whether the model began to answer: the first event came, and is no error, or the first byte of an answer in one piece. */
  readonly hasBegun: boolean;
  /** Of a status from 400 on. Its text may repeat what the program sent: it is not to be logged. */
  readonly refusal: ProviderRefusal | undefined;
};

export type ProviderRefusal = {
  readonly status: number;
  /** Of the body as it came, its first 64 KiB, read as UTF-8. */
  readonly text: string;
};

/** Why the relay answers by itself. */
export type RefusalCode =
  | 'relay_token_refused'
  | 'relay_url_refused'
  | 'relay_path_unknown'
  | 'relay_method_refused'
  | 'relay_websocket_refused'
  | 'relay_encoding_refused'
  | 'relay_outside_turn'
  | 'relay_model_refused'
  | 'relay_server_tool_refused'
  | 'relay_body_malformed'
  | 'relay_body_too_large'
  | 'relay_body_idle'
  | 'relay_too_many_requests'
  | 'relay_key_missing'
  | 'relay_key_unreadable'
  | 'relay_provider_timeout'
  | 'relay_provider_failed';
