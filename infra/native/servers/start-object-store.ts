import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { imageOf, runContainer } from '../processes/run-container.ts';
import { keepSecret, makeServerFolder } from '../processes/server-folder.ts';
import { type RunningServer, runServer } from '../processes/spawn-server.ts';

/** An S3 server on a loopback port. */
export type RunningObjectStore = RunningServer & { endpoint: string; accessKey: string; secretKey: string };

export type ObjectStoreOptions = {
  /** Path of the program, or `docker://<image>`. */
  program: string;
  port?: number;
  /** The folder of its objects and its secret; a container keeps them to itself. */
  folder?: string;
};

/** The differences between the servers. */
export type ObjectStoreKind = {
  name: string;
  /** The port on which its container listens, and the folder of its data. */
  container: { port: number; data: string };
  argsOf(place: { address: string; data: string; folder: string }): string[];
  environmentOf(credentials: { accessKey: string; secretKey: string }): Record<string, string>;
  isReady(port: number): Promise<boolean>;
};

const ACCESS_KEY = 'attache';

/** Starts an S3 server in a new temporary folder, or in `folder`. */
export async function startObjectStore(
  kind: ObjectStoreKind,
  options: ObjectStoreOptions,
): Promise<RunningObjectStore> {
  const image = imageOf(options.program);
  const { server, secretKey } = await (image === undefined
    ? runProgram(kind, options)
    : runInContainer(kind, image, options.port));
  return Object.assign(server, { endpoint: `http://127.0.0.1:${server.port}`, accessKey: ACCESS_KEY, secretKey });
}

async function runProgram(kind: ObjectStoreKind, options: ObjectStoreOptions) {
  const { folder, removedFolder } = await makeServerFolder(kind.name.toLowerCase(), options.folder);
  const secretKey = await keepSecret(folder, 'secret');
  const data = join(folder, 'data');
  await mkdir(data, { recursive: true });
  const server = await runServer({
    port: options.port,
    removedFolder,
    commandOf: (port) => ({
      name: kind.name,
      program: options.program,
      args: kind.argsOf({ address: `127.0.0.1:${port}`, data, folder }),
      folder,
      environment: { HOME: folder, ...kind.environmentOf({ accessKey: ACCESS_KEY, secretKey }) },
      stopSignal: 'SIGTERM',
      isReady: () => kind.isReady(port),
    }),
  });
  return { server, secretKey };
}

async function runInContainer(kind: ObjectStoreKind, image: string, port: number | undefined) {
  const secretKey = randomBytes(16).toString('hex');
  const { port: innerPort, data } = kind.container;
  const server = await runContainer(
    {
      image,
      innerPort,
      args: kind.argsOf({ address: `:${innerPort}`, data, folder: '/tmp' }),
      environment: kind.environmentOf({ accessKey: ACCESS_KEY, secretKey }),
      isReady: kind.isReady,
    },
    port,
  );
  return { server, secretKey };
}
