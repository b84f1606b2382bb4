import { createPieceDigest } from '../string/piece-digest.ts';
import { createMediaDigest, type ReadMedia } from './media-digest.ts';

const SCHEME = 'data:';
const MAX_HEAD_BYTES = 256;
const HEAD = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w.+-]+=[\w.+-]*)*;base64$/i;
const COMMA = ','.charCodeAt(0);

export type ReadUrl = ReadMedia & { readonly mimeType?: string | undefined };

/** Reads what is given for a file: a data URL or, where the API takes it too, bare base64. Any other URL is a file that is not here. */
export function createUrlDigest(takesBase64: boolean) {
  let head: Buffer | undefined = Buffer.alloc(0);
  let mimeType: string | undefined;
  let media: ReturnType<typeof createMediaDigest> | undefined;
  const other = createPieceDigest();

  function takeHead(piece: Buffer, isLast: boolean): void {
    const known = Buffer.concat([head ?? Buffer.alloc(0), piece]);
    const comma = known.subarray(0, MAX_HEAD_BYTES).indexOf(COMMA);
    const isUrl = known.toString('latin1', 0, SCHEME.length).toLowerCase() === SCHEME;
    head = undefined;
    if (isUrl && comma !== -1) startMedia(known, comma);
    else if (!isLast && known.length < MAX_HEAD_BYTES) head = known;
    else if (!isUrl && takesBase64) media = createMediaDigest();
    if (head !== undefined) return;
    if (media === undefined) other.add(known);
    else media.take(known.subarray(isUrl ? comma + 1 : 0));
  }

  function startMedia(known: Buffer, comma: number): void {
    const [, found] = HEAD.exec(known.toString('latin1', 0, comma)) ?? [];
    if (found === undefined) return;
    mimeType = found.toLowerCase();
    media = createMediaDigest();
  }

  return {
    take(piece: Buffer, isLast: boolean): void {
      if (head !== undefined) takeHead(piece, isLast);
      else if (media === undefined) other.add(piece);
      else media.take(piece);
    },
    end: (): ReadUrl => {
      if (media !== undefined) return { ...media.end(), mimeType };
      return { ...other.end(Buffer.alloc(0)), isReadable: false };
    },
  };
}
