/** One stream of sound or pictures with at least one whole frame. Sizes in pixels, as it is shown. */
export type Track = {
  kind: 'audio' | 'video';
  codec?: string | undefined;
  width?: number | undefined;
  height?: number | undefined;
};

/** The facts that a reader found in a file that it accepts. `durationMs` covers the frames that are present; it is not a header's claim. */
export type Recording = { container: string; tracks: Track[]; durationMs?: number | undefined };

/** Undefined for a file in which the reader finds no whole frame. */
export type Reader = (path: string) => Promise<Recording | undefined> | Recording | undefined;

// A longer one is no recording but a number in a header.
const mostSeconds = 31 * 24 * 3600;

/** Milliseconds of seconds; undefined for what is no length of time. */
export function toDurationMs(seconds: number): number | undefined {
  return seconds >= 0 && seconds <= mostSeconds ? Math.round(seconds * 1e6) / 1e3 : undefined;
}
