import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type Attachment, agentFileSchema, type VariantId } from '@attache/contracts';
import { ResolveError } from './errors.ts';
import type { GatewayClient } from './gateway-client.ts';

export type BytesOptions = { variant?: VariantId };

/** An attachment that this agent may use. It has no base64 form (AT-11). */
export type AttachmentHandle = {
  readonly attachment: Attachment;
  /** Undefined if the file is not `ready`: then an agent cannot get its bytes either. */
  readonly displayUrl: string | undefined;
  /** The whole file in memory. */
  bytes(options?: BytesOptions): Promise<Buffer>;
  stream(options?: BytesOptions): Promise<Readable>;
  /** Path of a read-only copy in the agent's own folder; no bytes pass through this process. */
  localPath(options?: BytesOptions): Promise<string>;
  /** A signed URL that shows the file to a person. Throws `ResolveError` where the file is not `ready`. */
  url(): string;
};

/** Paths of the gateway's socket. */
export const attachmentsPath = '/agent/attachments';
export const attachmentPath = (id: string) => `${attachmentsPath}/${encodeURIComponent(id)}`;

export function createAttachmentHandle(
  client: GatewayClient,
  { attachment, displayUrl }: { attachment: Attachment; displayUrl?: string | undefined },
): AttachmentHandle {
  const base = attachmentPath(attachment.id);
  const stream = (options: BytesOptions = {}) => client.send({ method: 'GET', path: `${base}/bytes${query(options)}` });
  return {
    attachment,
    displayUrl,
    stream,
    bytes: async (options) => await buffer(await stream(options)),
    localPath: async (options = {}) => {
      const answer = await client.sendForJson({ method: 'POST', path: `${base}/file${query(options)}` });
      return agentFileSchema.parse(answer).path;
    },
    url: () => {
      if (displayUrl === undefined) throw new ResolveError(attachment.id);
      return displayUrl;
    },
  };
}

function query({ variant }: BytesOptions): string {
  return variant === undefined ? '' : `?${new URLSearchParams({ variant })}`;
}
