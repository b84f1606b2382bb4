import { findHandler } from './find-handler.ts';
import { isMisread, leavesAll, leavesStreams, mendHandler } from './mend-handler.ts';

type Placed = {
  /** The document in the reader's memory, for each look again: it may move. */
  bytes(): Buffer;
  /** Opens it as its bytes are now; 0 where the reader refuses. */
  open(): number;
  close(handle: number): void;
};

/**
 * Opens a document that the reader refuses for its protection though no password is needed: other readers forgive what its handler says, or leaves out. The
 * copy in memory is changed. Undefined where a password is needed, or the protection is not known.
 */
export function openProtected({ bytes, open, close }: Placed): number | undefined {
  const handler = findHandler(bytes());
  const mended = handler && mendHandler(handler.entries);
  if (handler === undefined || mended === undefined) return undefined;
  if (!leavesAll(handler)) {
    if (!handler.replace(mended)) return undefined;
    const handle = open();
    if (handle === 0) return undefined;
    if (!leavesStreams(handler)) return handle;
    // No password is needed, and the pages are not encrypted: the reader would take them for it.
    close(handle);
  }
  findHandler(bytes())?.remove();
  const handle = open();
  return handle === 0 ? undefined : handle;
}

/** Whether the reader opened a protected document, and takes its protection for another one. */
export function isOpenedWrongly({ bytes }: Pick<Placed, 'bytes'>): boolean {
  const handler = findHandler(bytes());
  return handler !== undefined && isMisread(handler);
}
