import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { probeTcp } from '../processes/probe-server.ts';
import { imageOf, runContainer } from '../processes/run-container.ts';
import { makeServerFolder } from '../processes/server-folder.ts';
import { type RunningServer, runServer } from '../processes/spawn-server.ts';

/** A NATS server with JetStream on a loopback port. */
export type RunningNats = RunningServer & { url: string };

type NatsOptions = {
  /** Path of the program, or `docker://<image>`. */
  program: string;
  port?: number;
  /** The folder of its streams; a container keeps them to itself. */
  folder?: string;
  /** Further configuration text, e.g. its users. */
  config?: string;
};

/** Starts NATS with JetStream in a new temporary folder, or in `folder`. */
export async function startNats(options: NatsOptions): Promise<RunningNats> {
  const image = imageOf(options.program);
  const server = await (image === undefined ? runProgram(options) : runInContainer(image, options));
  return Object.assign(server, { url: `nats://127.0.0.1:${server.port}` });
}

async function runProgram(options: NatsOptions) {
  const { folder, removedFolder } = await makeServerFolder('nats', options.folder);
  const configFile = join(folder, 'nats.conf');
  const store = join(folder, 'jetstream');
  await mkdir(store, { recursive: true });
  await writeFile(configFile, options.config ?? '', { mode: 0o600 });
  return runServer({
    port: options.port,
    removedFolder,
    commandOf: (port) => ({
      name: 'NATS',
      program: options.program,
      args: ['-c', configFile, '-a', '127.0.0.1', '-p', String(port), '-js', '-sd', store],
      folder,
      environment: {},
      stopSignal: 'SIGTERM',
      isReady: () => isGreeting(port),
    }),
  });
}

function runInContainer(image: string, { config = '', port }: NatsOptions) {
  const configFile = '/attache.conf';
  const args = ['-c', configFile, '-js', '-sd', '/data'];
  const files = [{ content: config, target: configFile }];
  return runContainer({ image, innerPort: 4222, args, files, isReady: isGreeting }, port);
}

async function isGreeting(port: number): Promise<boolean> {
  return (await probeTcp(port)).toString('latin1').startsWith('INFO ');
}
