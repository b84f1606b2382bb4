import type { ReduceImage } from '@attache/client';
import { type Drawing, drawSmaller } from './draw-smaller.ts';
import { HEAD_BYTES, isReducible } from './is-reducible.ts';

export type ReduceOptions = {
  /** Longest edge of what is uploaded, in pixels. The default is 4096. */
  maxEdgePixels?: number;
};

const DEFAULT_EDGE_PIXELS = 4096;

/**
 * Makes large JPEG, PNG and WebP images smaller in a worker before they are uploaded. Images that move, other types, and every image where the browser lacks
 * what this needs or forbids such workers, are sent as they are. An image is turned upright and never enlarged, and keeps its type and transparency.
 */
export function createImageReducer({ maxEdgePixels = DEFAULT_EDGE_PIXELS }: ReduceOptions = {}): ReduceImage {
  return async (file, { signal }) => {
    if (typeof Worker === 'undefined' || typeof OffscreenCanvas === 'undefined') return file;
    const head = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer());
    if (!isReducible(file.type, head)) return file;
    const drawn = await drawInWorker({ file, maxEdgePixels }, signal).catch(() => undefined);
    return drawn ?? file;
  };
}

/** A worker of its own for each image: ending it ends the work. */
function drawInWorker(drawing: Drawing, signal: AbortSignal): Promise<Blob | undefined> {
  const code = `const draw = ${drawSmaller}; onmessage = ({ data }) => draw(data).then(postMessage, () => postMessage(undefined));`;
  const url = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
  const worker = new Worker(url);
  return new Promise<Blob | undefined>((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = reject;
    signal.addEventListener('abort', reject, { once: true });
    if (signal.aborted) reject(signal.reason);
    worker.postMessage(drawing);
  }).finally(() => {
    worker.terminate();
    URL.revokeObjectURL(url);
  });
}
