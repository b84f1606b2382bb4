// The servers that suites know: those that run, and how to get one of their own. The run gives both, and no package knows who starts them.

type ObjectStore = { endpoint: string; accessKey: string; secretKey: string };

export type ServerName = 'postgres' | 'nats' | 'minio' | 'versitygw';

/** The servers of a test project, in a test `inject('servers')`. All of it is plain data. */
export type TestServers = {
  from: 'containers' | 'native';
  /** How each is started: the path of a program, for Postgres the folder of its programs, or `docker://<image>`. */
  programs: Partial<Record<ServerName, string>>;
  /** Another Postgres, of the newest version, if there is one. */
  newestPostgres?: string | undefined;
  /** Servers that cannot be had, why, and what to do about it. */
  missing: { name: ServerName; why: string }[];
  /** Servers that the suites of a project share. */
  postgres?: { superuserUrl: string };
  nats?: { url: string; program: string };
  minio?: ObjectStore;
  versitygw?: ObjectStore;
};

declare module 'vitest' {
  interface ProvidedContext {
    servers: TestServers;
    /** Set by a project in vitest.config.ts: the servers that its suites share. The others are only found. */
    sharedServers: ServerName[];
  }
}

/** A server that ends with `stop`, or with the process that started it. */
export type OwnServer = {
  kill(): Promise<void>;
  /** Starts it again after `kill`, on the same port and folder; resolves when it answers. */
  start(): Promise<void>;
  stop(): Promise<void>;
};

export type OwnPostgres = OwnServer & {
  superuserUrl: string;
  urlOf(login: { user: string; password: string; database: string }): string;
};

export type OwnNats = OwnServer & { url: string };

export type NatsUser = {
  service: string;
  password: string;
  permissions: { publish: readonly string[]; subscribe: readonly string[] };
};

/** Starts servers of a suite's own, which it may kill and must stop. */
export type ServerStarts = {
  postgres(options: { programs: string; settings?: Readonly<Record<string, string>> }): Promise<OwnPostgres>;
  /** `config` is further configuration text; if `users` are given, it knows them and nobody else. */
  nats(options: { program: string; config?: string; users?: readonly NatsUser[] }): Promise<OwnNats>;
};

let given: ServerStarts | undefined;

/** For the set-up of a run alone. */
export function provideStarts(starts: ServerStarts): void {
  given = starts;
}

/** Throws in a project that has no servers. */
export function useStarts(): ServerStarts {
  if (given === undefined) throw new Error('This project has no servers: run the suite in the project `int`.');
  return given;
}
