import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, resolve, sep } from 'node:path';
import { inject } from 'vitest';
import { bundlePage, type PageFiles, type PageSource } from './bundle-page.ts';
import { PORTS_PER_WORKER } from './ports.ts';

export type ServedPage = { url: string; origin: string; close(): Promise<void> };

export type ServeOptions = {
  /** Path below which the page lies, such as `/app`. */
  prefix?: string;
  /** `allowed`, as without it: the stack lets pages of this origin call it. `other`: it has never heard of it. */
  origin?: 'allowed' | 'other';
  /** Gets requests below the prefix that no file of the page answers, such as a proxy under test. */
  fallback?: RequestListener;
};

const TYPES: Record<string, string> = {
  ...{ '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.mjs': 'text/javascript' },
  ...{ '.css': 'text/css', '.json': 'application/json', '.svg': 'image/svg+xml', '.png': 'image/png' },
};

/** Serves a bundled entry, or the files of a folder, on a loopback port of its own. */
export async function servePage(
  source: PageSource | { folder: string },
  { prefix = '', origin = 'allowed', fallback }: ServeOptions = {},
): Promise<ServedPage> {
  const find = 'folder' in source ? findInFolder(source.folder) : findInBundle(await bundlePage(source));
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://page');
    const name = pathname.startsWith(`${prefix}/`) ? decodeURIComponent(pathname.slice(prefix.length + 1)) : undefined;
    const file = name === undefined || request.method !== 'GET' ? undefined : await find(name);
    if (file !== undefined) response.writeHead(200, { 'content-type': file.type }).end(file.body);
    else if (fallback) fallback(request, response);
    else response.writeHead(404).end();
  });
  await listen(server, origin === 'allowed' ? allowedPorts() : [0]);
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `${address}${prefix}/`,
    origin: address,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const findInBundle = (files: PageFiles) => async (name: string) => files.get(name);

const findInFolder = (folder: string) => async (name: string) => {
  const path = resolve(folder, name === '' ? 'index.html' : name);
  if (!path.startsWith(resolve(folder) + sep)) return undefined;
  const body = await readFile(path).catch(() => undefined);
  return body && { type: TYPES[extname(path)] ?? 'application/octet-stream', body };
};

function allowedPorts(): number[] {
  const worker = Number(process.env.VITEST_POOL_ID) - 1;
  return inject('browser').allowedPorts.slice(worker * PORTS_PER_WORKER, (worker + 1) * PORTS_PER_WORKER);
}

async function listen(server: ReturnType<typeof createServer>, ports: readonly number[]): Promise<void> {
  for (const port of ports) {
    const failed = once(server, 'error').then(() => false);
    const isListening = await Promise.race([
      once(server.listen(port, '127.0.0.1'), 'listening').then(() => true),
      failed,
    ]);
    if (isListening) return;
  }
  throw new Error(`no port is left of ${ports.join(', ')}: close a page that is served before`);
}
