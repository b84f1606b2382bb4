import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Fault } from '@attache/contracts';

/** Throws, or answers late, when the dependency is not well. */
export type DependencyCheck = () => Promise<void>;

export type OperationsServer = {
  url: string;
  /** Readiness falls before the drain. */
  startDraining(): void;
  stop(): Promise<void>;
};

const CHECK_TIMEOUT_MS = 2_000;

type CheckResult = { name: string; ok: boolean; latencyMs: number; reason?: string };

async function runCheck(name: string, check: DependencyCheck): Promise<CheckResult> {
  const startedAt = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer in time')), CHECK_TIMEOUT_MS);
  });
  const took = () => Math.round((performance.now() - startedAt) * 10) / 10;
  try {
    await Promise.race([check(), timeout]);
    return { name, ok: true, latencyMs: took() };
  } catch (error) {
    const reason = error instanceof Fault ? error.message : 'it does not answer';
    return { name, ok: false, latencyMs: took(), reason };
  } finally {
    clearTimeout(timer);
  }
}

function answer(response: ServerResponse, status: number, lines: readonly string[]): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
  response.end(`${lines.join('\n')}\n`);
}

async function answerMetrics(response: ServerResponse, metrics: () => Promise<string>): Promise<void> {
  try {
    const text = await metrics();
    response.writeHead(200, {
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
      'cache-control': 'no-store',
    });
    response.end(text.endsWith('\n') ? text : `${text}\n`);
  } catch {
    answer(response, 503, ['The metrics cannot be read now.']);
  }
}

export type OperationsOptions = {
  host: string;
  port: number;
  checks: Readonly<Record<string, DependencyCheck>>;
  /** Further facts for a reader of `/readyz`, a line each. */
  notes?: readonly string[] | undefined;
  /** Everything that is measured, in the Prometheus text format; without it there is no `/metrics`. */
  metrics?: (() => Promise<string>) | undefined;
};

/**
 * Serves `/livez`, `/readyz` and `/metrics` of one process. Readiness has one line per dependency with its latency, and is 503
 * where one is not well.
 */
export async function serveOperations(options: OperationsOptions): Promise<OperationsServer> {
  let isDraining = false;
  const answerReadiness = async (response: ServerResponse) => {
    const results = await Promise.all(Object.entries(options.checks).map(([name, check]) => runCheck(name, check)));
    const lines = results.map(
      ({ name, ok, latencyMs, reason }) =>
        `${name} ${ok ? 'ok' : 'failed'} ${latencyMs} ms${reason ? `: ${reason}` : ''}`,
    );
    lines.push(...(options.notes ?? []));
    if (isDraining) lines.push('process draining');
    answer(response, isDraining || results.some((result) => !result.ok) ? 503 : 200, lines);
  };
  const server = createServer((request, response) => {
    if (request.url === '/livez') answer(response, 200, ['ok']);
    else if (request.url === '/readyz') void answerReadiness(response);
    else if (request.url === '/metrics' && options.metrics) void answerMetrics(response, options.metrics);
    else answer(response, 404, ['There is /livez, /readyz and, where something is measured, /metrics here.']);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => reject(listenFault(options.port, cause)));
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${options.host}:${port}`,
    startDraining() {
      isDraining = true;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listenFault(port: number, cause: NodeJS.ErrnoException): Fault {
  const what =
    cause.code === 'EADDRINUSE'
      ? `The operations port ${port} is taken`
      : `Cannot listen on the operations port ${port} (${cause.code})`;
  return new Fault('CONFIGURATION_INVALID', `${what}. Set ATTACHE_OPS_PORT to another one (0 picks a free one).`, {
    cause,
  });
}
