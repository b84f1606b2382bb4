import type { Readable } from 'node:stream';

const NEWLINE = 0x0a;

/** Lines of a stream, as they come; undefined for one that is longer than allowed, of which nothing is kept. */
export async function* readLines(input: Readable, maxBytes: number): AsyncGenerator<string | undefined> {
  let begun: Buffer[] = [];
  let begunBytes = 0;
  const take = (piece: Buffer): void => {
    begunBytes += piece.length;
    if (begunBytes <= maxBytes) begun.push(piece);
    else begun = [];
  };
  const finish = (): string | undefined => {
    const line = begunBytes <= maxBytes ? Buffer.concat(begun).toString() : undefined;
    begun = [];
    begunBytes = 0;
    return line;
  };
  for await (const chunk of input as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      take(chunk.subarray(start, end));
      yield finish();
      start = end + 1;
    }
    if (start < chunk.length) take(chunk.subarray(start));
  }
  if (begunBytes > 0) yield finish();
}
