import type { Socket } from 'node:net';
import type { AgentId } from '@attache/contracts';
import type { Logger } from '@attache/telemetry';
import type { RelayedContent } from './content/content-types.ts';
import type { RelayLimits } from './relay-limits.ts';

/** Formats of model APIs that the relay knows. */
export type ModelApi = 'anthropic' | 'openai-responses' | 'openai-chat' | 'google';

export type RelayOptions = {
  readonly log: Logger;
  readonly limits?: Partial<RelayLimits> | undefined;
  /** The folder for bodies that wait to be altered, in files without a name. The system's temporary folder if undefined. */
  readonly spoolFolder?: string | undefined;
  /** The program of the threads that read large bodies. Their own program if undefined. */
  readonly threadProgram?: URL | undefined;
};

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
  /** The endpoint for the program: a path of its own on loopback, then the path of `endpoint.baseUrl`. No slash at its end. */
  readonly baseUrl: string;
  /** The key for the program: `atr_` and 43 base64url characters. */
  readonly token: string;
  /**
   * Serves this agent, and no other, also on a unix socket, for a program without a network of its own. Returns the `baseUrl` of a program that
   * reaches the socket by `port` of its own loopback. Rejects with the system's error where it cannot listen.
   */
  listen(path: string, port: number): Promise<string>;
  /** Ends the wait of the agent's requests that are held: their turn is over. */
  endTurn(): void;
  /** Ends the agent's requests in progress and its socket; its token opens nothing any more. */
  close(): void;
};

export type RelayAccess = {
  /** The tenant of the agent: tenants that share a key of a provider take turns. Any string. Undefined: no tenant. */
  readonly tenant?: string | undefined;
  readonly agentId: AgentId;
  readonly epoch: number;
  /** The target's model. Undefined if the program chooses: then it may use any, unless `endpoint.models` names some. */
  readonly model: string | undefined;
  readonly endpoint: {
    readonly api: ModelApi;
    readonly baseUrl: string;
    /**
     * Reads the key; called at each use. Undefined if the API takes no key; then no key is sent. If it rejects because there is no key (SECRET_NOT_FOUND,
     * CONFIGURATION_INVALID), the program gets a 401, otherwise a 503.
     */
    readKey(): Promise<string | undefined>;
    /** Models that may be used besides `model`; if that is undefined, all models that may be used. */
    readonly models?: readonly string[] | undefined;
    /** Tools that the provider runs itself and that may be asked for, as `web_search`; with a date (`web_search_20250305`) that version alone. */
    readonly serverTools?: readonly string[] | undefined;
    /** Whether the provider may be asked to fetch a file from a URL that a request names. Undefined: `deny`. */
    readonly urlSources?: 'deny' | 'allow' | undefined;
  };
  /** The most that goes out, with its replacements. Undefined: as large as it comes. */
  readonly maxRequestBytes: number | undefined;
  /** Whether a turn of the agent runs. Asked when a request begins. */
  isInTurn(): boolean;
  /** The program's requests that may pass outside of a turn, and models that it may use besides `model`. */
  readonly errands: readonly Errand[];
  /**
   * The files and texts that do not go out, by digest, and what replaces each. The digest of a file is the sha256 of its bytes, that of a text the one in
   * `SpelledText`. The relay reads this when a request begins, and again once `overflow` has made room. If it is empty, requests stream through unchanged.
   */
  replacements?(): Replacements;
  /** Undefined: nothing is taken out of a request that is too large for its model. */
  readonly overflow?: Overflow | undefined;
  /** Undefined: each refusal of the provider goes to the program as it is. */
  readonly mending?: Mending | undefined;
  /** The beginnings of errands' texts that otherwise look like a turn's own request. */
  readonly errandTexts?: readonly string[] | undefined;
  /**
   * Why no model may be asked now: the tenant's tokens of the day are used. Asked when a generating request begins. Returns in how many seconds
   * it may; undefined: it may.
   */
  findQuotaWait?(): number | undefined;
  /** How long a request may be held, in milliseconds: until the turn has to end. Undefined: as long as the relay's limits allow. */
  findTimeLeft?(): number | undefined;
  /**
   * Called right before a request goes to the provider, whatever its kind. Where it rejects, the request is refused: the agent's session may have another owner
   * by now.
   */
  allowForward?(): Promise<void>;
  /** Called when a request is held because its key's provider said to wait. The function that it returns is called once, when the wait is over. */
  watchHold?(): () => void;
  /** Called with each connection to the agent's own socket; it closes one that is too many. */
  admit?(socket: Socket): void;
  /** Called when a request with the agent's token begins, and when the relay sends it again. What it returns is called once, when that has ended. */
  watchRequest?(): (record: RelayedRequest) => void;
};

/** The text in the place of a block. `first`: only so many of the first blocks with this digest are replaced; undefined: all. */
export type Replacement = { readonly text: string; readonly first?: number | undefined };

export type Replacements = ReadonlyMap<string, Replacement>;

/** Makes room in requests that may hold more than their model takes at once. */
export type Overflow = {
  /** Whether the next request may: it then waits on the disk until it is whole. `lengthBytes`: as its head says; undefined: it does not. */
  isLikely(lengthBytes: number | undefined): boolean;
  /**
   * Called with a generating request that is whole and was read without doubt, before it goes out. What it decides is in `replacements` when it resolves. If it
   * rejects, the request is refused: the agent's session may have another owner by now.
   */
  makeRoom(request: WholeRequest): Promise<void>;
};

/** Sends a request once more in its program's place, where the provider refuses a part of it by name. The program sees the last answer alone. */
export type Mending = {
  /** Whether the next request may hold a part that its provider refuses: it then waits on the disk, to be sent again. */
  isLikely(): boolean;
  /**
   * Called with a refused generating request that was read without doubt. Returns the digests of the parts that `replacements` has a text for once the
   * request is reported. It is sent again if these texts can take the parts' places.
   */
  listNamed(request: RefusedRequest): readonly string[];
};

/** A request as it went out, with the blocks marked that were replaced. */
export type RefusedRequest = {
  readonly model: string | undefined;
  readonly content: RelayedContent;
  readonly answer: ProviderAnswer;
};

/** A request before anything is replaced in it. */
export type WholeRequest = {
  readonly model: string | undefined;
  readonly content: RelayedContent;
  readonly sizeBytes: number;
};

/** The purpose of a request to a model API. */
export type RequestKind = 'models' | 'count-tokens' | 'generate';

/** Without `model`: with any model that may be asked. With it: with that one, which may then be asked by this kind also during a turn. */
export type Errand = { readonly kind: RequestKind; readonly model?: string | undefined };

/** The record of a request. Holds no content, no key and no path; may be logged, except for `refusal`. */
export type RelayedRequest = {
  readonly agentId: AgentId;
  readonly epoch: number;
  readonly method: string;
  /** `unknown`: none of the API's paths. */
  readonly kind: RequestKind | 'websocket' | 'unknown';
  /** As the program named it, at most 1,024 characters; undefined where it was not read. */
  readonly model: string | undefined;
  /** The status that the program got; undefined if its connection ended before. With `isMended` that of the refusal, which it did not get. */
  readonly status: number | undefined;
  /** The relay sent it again without the parts that this refusal named. That has a record of its own. */
  readonly isMended?: true;
  /** Why the relay itself answered, or broke the answer off. */
  readonly refused: RefusalCode | undefined;
  /** The field of the body, or the header, that was refused: letters, digits and few signs, whatever the program wrote. */
  readonly refusedField?: string;
  /** Whether the last byte of the answer reached the program's connection. */
  readonly isWhole: boolean;
  /** Bytes of the bodies. */
  readonly requestBytes: number;
  readonly responseBytes: number;
  /** From the head of the request to the head of the provider's answer. */
  readonly firstByteMs: number | undefined;
  /** The content of a generating request that went out whole; undefined for all other requests, and if the body could not be read without doubt. */
  readonly content: RelayedContent | undefined;
  /** How many blocks went out replaced, even if the request's content is not reported. Absent if none did. */
  readonly replacedBlocks?: number;
  /** The provider's response; undefined if there was none. */
  readonly answer: ProviderAnswer | undefined;
  /** Whether its last byte was handed to the provider's connection. */
  readonly hasLeft: boolean;
  /**
   * The provider's counts for a generating request. Undefined if it counted nothing: it refused, the response broke off too early, or, for `openai-chat`, the
   * program did not ask for counts.
   */
  readonly usage: CountedUsage | undefined;
  /** Whether these are all of its counts. A response that broke off may have the first ones alone. */
  readonly isCounted: boolean;
};

/** In tokens; one meaning for all APIs. */
export type CountedUsage = {
  /** All that the model read, what came from a cache included. */
  readonly inputTokens: number;
  /** The part of it that came from a cache. */
  readonly cachedInputTokens: number;
  /** All that it wrote, thoughts included. */
  readonly outputTokens: number;
};

export type ProviderAnswer = {
  readonly status: number;
  /** Whether the model began to answer: an event came that says so, and no error before it, or the first byte of an answer in one piece. */
  readonly hasBegun: boolean;
  /** Set for a status from 400 on, or for an error event before the model began. Its text may repeat content that the program sent: never log it. */
  readonly refusal: ProviderRefusal | undefined;
  /** The wait that the head of a refusal asks for, in milliseconds, at most ten minutes. Absent where it asks for none. */
  readonly retryAfterMs?: number;
};

export type ProviderRefusal = {
  readonly status: number;
  /** The first 64 KiB of the body as it came, or the first 16 KiB of the event's data; read as UTF-8. */
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
  | 'relay_ownership_lost'
  | 'relay_model_refused'
  | 'relay_server_tool_refused'
  | 'relay_field_refused'
  | 'relay_header_refused'
  | 'relay_body_malformed'
  | 'relay_body_too_large'
  | 'relay_body_idle'
  | 'relay_too_many_requests'
  | 'relay_spool_failed'
  | 'relay_tenant_quota'
  | 'relay_provider_limited'
  | 'relay_key_missing'
  | 'relay_key_unreadable'
  | 'relay_provider_timeout'
  | 'relay_provider_failed';
