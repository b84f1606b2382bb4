/** Name of the variable by which a gateway finds the children of its earlier lives. */
export const CHILD_MARKER_VARIABLE = 'ATTACHE_CHILD_OF';

/** `replica` is the same over restarts (derived from the data folder or the replica's name); `incarnation` is not, and holds no dot. */
export type ChildMarker = { replica: string; incarnation: string };

export function childMarker({ replica, incarnation }: ChildMarker): string {
  return `${replica}.${incarnation}`;
}

/** Incarnation that made a process with this marker, where the process belongs to `replica`. */
export function incarnationOf(marker: string, replica: string): string | undefined {
  const dot = marker.lastIndexOf('.');
  return marker.slice(0, dot) === replica ? marker.slice(dot + 1) : undefined;
}
