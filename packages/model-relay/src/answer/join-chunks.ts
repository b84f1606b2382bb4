export type ChunkJoiner = {
  take(chunk: Buffer): void;
  /** Gives on at once what has come. */
  flush(): void;
};

/**
 * Gives on as one what comes in one turn: a socket is read once for many events of a stream, and each write of a few bytes costs as much as to copy
 * some thousand. A chunk that comes alone is given on as it is.
 */
export function createChunkJoiner(onJoined: (bytes: Buffer) => void): ChunkJoiner {
  let chunks: Buffer[] = [];

  function flush(): void {
    const [first, ...others] = chunks;
    if (first === undefined) return;
    chunks = [];
    onJoined(others.length === 0 ? first : Buffer.concat([first, ...others]));
  }

  return {
    take(chunk) {
      if (chunks.length === 0) process.nextTick(flush);
      chunks.push(chunk);
    },
    flush,
  };
}
