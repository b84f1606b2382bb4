const decodable = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/tiff', 'image/avif']);
const headerOnly = new Set(['image/heic', 'image/heif']);

/** Whether the decoder reads at least the header of this type. */
export function isImage(mimeType: string): boolean {
  return decodable.has(mimeType) || headerOnly.has(mimeType);
}

/** Whether the decoder reads the pixels of this type. Those of HEIC it does not. */
export function isDecodable(mimeType: string): boolean {
  return decodable.has(mimeType);
}

/** Whether the further images of a file of this type are frames in time. */
export function isAnimatedFormat(mimeType: string): boolean {
  return mimeType === 'image/gif' || mimeType === 'image/webp';
}
