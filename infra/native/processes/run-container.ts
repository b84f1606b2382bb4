import { createRequire } from 'node:module';
import { setTimeout as wait } from 'node:timers/promises';
import { findFreePort } from './free-port.ts';
import type { RunningServer } from './spawn-server.ts';

// Not run so far: no container engine was at hand, the tests ran on native servers.

const SCHEME = 'docker://';
const READY_TIMEOUT_MS = 60_000;
const READY_INTERVAL_MS = 50;

type Testcontainers = typeof import('testcontainers');

/** How a server is started as a container. */
export type ContainerCommand = {
  image: string;
  /** The port on which it listens inside. */
  innerPort: number;
  environment?: Record<string, string>;
  args: string[];
  files?: { content: string; target: string }[];
  isReady(port: number): Promise<boolean>;
};

/** The image of a program that is written `docker://<image>`; undefined for the path of a program. */
export function imageOf(program: string): string | undefined {
  return program.startsWith(SCHEME) ? program.slice(SCHEME.length) : undefined;
}

/** Whether a container engine answers. */
export async function hasContainerEngine(): Promise<boolean> {
  return loadTestcontainers()
    .getContainerRuntimeClient()
    .then(
      () => true,
      () => false,
    );
}

/** Starts a container; `kill` and `start` keep its data and its port. Its engine removes it when this process is gone. */
export async function runContainer(
  command: ContainerCommand,
  givenPort: number | undefined,
): Promise<RunningServer & { readonly port: number }> {
  const { GenericContainer, getContainerRuntimeClient, Wait } = loadTestcontainers();
  // A port that the engine chose would change with every start.
  const port = givenPort ?? (await findFreePort());
  const started = await new GenericContainer(command.image)
    .withExposedPorts({ container: command.innerPort, host: port })
    .withEnvironment(command.environment ?? {})
    .withCommand(command.args)
    .withCopyContentToContainer(command.files ?? [])
    .withWaitStrategy(Wait.forListeningPorts())
    .start();
  const { container: client } = await getContainerRuntimeClient();
  const container = client.getById(started.getId());
  const readPid = async () => (await client.inspect(container)).State.Pid;
  await waitUntilReady(command, port);
  let pid = await readPid();
  return {
    port,
    get pid() {
      return pid;
    },
    async kill() {
      await container.kill({ signal: 'SIGKILL' });
      await container.wait({ condition: 'not-running' });
    },
    async start() {
      await client.start(container);
      await waitUntilReady(command, port);
      pid = await readPid();
    },
    async stop() {
      await started.stop();
    },
  };
}

// Loading it takes a second, so it is loaded only if it is wanted. Required, because loaders differ in how they import its CommonJS.
function loadTestcontainers(): Testcontainers {
  return createRequire(import.meta.url)('testcontainers');
}

async function waitUntilReady({ image, isReady }: ContainerCommand, port: number): Promise<void> {
  const end = performance.now() + READY_TIMEOUT_MS;
  while (!(await isReady(port))) {
    if (performance.now() > end) throw new Error(`${image} did not answer within ${READY_TIMEOUT_MS / 1000} s`);
    await wait(READY_INTERVAL_MS);
  }
}
