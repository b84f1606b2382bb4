/** Qualities that an image is encoded in as JPEG until it fits, from good to the floor (DL-85). */
export const jpegQualities = [85, 75, 68, 60] as const;

/** How well an image of this type is kept, for people. */
export function describeQuality(mimeType: 'image/png' | 'image/jpeg'): string {
  return mimeType === 'image/png'
    ? 'without loss'
    : `in quality ${jpegQualities[0]}, down to ${jpegQualities.at(-1)} where it must`;
}
