import { createHash, type Hash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import {
  Agent,
  type ClientRequest,
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from 'node:http';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { StorePlace } from './floor-config.ts';
import { presign } from './presign.ts';

/** The object store at its barest: presigned requests by `node:http` over kept connections, bodies streamed. */
export type ObjectStore = {
  /** One PUT of known length that refuses to replace; answers the digest of what went through. */
  put(key: string, body: Readable, sizeBytes: number): Promise<string>;
  /** The answer to a GET, at its headers. */
  open(key: string, headers?: OutgoingHttpHeaders): Promise<IncomingMessage>;
  /** A GET into memory. */
  fetch(key: string): Promise<Buffer>;
  /** A GET into a new file. */
  fetchToFile(key: string, path: string): Promise<void>;
};

const UNSENT_BYTES = 256 * 1024;
// Sooner than a store closes a connection that nobody uses: a request on one that is being closed would fail.
const FREE_CONNECTION_MS = 4_000;

export function openObjectStore(place: StorePlace): ObjectStore {
  const agent = new Agent({ keepAlive: true, timeout: FREE_CONNECTION_MS });
  const { hostname, port } = new URL(place.endpoint);
  const address = { agent, hostname, port };
  const open = (key: string, headers: OutgoingHttpHeaders = {}) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const path = presign(place, 'GET', key);
      httpRequest({ ...address, method: 'GET', path, headers }, resolve)
        .once('error', reject)
        .end();
    });
  const openWhole = async (key: string) => {
    const response = await open(key);
    if (response.statusCode === 200) return response;
    throw new Error(`The store answered a GET with ${response.statusCode}.`);
  };
  return {
    put: (key, body, sizeBytes) =>
      new Promise((resolve, reject) => {
        const hash = createHash('sha256');
        const path = presign(place, 'PUT', key);
        const headers = { 'content-length': sizeBytes, 'if-none-match': '*' };
        const request = httpRequest({ ...address, method: 'PUT', path, headers }, (response) => {
          response.resume().once('end', () => {
            if (response.statusCode === 200) resolve(hash.digest('hex'));
            else reject(new Error(`The store answered a PUT with ${response.statusCode}.`));
          });
        }).once('error', reject);
        relay(body, request, hash);
      }),
    open,
    fetch: async (key) => buffer(await openWhole(key)),
    async fetchToFile(key, path) {
      await pipeline(await openWhole(key), createWriteStream(path, { flags: 'wx', mode: 0o600 }));
    },
  };
}

/** Passes on the chunks of a stream: hash, write, and wait if the other side is slower by more than a few chunks. */
function relay(body: Readable, target: ClientRequest, hash: Hash): void {
  body.on('data', (chunk: Buffer) => {
    hash.update(chunk);
    target.write(chunk);
    if (target.writableLength > UNSENT_BYTES) body.pause();
  });
  target.on('drain', () => body.resume());
  body.once('end', () => target.end());
}
