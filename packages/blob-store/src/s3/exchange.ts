import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type S3Answer, S3ConnectionError, toConnectionError } from './fault.ts';
import type { OutgoingRequest, S3Transport } from './transport.ts';

const HOLD_BYTES = 256 * 1024;
const ANSWER_BYTES = 64 * 1024;

export type Exchange = ReturnType<typeof startExchange>;

/**
 * One request and its answer. A server that makes no progress for the idle time of the transport fails it; the time in which
 * the server waits for the body does not count. Every failure is an S3ConnectionError.
 */
export function startExchange(transport: S3Transport, outgoing: OutgoingRequest) {
  const request = transport.start(outgoing);
  let isConnected = false;
  let isEnded = false;
  let isSettled = false;
  let wake = () => {};

  const response = untilResponse(request);
  const settle = () => {
    isSettled = true;
    wake();
  };
  response.then(settle, settle);
  const connected = untilConnected(request, () => {
    isConnected = true;
  });
  request.on('drain', () => wake());
  onIdle(request, () => {
    const isWriting = request.writableLength > 0;
    const isAwaited = !isSettled && (isEnded || !isConnected);
    if (isWriting || isAwaited) request.destroy(new S3ConnectionError('ETIMEDOUT'));
  });
  let answer: Promise<S3Answer> | undefined;

  return {
    /** Settles before the first byte is sent. */
    connected,
    response,
    /** Whether an answer or a failure is there: more bytes are of no use. */
    isSettled: () => isSettled,
    /** Whether the last byte was given. */
    isEnded: () => isEnded,
    /** Resolves when the server may be given more, or is settled. */
    async send(chunks: readonly Uint8Array[]): Promise<void> {
      if (isSettled) return;
      writeAll(request, chunks);
      request.uncork();
      while (request.writableLength >= HOLD_BYTES && !isSettled) await new Promise<void>((resolve) => (wake = resolve));
    },
    end(chunks: readonly Uint8Array[] = []): void {
      if (isSettled) return;
      isEnded = true;
      writeAll(request, chunks);
      request.end();
    },
    answer(): Promise<S3Answer> {
      answer ??= response.then((message) => readAnswer(message, outgoing.timeoutMs ?? transport.idleTimeoutMs));
      return answer;
    },
    destroy: () => request.destroy(),
  };
}

/** Leaves the request corked: what follows goes into the same packet. */
function writeAll(request: ClientRequest, chunks: readonly Uint8Array[]): void {
  request.cork();
  for (const chunk of chunks) if (chunk.byteLength > 0) request.write(chunk);
}

function untilResponse(request: ClientRequest): Promise<IncomingMessage> {
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    const onClose = () => reject(new S3ConnectionError('ECONNRESET'));
    request.once('response', (message) => {
      request.off('close', onClose);
      resolve(message);
    });
    request.on('error', (error) => reject(toConnectionError(error)));
    request.once('close', onClose);
  });
  response.catch(ignore);
  return response;
}

function untilConnected(request: ClientRequest, note: () => void): Promise<void> {
  const connected = new Promise<void>((resolve, reject) => {
    const onClose = () => reject(new S3ConnectionError('ECONNRESET'));
    const onConnect = () => {
      request.off('close', onClose);
      note();
      resolve();
    };
    request.once('socket', (socket: Socket) => {
      if (!socket.connecting) return onConnect();
      socket.once('encrypted' in socket ? 'secureConnect' : 'connect', onConnect);
    });
    request.once('error', (error) => reject(toConnectionError(error)));
    request.once('close', onClose);
  });
  connected.catch(ignore);
  return connected;
}

/** Calls back whenever the connection was idle for the time of the request. */
function onIdle(request: ClientRequest, onTimeout: () => void): void {
  request.once('socket', (socket: Socket) => {
    // Not the event of the request: it comes once at most.
    socket.on('timeout', onTimeout);
    request.once('close', () => socket.off('timeout', onTimeout));
  });
}

/** The short answer to anything but a GET of a blob. */
function readAnswer(message: IncomingMessage, timeoutMs: number): Promise<S3Answer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let sizeBytes = 0;
    const timer = setTimeout(() => message.destroy(new S3ConnectionError('ETIMEDOUT')), timeoutMs);
    message.on('data', (piece: Buffer) => {
      sizeBytes += piece.length;
      if (sizeBytes > ANSWER_BYTES) message.destroy(new S3ConnectionError('ANSWER_TOO_LONG'));
      else pieces.push(piece);
    });
    message.once('end', () => {
      const text = Buffer.concat(pieces).toString('utf8');
      resolve({ status: message.statusCode ?? 0, headers: message.headers, text });
    });
    message.once('error', (error) => reject(toConnectionError(error)));
    message.once('close', () => {
      clearTimeout(timer);
      if (!message.readableEnded) reject(new S3ConnectionError('ECONNRESET'));
    });
  });
}

function ignore(): void {}
