import { describePageGaps } from '@attache/domain';
import type { ByteRendering } from './byte-rendering.ts';
import type { PartOf } from './part-format.ts';

// Texts shared by all formats. A name as a JSON string keeps its line to itself, whatever the file is called.

/** A text file for formats that have no block for one. */
export function writeTextFile({ name, bytes }: PartOf<'text-file'>, rendering: ByteRendering): string {
  return `File ${JSON.stringify(name)} (${bytes.mimeType}):\n${rendering.text(bytes)}`;
}

/** Goes before the images of a document's pages. It names those that are left out or not whole. */
export function writePagesHeading({ name, pages, gaps = [] }: PartOf<'pages'>): string {
  const count = pages.length === 1 ? '1 page as an image' : `${pages.length} pages as images, in order`;
  const heading = `Document ${JSON.stringify(name)}, ${count}:`;
  return [heading, ...describePageGaps(gaps).map(({ message }) => message)].join('\n');
}
