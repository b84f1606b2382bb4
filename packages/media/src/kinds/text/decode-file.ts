import { createPieceDecoder, isDecodingError } from '@attache/domain/text-decoder';
import { readChunks } from '../../file/read-file.ts';

/**
 * Text of a file in pieces, without its byte order mark, in bounded memory. Ends with `undefined` at the first bytes that are not
 * text in this encoding. The label must be known.
 */
export function* decodeFile(path: string, encoding: string): Generator<string | undefined> {
  const decoder = createPieceDecoder(encoding);
  try {
    for (const chunk of readChunks(path)) {
      yield decoder.decode(chunk, { stream: true });
    }
    yield decoder.decode();
  } catch (error) {
    if (!isDecodingError(error)) throw error;
    yield undefined;
  }
}
