import { createLenientDecoder, type FaultCounts } from '@attache/domain/lenient-decoder';
import { readChunks } from '../../file/read-file.ts';

/**
 * Text of a file in pieces, without its byte order mark, in bounded memory; returns what in it was not in its encoding. The labels must
 * be known.
 */
export function* decodeFile(path: string, encoding: string, linesAs?: string): Generator<string, FaultCounts> {
  const decoder = createLenientDecoder(encoding, { linesAs });
  for (const chunk of readChunks(path)) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
  return decoder.faults();
}
