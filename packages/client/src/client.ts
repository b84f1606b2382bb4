import type { Delivery } from '@attache/contracts';
import { type AttachmentClient, createAttachmentClient } from './attachment-client.ts';
import { createRequester } from './request/requester.ts';
import { createTokenKeeper, type GetToken } from './request/token-keeper.ts';
import { createSessionClient, type SessionClient } from './session-client.ts';
import type { UploadWay } from './upload/upload-way.ts';

export type ClientOptions = {
  /** Root of the service or of a proxy in front of it: absolute, or a path of the page's origin (`/attache`). A path prefix is kept. */
  baseUrl: string;
  /**
   * The bearer token. Asked once and kept until the server answers 401; then asked once more for all requests together. Without it no
   * Authorization header is sent, and cookies of the same origin go along.
   */
  getToken?: GetToken | undefined;
  /** `/v1` without it. */
  basePath?: string | undefined;
  /** Used for every request, in the place of the runtime's own. Uploads then report progress only at their end. */
  fetch?: typeof fetch | undefined;
  /** Ways to upload that come before the raw PUT; the first that supports a file is taken. */
  ways?: readonly UploadWay[] | undefined;
};

export type DeliveryClient = {
  read(options?: { signal?: AbortSignal }): Promise<Delivery>;
  /** Tries a failed delivery again. Rejects with `NOT_RETRYABLE` where that cannot help. */
  retry(): Promise<Delivery>;
  /** Cancels it; after it was written, its turn is interrupted. */
  cancel(): Promise<Delivery>;
};

export type Client = {
  /** The session of that id. Sends no request. */
  session(sessionId: string): SessionClient;
  attachment(attachmentId: string): AttachmentClient;
  delivery(deliveryId: string): DeliveryClient;
};

/** A client of one service. Sends no request by itself; every call rejects with an `AttacheError`. */
export function createClient(options: ClientOptions): Client {
  const { baseUrl, basePath = '/v1', getToken, fetch, ways = [] } = options;
  const requester = createRequester({ baseUrl, basePath, fetch, tokens: createTokenKeeper(getToken) });
  return {
    session: (sessionId) => createSessionClient({ requester, ways }, sessionId),
    attachment: (attachmentId) => createAttachmentClient(requester, attachmentId),
    delivery(deliveryId) {
      const path = `/deliveries/${encodeURIComponent(deliveryId)}`;
      const call = async (request: { method?: 'POST'; path: string; signal?: AbortSignal | undefined }) =>
        (await requester.call<{ delivery: Delivery }>(request)).delivery;
      return {
        read: ({ signal } = {}) => call({ path, signal }),
        retry: () => call({ method: 'POST', path: `${path}/retry` }),
        cancel: () => call({ method: 'POST', path: `${path}/cancel` }),
      };
    },
  };
}
