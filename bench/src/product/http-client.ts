import { Agent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

export type ClientRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** After the base address; or a whole URL. */
  path: string;
  headers?: Record<string, string>;
  body?: Uint8Array | Readable | undefined;
};

/** One keep-alive connection to one address; the same code for the product and for the floors. */
export type HttpClient = {
  /** Returns the status, the headers and the whole body. */
  send(request: ClientRequest): Promise<{ status: number; body: string; headers: IncomingHttpHeaders }>;
  /** The same for bytes. */
  download(request: ClientRequest): Promise<{ status: number; bytes: Buffer }>;
  /** Resolves when the headers are there; the body is the caller's, on a connection of its own. */
  open(request: ClientRequest): Promise<IncomingMessage>;
  close(): void;
};

export function createHttpClient(baseUrl: string, headers: Record<string, string> = {}): HttpClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const open = (given: ClientRequest, through: Agent | false): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const { method, path, headers: own = {}, body } = given;
      const url = path.startsWith('http') ? path : `${baseUrl}${path}`;
      const request = httpRequest(url, { method, agent: through, headers: { ...headers, ...own } }, resolve);
      request.once('error', (error: NodeJS.ErrnoException) => {
        // The server had closed the idle connection while this process computed, and saw nothing of the request.
        const isRefused = request.reusedSocket && error.code === 'ECONNRESET';
        if (isRefused && !(body instanceof Readable)) open(given, through).then(resolve, reject);
        else reject(error);
      });
      if (body === undefined || body instanceof Uint8Array) request.end(body);
      else body.once('error', reject).pipe(request);
    });
  return {
    async send(request) {
      const response = await open(request, agent);
      return { status: response.statusCode ?? 0, body: await text(response), headers: response.headers };
    },
    async download(request) {
      const response = await open(request, agent);
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      return { status: response.statusCode ?? 0, bytes: Buffer.concat(chunks) };
    },
    // A stream that stays open would keep the one connection busy.
    open: (request) => open(request, false),
    close: () => agent.destroy(),
  };
}
