import type { Attachment, Variant } from '@attache/contracts';
import type { Api } from '@attache/test-harness';
import { vi } from 'vitest';

/** The preview of an inspected picture, which is made after it is ready. */
export async function waitForPreview(api: Api, attachmentId: string): Promise<Variant> {
  return vi.waitFor(
    async () => {
      const { body } = await api.call<{ attachment: Attachment }>('GET', `/attachments/${attachmentId}`);
      const preview = body.attachment.variants.find(({ purpose }) => purpose === 'preview');
      if (!preview) throw new Error(`${attachmentId} has no preview`);
      return preview;
    },
    { timeout: 60_000, interval: 50 },
  );
}
