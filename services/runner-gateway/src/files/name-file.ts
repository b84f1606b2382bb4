import type { ByteReference } from '@attache/contracts';
import { extensionOf } from './file-extension.ts';

/** A file's name before an agent comes from the ids, never from a name that a person typed (DL-78). */
export const nameFile = (bytes: ByteReference): string =>
  `${bytes.variantId ?? bytes.attachmentId}.${extensionOf(bytes.mimeType)}`;
