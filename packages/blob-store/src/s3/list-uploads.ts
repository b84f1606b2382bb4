import { type BlobKey, isBlobKey } from '../blob-key.ts';
import { callS3 } from './call.ts';
import type { S3 } from './client.ts';

export type ListedUpload = { key: BlobKey; uploadId: string; initiated: Date };

/** An answer has to be short. */
const PAGE_UPLOADS = 100;

/** The multipart uploads of our blobs that nobody has finished. */
export async function listUploads(s3: S3): Promise<ListedUpload[]> {
  const found: ListedUpload[] = [];
  let query: Record<string, string> = { uploads: '', 'max-uploads': String(PAGE_UPLOADS) };
  for (;;) {
    const { text } = await callS3(s3, { operation: 'ListMultipartUploads', method: 'GET', query });
    found.push(...readUploads(text));
    const [keyMarker, uploadMarker] = [readElement(text, 'NextKeyMarker'), readElement(text, 'NextUploadIdMarker')];
    const next = { ...query, 'key-marker': keyMarker ?? '', 'upload-id-marker': uploadMarker ?? '' };
    // A server that names the same place again would be asked without end.
    if (readElement(text, 'IsTruncated') !== 'true' || isSame(next, query)) return found;
    query = next;
  }
}

const isSame = (one: Record<string, string>, other: Record<string, string>): boolean =>
  Object.entries(one).every(([name, value]) => other[name] === value);

function readUploads(text: string): ListedUpload[] {
  return [...text.matchAll(/<Upload>(.*?)<\/Upload>/gs)].flatMap(([, upload = '']) => {
    const [key, uploadId] = [readElement(upload, 'Key'), readElement(upload, 'UploadId')];
    const initiated = new Date(readElement(upload, 'Initiated') ?? '');
    if (key === undefined || !isBlobKey(key) || !uploadId || Number.isNaN(initiated.getTime())) return [];
    return [{ key, uploadId, initiated }];
  });
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** The text of the first element of this name, which has no element in it. */
function readElement(text: string, name: string): string | undefined {
  const [, written] = new RegExp(`<${name}>([^<]*)</${name}>`).exec(text) ?? [];
  return written?.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,4}));/gi, (whole, decimal, hex, entity) => {
    if (entity !== undefined) return entities[entity] ?? whole;
    return String.fromCodePoint(Math.min(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal), 0x10ffff));
  });
}
