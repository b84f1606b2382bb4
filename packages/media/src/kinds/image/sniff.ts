const formats = ['png', 'jpeg', 'gif', 'webp', 'tiff', 'avif', 'heic', 'heif'];
const types = new Set(formats.map((format) => `image/${format}`));

/** Whether images of this type can be decoded. */
export function isImage(mimeType: string): boolean {
  return types.has(mimeType);
}

/** Whether the further images of a file of this type are frames in time. */
export function isAnimatedFormat(mimeType: string): boolean {
  return mimeType === 'image/gif' || mimeType === 'image/webp';
}

/** Whether a file of this type has an end that shows when it is cut off, and that the decoder forgives. */
export function hasForgivenEnd(mimeType: string): boolean {
  return mimeType === 'image/png' || mimeType === 'image/heic' || mimeType === 'image/heif';
}
