const BOUNDARY = 'hostile-boundary';

export type Form = { type: string; body: Uint8Array<ArrayBuffer> };

export const formType = `multipart/form-data; boundary=${BOUNDARY}`;

/** One part as it is in a body; `disposition` is what follows `form-data`. */
export function formatPart(disposition: string, content: string, headers: readonly string[] = []): string {
  const lines = [`Content-Disposition: form-data${disposition}`, ...headers];
  return `--${BOUNDARY}\r\n${lines.join('\r\n')}\r\n\r\n${content}\r\n`;
}

export const filePart = (content: string, filename = 'a.txt'): string =>
  formatPart(`; name="file"; filename="${filename}"`, content, ['Content-Type: text/plain']);

export const closing = `--${BOUNDARY}--\r\n`;

/** A form with its closing boundary. */
export function makeForm(...parts: string[]): Form {
  return { type: formType, body: Uint8Array.from(Buffer.from(parts.join('') + closing)) };
}
