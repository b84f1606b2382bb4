import { describeImage } from './describe-image.ts';
import { describeText, nameOf } from './describe-text.ts';
import type { ReceivedDocument, ReceivedFile, ReceivedSound } from './read-prompt.ts';

/** The agent's text about a file that it got. The digest is of the bytes that arrived. */
export async function describeFile(file: ReceivedFile): Promise<string> {
  switch (file.type) {
    case 'image':
      return await describeImage(file);
    case 'text-file':
      return describeText(file);
    case 'document':
      return `the document ${JSON.stringify(nameOf(file.uri))} (${receivedOf(file)})`;
    case 'audio':
      return `a sound (${receivedOf(file)})`;
    default:
      return file satisfies never;
  }
}

function receivedOf({ mimeType, bytes, sha256 }: ReceivedDocument | ReceivedSound): string {
  return `${mimeType}, ${bytes.length} bytes, sha256 ${sha256}`;
}
