// Bodies of multipart requests, well-formed and not.

export const BOUNDARY = '----WebKitFormBoundaryA1b2C3d4E5f6G7h8';
export const CONTENT_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

/** One part with its header lines. */
export function partOf(headers: string[], content: string | Uint8Array): Buffer {
  const head = latin1(`--${BOUNDARY}\r\n${headers.map((header) => `${header}\r\n`).join('')}\r\n`);
  return Buffer.concat([head, Buffer.from(content), latin1('\r\n')]);
}

export const fieldOf = (name: string, value: string): Buffer =>
  partOf([`Content-Disposition: form-data; name="${name}"`], value);

export const fileOf = (content: string | Uint8Array, name = 'file', filename = 'photo.png'): Buffer =>
  partOf(
    [`Content-Disposition: form-data; name="${name}"; filename="${filename}"`, 'Content-Type: image/png'],
    content,
  );

/** A whole body with its closing boundary. */
export const formOf = (...parts: Buffer[]): Buffer => Buffer.concat([...parts, latin1(`--${BOUNDARY}--\r\n`)]);

export async function* chunksOf(bytes: Uint8Array, chunkBytes = 64 * 1024): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
}
