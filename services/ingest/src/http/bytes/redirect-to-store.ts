import { type BlobStore, parseBlobKey } from '@attache/blob-store';
import { formatDisposition } from './content-disposition.ts';

const REDIRECT_SECONDS = 300;

type Redirected = { key: string; name: string; mimeType: string };

/**
 * The store serves the bytes if clients reach it themselves. Its URL ends soon, never after the signed URL, which lasts for `leftSeconds`, and
 * not before a cached copy of this answer. Undefined where the store has no such address, or less than a second is left. The store sends no CSP, so nothing
 * is opened on its address: a page can still show such a picture in an `<img>`.
 */
export async function redirectToStore(
  blobs: Pick<BlobStore, 'presign'>,
  { key, name, mimeType }: Redirected,
  leftSeconds: number,
): Promise<Response | undefined> {
  const expiresInSeconds = Math.min(REDIRECT_SECONDS, Math.floor(leftSeconds));
  if (!blobs.presign || expiresInSeconds < 1) return undefined;
  const disposition = formatDisposition('attachment', name);
  const location = await blobs.presign(parseBlobKey(key), { expiresInSeconds, disposition, mimeType });
  const cacheControl = `private, max-age=${Math.floor(expiresInSeconds / 2)}`;
  return new Response(null, {
    status: 302,
    headers: { location, 'cache-control': cacheControl, 'referrer-policy': 'no-referrer' },
  });
}
