export type Drawing = { file: Blob; maxEdgePixels: number };

/**
 * Draws an image within a longest edge, upright, in its own type. Returns undefined where it is small enough, or the copy is no smaller. A worker runs its text,
 * so it uses nothing of this module.
 */
export async function drawSmaller({ file, maxEdgePixels }: Drawing): Promise<Blob | undefined> {
  const bitmap = await createImageBitmap(file, { imageOrientation: 'from-image' });
  try {
    const scale = maxEdgePixels / Math.max(bitmap.width, bitmap.height);
    if (scale >= 1) return undefined;
    const width = Math.max(1, Math.round(bitmap.width * scale));
    const height = Math.max(1, Math.round(bitmap.height * scale));
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext('2d');
    if (!context) return undefined;
    context.imageSmoothingQuality = 'high';
    context.drawImage(bitmap, 0, 0, width, height);
    const drawn = await canvas.convertToBlob({ type: file.type, quality: 0.9 });
    // A browser writes PNG instead of a type that it cannot write.
    return drawn.type === file.type && drawn.size < file.size ? drawn : undefined;
  } finally {
    bitmap.close();
  }
}
