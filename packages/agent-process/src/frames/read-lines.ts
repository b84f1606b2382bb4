const NEWLINE = 0x0a;

export type LineRead = { type: 'line'; bytes: Buffer } | { type: 'too-long'; limitBytes: number };

/**
 * Lines of a byte stream, without their newline; the last one may lack it. A line above `maxLineBytes` ends the reading with
 * `too-long`; no more than that is ever held. Leaving the loop ends the stream.
 */
export async function* readLines(input: AsyncIterable<Buffer>, maxLineBytes: number): AsyncGenerator<LineRead> {
  const held = createHeldLine(maxLineBytes);
  for await (const chunk of input) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      if (!held.append(chunk.subarray(start, end))) return yield { type: 'too-long', limitBytes: maxLineBytes };
      yield { type: 'line', bytes: held.take() };
      start = end + 1;
    }
    if (!held.append(chunk.subarray(start))) return yield { type: 'too-long', limitBytes: maxLineBytes };
  }
  const last = held.take();
  if (last.length > 0) yield { type: 'line', bytes: last };
}

/** Grows by doubling, so that a line that comes byte by byte costs no more than its own size. */
function createHeldLine(maxLineBytes: number) {
  let buffer = Buffer.alloc(0);
  let length = 0;
  return {
    append(bytes: Buffer): boolean {
      const needed = length + bytes.length;
      if (needed > maxLineBytes) return false;
      if (needed > buffer.length) {
        const grown = Buffer.allocUnsafe(Math.min(maxLineBytes, Math.max(needed, 2 * buffer.length)));
        buffer.copy(grown, 0, 0, length);
        buffer = grown;
      }
      bytes.copy(buffer, length);
      length = needed;
      return true;
    },
    take(): Buffer {
      const line = buffer.subarray(0, length);
      buffer = Buffer.alloc(0);
      length = 0;
      return line;
    },
  };
}
