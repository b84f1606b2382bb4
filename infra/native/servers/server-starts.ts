import { startMinio } from './start-minio.ts';
import { startNats } from './start-nats.ts';
import type { RunningObjectStore } from './start-object-store.ts';
import { startPostgres } from './start-postgres.ts';
import { startVersitygw } from './start-versitygw.ts';

type WithoutProgram<Start extends (options: never) => unknown, Program extends string> = (
  options: Omit<Parameters<Start>[0], Program>,
) => ReturnType<Start>;

type StartObjectStore = (options: { port?: number; folder?: string }) => Promise<RunningObjectStore>;

/** How each server is started once its program was found. */
export type ServerStarts = {
  postgres: WithoutProgram<typeof startPostgres, 'programs'>;
  nats: WithoutProgram<typeof startNats, 'program'>;
  minio: StartObjectStore;
  versitygw: StartObjectStore;
};

/** The argument of each server's start function: the path of a program, for Postgres the folder of its programs, or `docker://<image>`. */
export type ServerPrograms = Partial<Record<keyof ServerStarts, string>>;

/** Start functions of the servers whose programs were found. */
export function startsOf({ postgres, nats, minio, versitygw }: ServerPrograms): Partial<ServerStarts> {
  return {
    ...(postgres !== undefined && { postgres: (options) => startPostgres({ ...options, programs: postgres }) }),
    ...(nats !== undefined && { nats: (options) => startNats({ ...options, program: nats }) }),
    ...(minio !== undefined && { minio: (options) => startMinio({ ...options, program: minio }) }),
    ...(versitygw !== undefined && { versitygw: (options) => startVersitygw({ ...options, program: versitygw }) }),
  };
}
