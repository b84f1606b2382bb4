import { decodeRuns } from './decode-runs.ts';
import { findCandidates, ID_LENGTH } from './find-candidates.ts';

/**
 * Adds the candidates of all layers of `text`: decoded until nothing is left to decode, as percent-encoding and as JSON in every order.
 * Ends beyond `maxLength`. Returns the length of all layers.
 */
export function scanLayers(
  text: string,
  { maxLength, maxCount }: { maxLength: number; maxCount: number },
  found: Set<string>,
): number {
  const pending = [text];
  const seen = new Set<string>();
  let length = 0;
  for (let layer = pending.pop(); layer !== undefined; layer = pending.pop()) {
    if (seen.has(layer)) continue;
    seen.add(layer);
    length += layer.length;
    if (length > maxLength) break;
    findCandidates(layer, found, maxCount);
    for (const next of decodeRuns(layer, ID_LENGTH)) pending.push(next);
  }
  return length;
}
