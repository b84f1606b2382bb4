import type { ItemState } from './draft-state.ts';
import type { ImageContent } from './draft-types.ts';

/** Bytes turned into characters at a time: a call takes only so many arguments. */
const CHUNK_BYTES = 0x8000;

/** The images among the items in base64, in their order; those that failed are left out. */
export async function toImageContents(
  items: readonly ItemState[],
  fetchBytes: (url: string) => Promise<Blob>,
): Promise<ImageContent[]> {
  const images = items.filter(({ kind, stage }) => kind === 'image' && stage.name !== 'failed');
  const contents = await Promise.all(images.map((item) => toContent(item, fetchBytes)));
  return contents.flatMap((content) => content ?? []);
}

async function toContent(
  { name, mimeType, body, stage }: ItemState,
  fetchBytes: (url: string) => Promise<Blob>,
): Promise<ImageContent | undefined> {
  const url = 'displayUrl' in stage ? stage.displayUrl : undefined;
  const bytes = body ?? (url === undefined ? undefined : await fetchBytes(url));
  if (bytes === undefined) return undefined;
  return {
    data: toBase64(new Uint8Array(await bytes.arrayBuffer())),
    mimeType: bytes.type || mimeType,
    filename: name,
  };
}

function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES)
    text += String.fromCharCode(...bytes.subarray(at, at + CHUNK_BYTES));
  return btoa(text);
}
