import { fileURLToPath } from 'node:url';
import { spawnGuarded } from '../processes/spawn-guarded.ts';
import type { RunningObjectStore } from './start-object-store.ts';

/** Who has a key of MinIO's: the three services, and operators. */
export const minioKeyNames = ['ingest', 'projector', 'gateway', 'operator'] as const;

export type MinioKeys = Record<(typeof minioKeyNames)[number], { accessKey: string; secretKey: string }>;

const script = fileURLToPath(new URL('../../minio/make-keys.sh', import.meta.url));
const policies = fileURLToPath(new URL('../../minio/policies', import.meta.url));

/** Makes the keys on a running MinIO, by the script that containers run, too. `client` is the path of MinIO's `mc`; `folder` is for its files. */
export async function makeMinioKeys(options: {
  client: string;
  minio: Pick<RunningObjectStore, 'endpoint' | 'accessKey' | 'secretKey'>;
  keys: MinioKeys;
  folder: string;
  searchPath: string;
}): Promise<void> {
  const { client, minio, keys, folder } = options;
  const named = minioKeyNames.flatMap((name) => [
    [`MINIO_${name.toUpperCase()}_ACCESS_KEY`, keys[name].accessKey],
    [`MINIO_${name.toUpperCase()}_SECRET_KEY`, keys[name].secretKey],
  ]);
  const { closed, lastLines } = spawnGuarded({
    program: 'sh',
    args: [script],
    folder,
    lastSignal: 'SIGTERM',
    environment: {
      ...{ PATH: options.searchPath, HOME: folder, MC: client, MC_CONFIG_DIR: folder, MINIO_POLICIES: policies },
      ...{ MINIO_ENDPOINT: minio.endpoint, MINIO_ROOT_USER: minio.accessKey, MINIO_ROOT_PASSWORD: minio.secretKey },
      ...Object.fromEntries(named),
    },
  });
  const { code } = await closed;
  if (code !== 0) throw new Error(`MinIO's keys were not made:\n${lastLines.join('\n')}`);
}
