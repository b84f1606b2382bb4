import { probeHttp } from '../processes/probe-server.ts';
import {
  type ObjectStoreKind,
  type ObjectStoreOptions,
  type RunningObjectStore,
  startObjectStore,
} from './start-object-store.ts';

const versitygw: ObjectStoreKind = {
  name: 'versitygw',
  container: { port: 7070, data: '/tmp' },
  argsOf: ({ address, data }) => ['--port', address, 'posix', data],
  environmentOf: ({ accessKey, secretKey }) => ({ ROOT_ACCESS_KEY: accessKey, ROOT_SECRET_KEY: secretKey }),
  // Any answer will do: an unsigned request is refused.
  isReady: async (port) => (await probeHttp(port, '/')) !== undefined,
};

/** Starts versitygw over plain files. */
export function startVersitygw(options: ObjectStoreOptions): Promise<RunningObjectStore> {
  return startObjectStore(versitygw, options);
}
