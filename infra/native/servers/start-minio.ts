import { join } from 'node:path';
import { probeHttp } from '../processes/probe-server.ts';
import {
  type ObjectStoreKind,
  type ObjectStoreOptions,
  type RunningObjectStore,
  startObjectStore,
} from './start-object-store.ts';

const minio: ObjectStoreKind = {
  name: 'MinIO',
  container: { port: 9000, data: '/data' },
  argsOf: ({ address, data, folder }) => [
    'server',
    data,
    '--address',
    address,
    '--certs-dir',
    join(folder, 'certs'),
    '--quiet',
  ],
  environmentOf: ({ accessKey, secretKey }) => ({
    MINIO_ROOT_USER: accessKey,
    MINIO_ROOT_PASSWORD: secretKey,
    MINIO_BROWSER: 'off',
    MINIO_UPDATE: 'off',
  }),
  isReady: async (port) => (await probeHttp(port, '/minio/health/cluster')) === 200,
};

/** Starts MinIO on one folder. */
export function startMinio(options: ObjectStoreOptions): Promise<RunningObjectStore> {
  return startObjectStore(minio, options);
}
