/** Cuts a stream of bytes into messages of the Postgres protocol: one letter, a length that counts itself, the body. */
export function readMessages(onMessage: (type: string, message: Buffer) => void): (bytes: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    while (rest.length >= 5) {
      const length = 1 + rest.readInt32BE(1);
      if (rest.length < length) return;
      const message = rest.subarray(0, length);
      rest = rest.subarray(length);
      onMessage(String.fromCharCode(message[0] ?? 0), message);
    }
  };
}
