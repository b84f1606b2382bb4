import { rm } from 'node:fs/promises';
import type { ServerStarts } from '@attache/infra/native/servers/server-starts';
import { type HostedStack, type ServiceName, startHosted } from '@attache/test-harness';

export const componentNames = ['ingest', 'projector', 'runner-gateway', 'nats', 'minio', 'postgres'] as const;
export type ComponentName = (typeof componentNames)[number];
export type ServerName = Exclude<ComponentName, ServiceName>;

/** A hosted stack whose servers are its own, so that each of them can be killed. */
export type KillableStack = {
  hosted: HostedStack;
  /** SIGKILL to a server. */
  kill(server: ServerName): Promise<void>;
  /** Starts a server that was killed. */
  revive(server: ServerName): Promise<void>;
  /** SIGKILL and, after a moment, a new start. Resolves when it answers again. */
  killAndRestart(component: ComponentName, downMs: number): Promise<void>;
  stop(): Promise<void>;
};

const isService = (component: ComponentName): component is ServiceName =>
  component === 'ingest' || component === 'projector' || component === 'runner-gateway';

const pause = (ms: number) => new Promise((wake) => setTimeout(wake, ms));

export async function startKillable(
  starts: ServerStarts,
  environment: Readonly<Record<string, string>> = {},
): Promise<KillableStack> {
  const postgres = await starts.postgres({ settings: { max_connections: '120' } });
  const minio = await starts.minio({});
  const servers = { postgres, minio, startNats: starts.nats };
  const hosted = await startHosted({
    servers,
    environment: { ATTACHE_LOG_LEVEL: 'error', ATTACHE_RECONCILE_SECONDS: '5', ...environment },
  });
  const backends = { nats: hosted.nats, minio, postgres };
  return {
    hosted,
    kill: (server) => backends[server].kill(),
    revive: (server) => backends[server].start(),
    async killAndRestart(component, downMs) {
      if (isService(component)) {
        await hosted.services[component].end('SIGKILL');
        await pause(downMs);
        await hosted.start(component);
        return;
      }
      await backends[component].kill();
      await pause(downMs);
      await backends[component].start();
    },
    async stop() {
      await hosted.stop();
      await Promise.all([minio.stop(), postgres.stop()]);
      await rm(hosted.dataDir, { recursive: true, force: true });
    },
  };
}
