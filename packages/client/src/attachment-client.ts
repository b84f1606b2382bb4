import type { Attachment } from '@attache/contracts';
import type { SignedUrl, UrlOptions } from './answers.ts';
import type { Requester } from './request/requester.ts';

export type AttachmentClient = {
  read(options?: { signal?: AbortSignal | undefined }): Promise<Attachment>;
  delete(): Promise<void>;
  /** A signed URL of the original, or of the variant with that id. */
  createUrl(options?: UrlOptions & { variant?: string }): Promise<SignedUrl>;
};

export function createAttachmentClient(requester: Requester, attachmentId: string): AttachmentClient {
  const path = `/attachments/${encodeURIComponent(attachmentId)}`;
  return {
    async read({ signal } = {}) {
      const { attachment } = await requester.call<{ attachment: Attachment }>({ path, signal });
      return attachment;
    },
    delete: () => requester.call({ method: 'DELETE', path }),
    createUrl: (options = {}) => requester.call({ method: 'POST', path: `${path}/urls`, body: options }),
  };
}
