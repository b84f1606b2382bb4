import { createConnection, type Socket } from 'node:net';

export type RawAnswer = { status: number; head: string; body: string };

function parseAnswer(bytes: Buffer): RawAnswer | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const head = bytes.subarray(0, end).toString('latin1');
  return { status: Number(head.split(' ')[1]), head, body: bytes.subarray(end + 4).toString('utf8') };
}

function isWhole(answer: RawAnswer | undefined): boolean {
  const length = /\r\ncontent-length: (\d+)/i.exec(answer?.head ?? '')?.[1];
  return answer !== undefined && length !== undefined && Buffer.byteLength(answer.body) >= Number(length);
}

/** Resolves with the first answer on a connection; undefined where it closes without one. */
export function readAnswer(socket: Socket): Promise<RawAnswer | undefined> {
  const chunks: Buffer[] = [];
  return new Promise((resolve) => {
    const finish = () => resolve(parseAnswer(Buffer.concat(chunks)));
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      if (isWhole(parseAnswer(Buffer.concat(chunks)))) finish();
    });
    socket.on('close', finish).on('error', finish);
  });
}

export function openSocket(url: string): Socket {
  const { hostname, port } = new URL(url);
  const socket = createConnection({ host: hostname, port: Number(port) });
  // The server may close first; what it said is read by `readAnswer`.
  socket.on('error', () => {});
  return socket;
}

/** Sends bytes as they are, on a connection of their own. */
export async function sendRaw(
  url: string,
  pieces: readonly (string | Uint8Array)[],
  options: { isEnding?: boolean } = {},
): Promise<RawAnswer | undefined> {
  const socket = openSocket(url);
  const answer = readAnswer(socket);
  for (const piece of pieces) socket.write(piece);
  if (options.isEnding) socket.end();
  try {
    return await answer;
  } finally {
    socket.destroy();
  }
}

/** The head of a request, with its blank line. */
export function formatHead(method: string, path: string, apiKey: string, headers: readonly string[] = []): string {
  return [`${method} ${path} HTTP/1.1`, 'host: attache', `authorization: Bearer ${apiKey}`, ...headers, '', ''].join(
    '\r\n',
  );
}
