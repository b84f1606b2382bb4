import type { ByteReference } from '@attache/contracts';

const extensions: Record<string, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'application/pdf': 'pdf',
  'audio/wav': 'wav',
  'audio/mpeg': 'mp3',
  'text/plain': 'txt',
};

/** A file's name before an agent comes from the ids, never from what a person typed (DL-78). */
export const nameFile = (bytes: ByteReference): string =>
  `${bytes.variantId ?? bytes.attachmentId}.${extensions[bytes.mimeType] ?? 'bin'}`;
