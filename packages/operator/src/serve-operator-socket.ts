import { chmod, lstat, mkdir, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { dirname } from 'node:path';
import { Fault } from '@attache/contracts';
import type { OperatorDeps } from './operator-deps.ts';
import { describeFault, type OperatorAnswer } from './operator-protocol.ts';
import { isOperatorCommand, runOperatorCommand } from './run-operator-command.ts';

const MAX_INPUT_BYTES = 1024 * 1024;

export type OperatorSocket = { path: string; stop(): Promise<void> };

async function readInput(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request) {
    sizeBytes += (chunk as Buffer).length;
    if (sizeBytes > MAX_INPUT_BYTES) throw new Fault('PAYLOAD_TOO_LARGE', 'The input of a command is too large.');
    chunks.push(chunk as Buffer);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw new Fault('INVALID_REQUEST', 'The input of a command must be JSON.');
  }
}

async function answer(deps: OperatorDeps, request: IncomingMessage): Promise<OperatorAnswer> {
  const name = (request.url ?? '').slice(1);
  try {
    if (request.method !== 'POST' || !isOperatorCommand(name))
      throw new Fault('ROUTE_NOT_FOUND', `There is no command ${name}. The running stack may be of another release.`);
    const input = await readInput(request);
    return { ok: true, output: await runOperatorCommand(deps, name, input as never) };
  } catch (error) {
    if (error instanceof Fault) return describeFault(error);
    deps.log.error({ err: error, command: name }, 'operator_command.failed');
    return describeFault(new Fault('INTERNAL', 'The command failed on our side; the log of the stack says how.'));
  }
}

// The folder must not be another user's: its owner could listen in its place.
async function prepareFolder(path: string): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { uid } = await lstat(folder);
  if (uid === process.getuid?.()) return;
  throw new Fault('CONFIGURATION_INVALID', `The folder ${folder} belongs to another user. Remove it and start again.`);
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      const sentence = `Cannot listen on the operator's socket ${path}. Give its folder to this user.`;
      reject(new Fault('CONFIGURATION_INVALID', sentence, { cause }));
    });
    // The socket is made in this very call, so it is never open to others, not even for a moment.
    const mask = process.umask(0o177);
    try {
      server.listen(path, resolve);
    } finally {
      process.umask(mask);
    }
  });
}

/**
 * Takes the operator's commands on a unix socket that only this user can open. The caller holds the data folder, so a socket that
 * is there is left from an earlier life.
 */
export async function serveOperatorSocket(options: { path: string; deps: OperatorDeps }): Promise<OperatorSocket> {
  const { path, deps } = options;
  await prepareFolder(path);
  await rm(path, { force: true });
  const server = createServer((request, response) => {
    void answer(deps, request).then((body) => {
      response.writeHead(200, { 'content-type': 'application/json', connection: 'close' });
      response.end(JSON.stringify(body));
    });
  });
  await listen(server, path);
  await chmod(path, 0o600);
  return {
    path,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
  };
}
